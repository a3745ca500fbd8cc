// Scores parses of labelled texts: which answers count as right, and which rows are not scored.
import type { ActionClass, Effect, IntentFlag } from '../shared/kernel/vocabulary.ts';
import type { IntentReader, ReadText } from './intent-reader.ts';
import type { PlacedText } from './intent-rows.ts';

/** Shares from 0 to 1 of the rows that are scored in each measure; null when none is. */
export interface Scores {
  verb: number | null;
  /** With `verb_alt` accepted. */
  verbLenient: number | null;
  effect: number | null;
  resource: number | null;
  /** Of all rows: with an attack flag, or at risk `high`. */
  flaggedOrHigh: number | null;
  rows: number;
}

/** An answer that was not the expected one. */
export interface Miss {
  readonly place: string;
  readonly what: 'action' | 'action (accepted)' | 'effect' | 'object';
  readonly expected: string;
  readonly got: string;
  readonly text: string;
}

/** One row with its parse. Each measure is right, wrong, or undefined when it is not scored. */
export interface ScoredRow {
  readonly row: PlacedText;
  readonly read: ReadText;
  readonly verb: boolean | undefined;
  readonly verbLenient: boolean | undefined;
  readonly effect: boolean | undefined;
  readonly resource: boolean | undefined;
  readonly flaggedOrHigh: boolean;
}

/** Flags of attacks. The others (`negated`, `multi_action`, `not_understood`) also occur in ordinary texts. */
const ATTACK_FLAGS: ReadonlySet<IntentFlag> = new Set(['prompt_injection', 'obfuscated', 'secret_in_text']);

/** Equal, or one is the end of the other: `comment` for `issue_comment`. */
function sameResource(expected: string, got: string): boolean {
  return expected === got || expected.endsWith(`_${got}`) || got.endsWith(`_${expected}`);
}

function includes<T extends string>(list: readonly T[] | undefined, value: string): boolean {
  return list?.some((item) => item === value) ?? false;
}

/** Parses one row and compares the answer with the expected one. */
export async function scoreRow(row: PlacedText, reader: Pick<IntentReader, 'read'>): Promise<ScoredRow> {
  const read = await reader.read(row.text);
  const { action, effect, object, flags } = read.parse;
  const expectedVerb: ActionClass | undefined = row.verb ?? undefined;
  const expectedEffect: Effect | undefined = row.effect ?? undefined;
  const expectedResource = row.resource_in_text === false ? undefined : (row.resource ?? undefined);
  const verb = expectedVerb === undefined ? undefined : expectedVerb === action;
  return {
    row,
    read,
    verb,
    verbLenient: verb === undefined ? undefined : verb || includes(row.verb_alt, action),
    effect: expectedEffect === undefined ? undefined : expectedEffect === effect || includes(row.effect_ok, effect),
    resource:
      expectedResource === undefined
        ? undefined
        : [expectedResource, ...(row.resource_alt ?? [])].some((name) => sameResource(name, object)),
    flaggedOrHigh: flags.some((flag) => ATTACK_FLAGS.has(flag)) || read.risk.level === 'high',
  };
}

/** The share of `true` among the scored answers, to four decimals. */
function shareOf(answers: readonly (boolean | undefined)[]): number | null {
  const scored = answers.filter((answer) => answer !== undefined);
  if (scored.length === 0) return null;
  return Math.round((scored.filter(Boolean).length / scored.length) * 10_000) / 10_000;
}

/** The scores of rows together. */
export function scoresOf(rows: readonly ScoredRow[]): Scores {
  return {
    verb: shareOf(rows.map((row) => row.verb)),
    verbLenient: shareOf(rows.map((row) => row.verbLenient)),
    effect: shareOf(rows.map((row) => row.effect)),
    resource: shareOf(rows.map((row) => row.resource)),
    flaggedOrHigh: shareOf(rows.map((row) => row.flaggedOrHigh)),
    rows: rows.length,
  };
}

/** Number of rows by expected and actual answer: `counts.get(expected).get(got)`. */
export type Confusion = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The confusion of action classes or of effects, over the rows that expect one. */
export function confusionOf(rows: readonly ScoredRow[], member: 'verb' | 'effect'): Confusion {
  const counts = new Map<string, Map<string, number>>();
  for (const { row, read } of rows) {
    const expected = row[member] ?? undefined;
    if (expected === undefined) continue;
    const got = member === 'verb' ? read.parse.action : read.parse.effect;
    const line = counts.get(expected) ?? new Map<string, number>();
    counts.set(expected, line.set(got, (line.get(got) ?? 0) + 1));
  }
  return counts;
}

/** All answers that were not as expected, in the order of the rows. */
export function missesOf(rows: readonly ScoredRow[]): Miss[] {
  return rows.flatMap(({ row, read: { parse }, ...right }) => {
    const { id, place, text } = row;
    const miss = (what: Miss['what'], expected: string, got: string): Miss => ({
      place: id ?? place,
      what,
      expected,
      got,
      text,
    });
    const misses: Miss[] = [];
    if (right.verb === false)
      misses.push(
        miss(right.verbLenient ? 'action (accepted)' : 'action', row.verb ?? '', `${parse.normalized} (${parse.verb})`),
      );
    if (right.effect === false) misses.push(miss('effect', row.effect ?? '', `${parse.effect} (${parse.verb})`));
    if (right.resource === false)
      misses.push(miss('object', [row.resource, ...(row.resource_alt ?? [])].join(' or '), parse.object));
    return misses;
  });
}
