// Text cases: test/texts/KIND/SET.jsonl has one case per line, and KIND names what reads the texts. See CONTRIBUTING.md.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AssertionError } from 'chai';
import Type, { type Static, type TSchema } from 'typebox';
import { compileSchema } from '../../shared/kernel/compile-schema.ts';
import { findRoot } from '../../shared/platform/config/root.ts';

/** The folders, by what reads their texts. */
export const TEXT_KINDS = [
  'enforce',
  'http',
  'javascript',
  'mention',
  'normalized',
  'organisation',
  'parse',
  'python',
  'resource',
  'risk',
  'shell',
  'sql',
] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

const closed = { additionalProperties: false };
const optional = <T extends Record<string, TSchema>>(members: T) => Type.Partial(Type.Object(members), closed);

const one = Type.Union([Type.String(), optional({ not: Type.String() })]);
const number = optional({ min: Type.Number(), max: Type.Number(), below: Type.Number() });
const listOf = <T extends TSchema>(item: T) => {
  const list = Type.Array(item);
  return Type.Union([list, optional({ not: list, has: list, hasNot: list })]);
};
const list = listOf(Type.String());

/** The expected reading: a value, these items in any order, or a condition. Absent members are not compared. */
const ExpectationSchema = optional({
  normalized: one,
  domain: one,
  action: one,
  verb: one,
  object: one,
  effect: one,
  extent: one,
  confidence: number,
  coverage: number,
  traits: list,
  flags: list,
  data_classes: list,
  places: list,
  /** Their normalized forms. */
  alternatives: list,
  emails: list,
  paths: list,
  urls: list,
  hosts: list,
  identifiers: list,
  money: listOf(Type.Object({ amount: Type.Number(), currency: Type.String() }, closed)),
  /** Level and factors by the shipped intake policies. */
  risk: one,
  riskScore: number,
  factors: list,
  /** The canonical resource. */
  resource: one,
  /** The verb as it was written. */
  actionWord: one,
  /** The text is refused. */
  refused: Type.Literal(true),
  /** Code: whether all of it is understood, and the actions of its statements. */
  understood: Type.Boolean(),
  actions: list,
  /** Whether a quotation is only mentioned. */
  mentioned: Type.Boolean(),
  /** This text is read with more confidence. */
  lessConfidentThan: Type.String(),
  /** The string is read at least as strictly as this one, and lies in its places. */
  notMilderThan: Type.String(),
});
export type Expectation = Static<typeof ExpectationSchema>;

const TextCaseSchema = Type.Object(
  {
    text: Type.String(),
    expect: ExpectationSchema,
    /** What the case shows, as in the title of a test. */
    why: Type.String({ minLength: 1 }),
    /** The origin of the text. Default: written for this project. */
    source: Type.Optional(Type.String({ minLength: 1 })),
    /** This text is repeated in front, up to a length of 9,900 characters. */
    after: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);

export interface TextCase extends Static<typeof TextCaseSchema> {
  /** FILE:LINE */
  readonly place: string;
  readonly title: string;
}

const LONG = 9_900;
const TITLE = 90;
const validate = compileSchema<Static<typeof TextCaseSchema>>(TextCaseSchema);

function parseLine(line: string, place: string): Static<typeof TextCaseSchema> {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new Error(`${place} is not a line of JSON`);
  }
  const check = validate();
  if (check(json)) return json;
  // The error of the innermost member names the mistake; those of its parents follow from it.
  const [error] = (check.errors ?? []).toSorted((a, b) => b.instancePath.length - a.instancePath.length);
  const detail = error?.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : '';
  throw new Error(`${place}${error?.instancePath ?? ''} ${error?.message ?? 'is invalid'}${detail}`);
}

/** Reads cases from JSON Lines. @throws Error with the file and the line: invalid JSON, an unknown member, a text that is there twice */
export function parseTextCases(content: string, file: string, seen = new Map<string, string>()): TextCase[] {
  const cases: TextCase[] = [];
  for (const [at, line] of content.trimEnd().split('\n').entries()) {
    const place = `${file}:${at + 1}`;
    const found = parseLine(line, place);
    const { after, text } = found;
    const whole = after === undefined ? text : after.repeat(Math.floor((LONG - text.length) / after.length)) + text;
    const first = seen.get(whole);
    if (first !== undefined) throw new Error(`${place} has the text of ${first}`);
    seen.set(whole, place);
    const shown = JSON.stringify(text.slice(0, TITLE));
    const title = after === undefined ? shown : `${JSON.stringify(after)} repeated, then ${shown}`;
    cases.push({ ...found, text: whole, place, title: `${found.why}: ${title}` });
  }
  return cases;
}

/** The cases of one kind, by set. No text may be there twice, not even in two sets. */
export function textCases(kind: TextKind): ReadonlyMap<string, readonly TextCase[]> {
  const folder = path.join(findRoot(), 'test', 'texts', kind);
  const seen = new Map<string, string>();
  const sets = readdirSync(folder).toSorted();
  return new Map(
    sets.map((name) => {
      const content = readFileSync(path.join(folder, name), 'utf8');
      return [path.basename(name, '.jsonl'), parseTextCases(content, `test/texts/${kind}/${name}`, seen)];
    }),
  );
}

/** @throws Error when there is no such set */
export function textSet(kind: TextKind, set: string): readonly TextCase[] {
  const cases = textCases(kind).get(set);
  if (cases === undefined) throw new Error(`there is no file test/texts/${kind}/${set}.jsonl`);
  return cases;
}

interface Condition {
  readonly not?: unknown;
  readonly has?: readonly unknown[];
  readonly hasNot?: readonly unknown[];
  readonly min?: number;
  readonly max?: number;
  readonly below?: number;
}

const isCondition = (expected: unknown): expected is Condition =>
  typeof expected === 'object' && expected !== null && !Array.isArray(expected);

const includes = (items: unknown, item: unknown): boolean =>
  Array.isArray(items) && items.some((one) => isDeepStrictEqual(one, item));

function isEqual(actual: unknown, expected: unknown): boolean {
  if (!Array.isArray(expected)) return isDeepStrictEqual(actual, expected);
  return Array.isArray(actual) && actual.length === expected.length && expected.every((item) => includes(actual, item));
}

function isMet(actual: unknown, expected: unknown): boolean {
  if (!isCondition(expected)) return isEqual(actual, expected);
  const { not, has = [], hasNot = [], min, max, below } = expected;
  const value = typeof actual === 'number' ? actual : Number.NaN;
  return (
    (not === undefined || !isEqual(actual, not)) &&
    has.every((item) => includes(actual, item)) &&
    !hasNot.some((item) => includes(actual, item)) &&
    (min === undefined || value >= min) &&
    (max === undefined || value <= max) &&
    (below === undefined || value < below)
  );
}

/** The members of a reading that are not as the case expects, one sentence each. */
export function unmet(expected: Expectation, reading: object): string[] {
  return Object.entries(expected).flatMap(([member, value]) => {
    // A reading has the members that its kind reads.
    const actual = (reading as Readonly<Record<string, unknown>>)[member];
    // A member that there is not would be anything but the value of `not`.
    if (isCondition(value) && !(member in reading)) return [`there is no ${member}`];
    return isMet(actual, value) ? [] : [`${member} is ${JSON.stringify(actual)}, expected ${JSON.stringify(value)}`];
  });
}

/** @throws AssertionError with the file and line of the case */
export function expectReading(one: TextCase, reading: object, expected: Expectation = one.expect): void {
  const problems = unmet(expected, reading);
  if (problems.length > 0) throw new AssertionError(`${one.place}: ${problems.join('; ')}`);
}
