// Lexicons of stored policy sets. A set is kept for ever, and the form of lexicons changes with the versions of the service: what this version
// can't use of an earlier lexicon is left out, instead of refusing the set. Lexicons of authors are checked strictly (lexicon.ts).
import { memberOf, objectOf, pointerNames } from '../../../kernel/json.ts';
import { UNFITTED } from './assessment.ts';
import { checkLexicon, type LexiconProblem } from './problems.ts';
import { type LexiconFile, LexiconSchema } from './schema.ts';

type Json = Record<string, unknown>;

/** Rounds of removing what the schema refuses: a removed value may leave its parent incomplete, which the next round removes. */
const MAX_ROUNDS = 16;

/** Removes the value at a pointer from the list or object that holds it. Items of lists become undefined, which JSON has not, so that other pointers stay right. */
function remove(root: Json, pointer: string): void {
  const tokens = pointerNames(pointer);
  const last = tokens.pop();
  const holder = tokens.reduce<unknown>(memberOf, root);
  if (last === undefined || typeof holder !== 'object' || holder === null) return;
  if (Array.isArray(holder)) (holder as unknown[])[Number(last)] = undefined;
  else delete (holder as Json)[last];
}

function withoutRemoved(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).filter((item) => item !== undefined).map(withoutRemoved);
  const object = objectOf(value);
  if (object === undefined) return value;
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, withoutRemoved(member)]));
}

/** Empty lists and objects for members that lexicons did not have. */
function withAllMembers(root: Json): Json {
  const filled: Json = { ...root };
  for (const name of LexiconSchema.required) {
    const { type } = LexiconSchema.properties[name];
    if (!Object.hasOwn(filled, name) && type !== 'string') filled[name] = type === 'array' ? [] : {};
  }
  for (const name of ['dataClasses', 'quantifiers'] as const) {
    const members = LexiconSchema.properties[name].required ?? [];
    const known = objectOf(filled[name]);
    if (known !== undefined) filled[name] = { ...Object.fromEntries(members.map((one) => [one, []])), ...known };
  }
  const assessment = objectOf(filled['assessment']);
  if (assessment !== undefined) {
    const { coverage, confidence } = UNFITTED;
    const doubts = { ...confidence.doubts, ...objectOf(objectOf(assessment['confidence'])?.['doubts']) };
    filled['assessment'] = {
      ...assessment,
      coverage: { ...coverage, ...objectOf(assessment['coverage']) },
      confidence: { ...confidence, ...objectOf(assessment['confidence']), doubts },
    };
  }
  return filled;
}

/**
 * A lexicon of an earlier form in the form of this version, without what this version does not know.
 * @param digest of the lexicon, see `digestOfLexicon`
 * @returns what was left out, by the problems that it was; or the problems, when what is left is no lexicon
 */
export function toPresentForm(
  json: unknown,
  digest: string,
):
  | { readonly file: LexiconFile; readonly left: readonly LexiconProblem[] }
  | { readonly problems: readonly LexiconProblem[] } {
  const first = checkLexicon(json, digest);
  if (first.ok) return { file: first.file, left: [] };
  const object = objectOf(json);
  if (object === undefined) return first;
  let root = withAllMembers(structuredClone(object) as Json);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const checked = checkLexicon(root, '');
    if (checked.ok) return { file: checked.file, left: first.problems };
    for (const { pointer } of checked.problems) {
      if (pointer === '') return first;
      remove(root, pointer);
    }
    root = withAllMembers(withoutRemoved(root) as Json);
  }
  return first;
}
