// Loads files into one policy set, all or nothing; every finding has a file, line and column.
import { createHash } from 'node:crypto';
import { JsonError, parseJson, parseJsonWithPositions } from '../../kernel/json.ts';
import { canonicalize } from '../proof/canonical.ts';
import { checkPolicy } from './check.ts';
import type { Problem } from './check.ts';
import { compilePolicies } from './compile.ts';
import type { CompiledSet } from './compile.ts';
import { createOnce } from './once.ts';
import type { Policy } from './schema.ts';
import type { Finding } from './types.ts';

/** All active policies together. `Lexicon` is the result of the lexicon compiler. */
export interface PolicySet<Lexicon = unknown> {
  /** SHA-256 of `canonical`, lower-case hex. */
  readonly digest: string;
  /**
   * The canonical JSON of `{engine, lexicon, policies}`, from which loadCanonicalSet builds the same set. Serialized again on every access,
   * because it is megabytes long and every process keeps a set.
   */
  readonly canonical: string;
  /** Sorted by id, each id once, without `$schema`. */
  readonly policies: readonly Policy[];
  readonly lexicon: Lexicon;
  readonly compiled: CompiledSet;
}

export interface TextFile {
  /** Used only in findings. */
  readonly path: string;
  readonly text: string;
}

export interface LoadDependencies<Lexicon> {
  /**
   * Throws when the lexicon is invalid; the error may carry an RFC 6901 `pointer` to the mistake, and a list `others` of further mistakes,
   * each with `pointer` and `message`.
   */
  readonly compileLexicon: (json: unknown) => Lexicon;
}

export type LoadResult<Lexicon = unknown> =
  | { readonly ok: true; readonly set: PolicySet<Lexicon> }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** The version of the evaluation's semantics. It is part of the digest, so a stored set names the semantics it was evaluated under. */
export const ENGINE_VERSION = 1;
export const MAX_FILE_BYTES = 1_048_576;
/** The file name in findings about a stored set. */
const STORED = 'stored policy set';

/** The first problems of a file suffice; reporting a million would delay the response. */
const MAX_PROBLEMS_PER_FILE = 1_000;

/**
 * Converts problems into findings. Positions are parsed only when there is a problem, because that costs several times as much as parsing.
 */
function findingsOf(file: TextFile, problems: readonly Problem[]): Finding[] {
  const { locate } = parseJsonWithPositions(file.text);
  return problems.slice(0, MAX_PROBLEMS_PER_FILE).map((problem) => {
    const { line, column } = locate(problem.pointer);
    return { file: file.path, line, column, ...problem };
  });
}

/** Syntax of other formats that JSON does not have, by the character at which parsing stopped. */
const NO_JSON: Readonly<Record<string, string>> = {
  '/': ': JSON has no comments; say it in "description"',
  '#': ': JSON has no comments; say it in "description"',
  "'": ': texts stand in double quotes',
  '\u201c': ': texts stand in straight double quotes',
  '\u201d': ': texts stand in straight double quotes',
  '\ufeff': ': the file begins with a byte order mark; save it as UTF-8 without one',
};

/** Explains why a text is not JSON, for its author. */
export function notJson({ reason, offset }: JsonError, text: string): string {
  if (text.trim() === '') return 'is not JSON: the file is empty';
  const at = text.charAt(offset);
  const isAfterComma = text.slice(0, offset).trimEnd().endsWith(',');
  if ((at === '}' || at === ']') && isAfterComma) return `is not JSON: ${reason}: no comma stands before "${at}"`;
  return `is not JSON: ${reason}${NO_JSON[at] ?? ''}`;
}

/** The message for a file over the size limit. */
export const TOO_LARGE = `is larger than 1 MB (${MAX_FILE_BYTES.toLocaleString('en')} bytes): split it into several files`;

