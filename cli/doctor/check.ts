// Results of the checks of `custos doctor`, and helpers to run checks and to describe values.

export type Verdict = 'ok' | 'warning' | 'problem' | 'skipped';

export interface Diagnosis {
  /** The name of the check: `database version`. */
  readonly check: string;
  readonly verdict: Verdict;
  /** What was found, as a sentence without a full stop. Never a secret, nor an address with a password. */
  readonly detail: string;
  /** How to fix it; present with a warning or a problem. */
  readonly advice?: string;
}

export const ok = (check: string, detail: string): Diagnosis => ({ check, verdict: 'ok', detail });
export const skipped = (check: string, detail: string): Diagnosis => ({ check, verdict: 'skipped', detail });

const withAdvice =
  (verdict: 'warning' | 'problem') =>
  (check: string, detail: string, advice: string): Diagnosis => ({ check, verdict, detail, advice });
export const warning = withAdvice('warning');
export const problem = withAdvice('problem');

/** Runs checks one after the other. A check that throws is a problem, and the others still run. */
export async function examine(
  checks: Readonly<Record<string, () => Promise<readonly Diagnosis[]> | readonly Diagnosis[]>>,
): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      found.push(...(await check()));
    } catch (error) {
      found.push(
        problem(
          name,
          `could not be checked: ${reasonOf(error)}`,
          'fix the cause that the message names, and try again',
        ),
      );
    }
  }
  return found;
}

/** The message of an error, without the name of its class. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^Error: /, '');
}

/** Whether version `a` is older than `b`, for versions such as 6.2.14. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let i = 0; i < 3; i += 1) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** 90 s, 12 min, 3 h, 2 d. */
export function ageText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
