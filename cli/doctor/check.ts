// What a check of `custos doctor` says: whether something is right, what was seen, and what to do when it is not.

export type Verdict = 'ok' | 'warning' | 'problem' | 'skipped';

export interface Diagnosis {
  /** What was looked at, in a few words: `database version`. */
  readonly check: string;
  readonly verdict: Verdict;
  /** What was seen, as a sentence without its full stop. Never a secret, nor an address with a password. */
  readonly detail: string;
  /** What to do about it; present with a warning or a problem. */
  readonly advice?: string;
}

export const ok = (check: string, detail: string): Diagnosis => ({ check, verdict: 'ok', detail });
export const skipped = (check: string, detail: string): Diagnosis => ({ check, verdict: 'skipped', detail });
export const warning = (check: string, detail: string, advice: string): Diagnosis => ({
  check,
  verdict: 'warning',
  detail,
  advice,
});
export const problem = (check: string, detail: string, advice: string): Diagnosis => ({
  check,
  verdict: 'problem',
  detail,
  advice,
});

/** Runs checks one after the other; one that fails in a way it did not foresee is a problem, and the others still run. */
export async function examine(
  checks: Readonly<Record<string, () => Promise<readonly Diagnosis[]> | readonly Diagnosis[]>>,
): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      found.push(...(await check()));
    } catch (error) {
      found.push(
        problem(name, `this could not be looked at: ${reasonOf(error)}`, 'see what the message says, and try again'),
      );
    }
  }
  return found;
}

/** The words of an error, without the name of its kind. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^Error: /, '');
}

/** `a < b` for versions such as 6.2.14. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let i = 0; i < 3; i += 1) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** 90 s, 12 min, 3 h, 2 d: two digits are enough to judge an age. */
export function ageText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