function parseFile(file: TextFile): { readonly value: unknown } | Finding {
  if (Buffer.byteLength(file.text) > MAX_FILE_BYTES) {
    return { file: file.path, line: 1, column: 1, pointer: '', code: 'TOO_LARGE', message: TOO_LARGE };
  }
  try {
    return { value: parseJson(file.text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, pointer } = error;
    return { file: file.path, line, column, pointer, code: 'NOT_JSON', message: notJson(error, file.text) };
  }
}

function checkFile(file: TextFile): { readonly policy: Policy } | { readonly findings: Finding[] } {
  const parsed = parseFile(file);
  if (!('value' in parsed)) return { findings: [parsed] };
  const checked = checkPolicy(parsed.value);
  if (!checked.ok) return { findings: findingsOf(file, checked.problems) };
  const { $schema: _, ...policy } = checked.policy;
  return { policy };
}

function pointerOf(error: unknown): string {
  const pointer = memberOf(error, 'pointer');
  return typeof pointer === 'string' ? pointer : '';
}

function lexiconProblems(error: unknown): Problem[] {
  const message = error instanceof Error ? error.message : 'can not be compiled';
  const others: unknown = memberOf(error, 'others');
  const more = (Array.isArray(others) ? others : []).map((other: unknown): Problem => {
    const said = memberOf(other, 'message');
    return { code: 'LEXICON', pointer: pointerOf(other), message: typeof said === 'string' ? said : 'is wrong, too' };
  });
  return [{ code: 'LEXICON', pointer: pointerOf(error), message }, ...more];
}

function compileLexiconFile<Lexicon>(
  file: TextFile,
  { compileLexicon }: LoadDependencies<Lexicon>,
): { readonly json: unknown; readonly lexicon: Lexicon } | { readonly findings: Finding[] } {
  if (file.text.trim() === '') {
    const message = 'is missing or empty: a policy folder has a lexicon.json, by which intents are read';
    return { findings: [{ file: file.path, line: 1, column: 1, pointer: '', code: 'LEXICON', message }] };
  }
  const parsed = parseFile(file);
  if (!('value' in parsed)) return { findings: [parsed] };
  try {
    return { json: parsed.value, lexicon: compileLexicon(parsed.value) };
  } catch (error) {
    return { findings: findingsOf(file, lexiconProblems(error)) };
  }
}

/** By file, line and column. */
export function byPlace(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

function assemble<Lexicon>(given: readonly Policy[], lexicon: Lexicon, lexiconJson: unknown): PolicySet<Lexicon> {
  const once = createOnce();
  const policies = given.map((policy) => once.of(policy)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const head = `{"engine":${ENGINE_VERSION},"lexicon":${canonicalize(withoutSchema(lexiconJson))},"policies":[`;
  const tail = ']}';
  const hash = createHash('sha256').update(head);
  for (const [i, policy] of policies.entries()) hash.update(`${i === 0 ? '' : ','}${canonicalize(policy)}`);
  return {
    digest: hash.update(tail).digest('hex'),
    get canonical() {
      return `${head}${policies.map((policy) => canonicalize(policy)).join()}${tail}`;
    },
    policies,
    lexicon,
    compiled: compilePolicies(policies),
  };
}

/** Removes `$schema`, which only tells editors where to find the schema. */
function withoutSchema(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== '$schema'));
}

/**
 * Loads a policy set from the texts of its files: parsed strictly, validated, checked against the vocabulary, compiled. The order of the
 * files does not matter; policies with the same id and equal content count once.
 */
export function loadPolicySet<Lexicon>(
  files: readonly TextFile[],
  lexiconText: TextFile,
  deps: LoadDependencies<Lexicon>,
): LoadResult<Lexicon> {
  const findings: Finding[] = [];
  const seen = new Map<string, { readonly policy: Policy; readonly text: string; readonly file: string }>();
  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const checked = checkFile(file);
    if ('findings' in checked) {
      findings.push(...checked.findings);
      continue;
    }
    const { policy } = checked;
    const text = canonicalize(policy);
    const other = seen.get(policy.id);
    if (other === undefined) seen.set(policy.id, { policy, text, file: file.path });
    else if (other.text !== text) {
      const message = `the id ${JSON.stringify(policy.id)} is also that of ${other.file}, with other content`;
      findings.push(...findingsOf(file, [{ code: 'DUPLICATE_ID', pointer: '/id', message }]));
    }
  }
  const compiled = compileLexiconFile(lexiconText, deps);
  if (!('lexicon' in compiled)) findings.push(...compiled.findings);
  else if (findings.length === 0) {
    const policies = [...seen.values()].map(({ policy }) => policy);
    return { ok: true, set: assemble(policies, compiled.lexicon, compiled.json) };
  }
  return { ok: false, findings: findings.sort(byPlace) };
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** Rebuilds a set from its stored canonical text. Refused unless the digest of the result is that of the text. */
export function loadCanonicalSet<Lexicon>(canonicalText: string, deps: LoadDependencies<Lexicon>): LoadResult<Lexicon> {
  const refuse = (code: Finding['code'], pointer: string, message: string): LoadResult<Lexicon> => ({
    ok: false,
    findings: [{ file: STORED, line: 1, column: 1, pointer, code, message }],
  });
  let document: unknown;
  try {
    document = parseJson(canonicalText);
  } catch (error) {
    return refuse('NOT_JSON', '', error instanceof Error ? error.message : 'is not JSON');
  }
  if (memberOf(document, 'engine') !== ENGINE_VERSION) return refuse('SCHEMA', '/engine', `must be ${ENGINE_VERSION}`);
  const policies = memberOf(document, 'policies');
  if (!Array.isArray(policies)) return refuse('SCHEMA', '/policies', 'must be a list');
  const checked: Policy[] = [];
  const ids = new Set<string>();
  for (const [i, policy] of policies.entries()) {
    const result = checkPolicy(policy);
    const problem = result.ok ? undefined : result.problems[0];
    if (problem !== undefined) return refuse(problem.code, `/policies/${i}${problem.pointer}`, problem.message);
    if (!result.ok) continue;
    if (ids.has(result.policy.id)) return refuse('DUPLICATE_ID', `/policies/${i}/id`, 'comes twice');
    ids.add(result.policy.id);
    checked.push(result.policy);
  }
  try {
    // Interned in a separate copy, because slices of the text would keep the whole text in memory.
    const lexiconJson = createOnce().of(memberOf(document, 'lexicon'));
    const set = assemble(checked, deps.compileLexicon(lexiconJson), lexiconJson);
    const isCanonical = createHash('sha256').update(canonicalText).digest('hex') === set.digest;
    return isCanonical ? { ok: true, set } : refuse('SCHEMA', '', 'is not in canonical form');
  } catch (error) {
    return refuse(
      'LEXICON',
      `/lexicon${pointerOf(error)}`,
      error instanceof Error ? error.message : 'can not be compiled',
    );
  }
}
