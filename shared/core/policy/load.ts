// Loads files into one policy set, all or nothing; every finding has a file, line and column.
import { createHash } from 'node:crypto';
import { JsonError, memberOf, parseJson } from '../../kernel/json.ts';
import { canonicalize } from '../proof/canonical.ts';
import { compileCatalogues, type ToolCatalogues } from '../tools/catalogue.ts';
import type { ToolCatalogueFile } from '../tools/schema.ts';
import type { AuthzenFile } from '../authzen/schema.ts';
import { checkAuthzen } from './check-authzen.ts';
import { checkPolicy } from './check.ts';
import { checkCatalogue } from './check-tools.ts';
import { compilePolicies } from './compile.ts';
import type { CompiledSet } from './compile.ts';
import {
  AUTHZEN_FILE,
  byPlace,
  findingsOf,
  isAuthzen,
  isCatalogue,
  located,
  parseFile,
  type TextFile,
} from './files.ts';
import { createOnce } from './once.ts';
import type { Checked, Problem } from './schema-problems.ts';
import type { Policy } from './schema.ts';
import type { Finding, FindingCode } from './types.ts';

/** All active policies together. `Lexicon` is the result of the lexicon compiler. */
export interface PolicySet<Lexicon = unknown> {
  /** SHA-256 of `canonical`, lower-case hex. */
  readonly digest: string;
  /**
   * The canonical JSON of `{authzen, engine, lexicon, policies, tools}`, from which loadCanonicalSet builds the same set. Serialized again on
   * every access, because it is megabytes long and every process keeps a set. `authzen` and `tools` are absent without such files.
   */
  readonly canonical: string;
  /** Sorted by id, each id once, without `$schema`. */
  readonly policies: readonly Policy[];
  /** Sorted by server, each server once, without `$schema`. */
  readonly catalogues: readonly ToolCatalogueFile[];
  readonly tools: ToolCatalogues;
  /** The action names of AuthZEN requests; empty without authzen.json. */
  readonly authzenActions: AuthzenFile['actions'];
  readonly lexicon: Lexicon;
  readonly compiled: CompiledSet;
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
/** The file name in findings about a stored set. */
const STORED = 'stored policy set';

/** A kind of file of which a set has many, each with a name of its own. */
interface Kind<T> {
  readonly check: (document: unknown) => Checked<T>;
  readonly keyOf: (item: T) => string;
  /** The member that has the key, and the code when two files share it. */
  readonly member: 'id' | 'server' | 'actions';
  readonly duplicate: FindingCode;
}

const POLICIES: Kind<Policy> = {
  check: checkPolicy,
  keyOf: ({ id }) => id,
  member: 'id',
  duplicate: 'DUPLICATE_ID',
};
const CATALOGUES: Kind<ToolCatalogueFile> = {
  check: checkCatalogue,
  keyOf: ({ server }) => server,
  member: 'server',
  duplicate: 'DUPLICATE_SERVER',
};

const AUTHZEN: Kind<AuthzenFile> = {
  check: checkAuthzen,
  // A folder has one file of this name; a set has one, too.
  keyOf: () => AUTHZEN_FILE,
  member: 'actions',
  duplicate: 'SCHEMA',
};

/** Checks all files of a kind. Files with the same key and equal content count once. */
function collect<T>(
  files: readonly TextFile[],
  { check, keyOf, member, duplicate }: Kind<T>,
): { readonly items: readonly T[]; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const seen = new Map<string, { readonly item: T; readonly text: string; readonly file: string }>();
  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const parsed = parseFile(file);
    if (!('value' in parsed)) {
      findings.push(parsed);
      continue;
    }
    const checked = check(parsed.value);
    if (!checked.ok) {
      findings.push(...findingsOf(located(file), checked.problems));
      continue;
    }
    const item = withoutSchema(checked.item);
    const text = canonicalize(item);
    const other = seen.get(keyOf(item));
    if (other === undefined) seen.set(keyOf(item), { item, text, file: file.path });
    else if (other.text !== text) {
      const message = `the ${member} ${JSON.stringify(keyOf(item))} is also that of ${other.file}, with other content`;
      findings.push(...findingsOf(located(file), [{ code: duplicate, pointer: `/${member}`, message }]));
    }
  }
  return { items: [...seen.values()].map(({ item }) => item), findings };
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
    return { findings: findingsOf(located(file), lexiconProblems(error)) };
  }
}

/** The parts of a set before they are put together. */
interface Parts<Lexicon> {
  readonly policies: readonly Policy[];
  readonly catalogues: readonly ToolCatalogueFile[];
  readonly authzen: AuthzenFile | undefined;
  readonly lexicon: Lexicon;
  readonly lexiconJson: unknown;
}

function sortedBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function assemble<Lexicon>(parts: Parts<Lexicon>): PolicySet<Lexicon> {
  const once = createOnce();
  const policies = sortedBy(
    parts.policies.map((policy) => once.of(policy)),
    POLICIES.keyOf,
  );
  const catalogues = sortedBy(parts.catalogues, CATALOGUES.keyOf);
  const { authzen } = parts;
  const first = authzen === undefined ? '' : `"authzen":${canonicalize(authzen)},`;
  const head = `{${first}"engine":${ENGINE_VERSION},"lexicon":${canonicalize(withoutSchema(parts.lexiconJson))},"policies":[`;
  const tail = catalogues.length === 0 ? ']}' : `],"tools":${canonicalize(catalogues)}}`;
  const hash = createHash('sha256').update(head);
  for (const [i, policy] of policies.entries()) hash.update(`${i === 0 ? '' : ','}${canonicalize(policy)}`);
  return {
    digest: hash.update(tail).digest('hex'),
    get canonical() {
      return `${head}${policies.map((policy) => canonicalize(policy)).join()}${tail}`;
    },
    policies,
    catalogues,
    tools: compileCatalogues(catalogues),
    authzenActions: authzen?.actions ?? {},
    lexicon: parts.lexicon,
    compiled: compilePolicies(policies),
  };
}

/** Removes `$schema`, which only tells editors where to find the schema. */
function withoutSchema<T>(json: T): T {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  // No type of a file requires the member.
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== '$schema')) as T;
}

/**
 * Loads a policy set from the texts of its files: parsed strictly, validated, checked against the vocabulary, compiled. The order of the
 * files does not matter; policies with the same id and equal content count once, and so do catalogues of one server.
 */
export function loadPolicySet<Lexicon>(
  files: readonly TextFile[],
  lexiconText: TextFile,
  deps: LoadDependencies<Lexicon>,
): LoadResult<Lexicon> {
  const policies = collect(
    files.filter((file) => !isCatalogue(file) && !isAuthzen(file)),
    POLICIES,
  );
  const authzen = collect(files.filter(isAuthzen), AUTHZEN);
  const catalogues = collect(files.filter(isCatalogue), CATALOGUES);
  const findings = [...policies.findings, ...catalogues.findings, ...authzen.findings];
  const compiled = compileLexiconFile(lexiconText, deps);
  if ('lexicon' in compiled && findings.length === 0) {
    const parts = { policies: policies.items, catalogues: catalogues.items, authzen: authzen.items[0] };
    return { ok: true, set: assemble({ ...parts, lexicon: compiled.lexicon, lexiconJson: compiled.json }) };
  }
  if (!('lexicon' in compiled)) findings.push(...compiled.findings);
  return { ok: false, findings: findings.sort(byPlace) };
}

class StoredProblem extends Error {
  readonly code: FindingCode;
  readonly pointer: string;
  constructor(code: FindingCode, pointer: string, message: string) {
    super(message);
    this.code = code;
    this.pointer = pointer;
  }
}

/** The members of a list of a stored set. @throws {StoredProblem} */
function storedItems<T>(list: unknown, at: string, { check, keyOf, member, duplicate }: Kind<T>): T[] {
  if (!Array.isArray(list)) throw new StoredProblem('SCHEMA', at, 'must be a list');
  const keys = new Set<string>();
  return list.map((document: unknown, i) => {
    const checked = check(document);
    if (!checked.ok) {
      const { code, pointer, message } = checked.problems[0] ?? { code: 'SCHEMA', pointer: '', message: 'is wrong' };
      throw new StoredProblem(code, `${at}/${i}${pointer}`, message);
    }
    const item = withoutSchema(checked.item);
    const key = keyOf(item);
    if (keys.has(key)) throw new StoredProblem(duplicate, `${at}/${i}/${member}`, 'comes twice');
    keys.add(key);
    return item;
  });
}

function storedSet<Lexicon>(text: string, { compileLexicon }: LoadDependencies<Lexicon>): PolicySet<Lexicon> {
  const document = parseJson(text);
  if (memberOf(document, 'engine') !== ENGINE_VERSION)
    throw new StoredProblem('SCHEMA', '/engine', `must be ${ENGINE_VERSION}`);
  const policies = storedItems(memberOf(document, 'policies'), '/policies', POLICIES);
  const catalogues = storedItems(memberOf(document, 'tools') ?? [], '/tools', CATALOGUES);
  const names = memberOf(document, 'authzen');
  const [authzen] = names === undefined ? [] : storedItems([names], '/authzen', AUTHZEN);
  // Interned in a separate copy, because slices of the text would keep the whole text in memory.
  const lexiconJson = createOnce().of(memberOf(document, 'lexicon'));
  let lexicon: Lexicon;
  try {
    lexicon = compileLexicon(lexiconJson);
  } catch (error) {
    const [{ pointer, message } = { pointer: '', message: '' }] = lexiconProblems(error);
    throw new StoredProblem('LEXICON', `/lexicon${pointer}`, message);
  }
  const set = assemble({ policies, catalogues, authzen, lexicon, lexiconJson });
  const isCanonical = createHash('sha256').update(text).digest('hex') === set.digest;
  if (!isCanonical) throw new StoredProblem('SCHEMA', '', 'is not in canonical form');
  return set;
}

/** Rebuilds a set from its stored canonical text. Refused unless the digest of the result is that of the text. */
export function loadCanonicalSet<Lexicon>(canonicalText: string, deps: LoadDependencies<Lexicon>): LoadResult<Lexicon> {
  try {
    return { ok: true, set: storedSet(canonicalText, deps) };
  } catch (error) {
    if (!(error instanceof StoredProblem || error instanceof JsonError)) throw error;
    const { pointer, message } = error;
    const code = error instanceof StoredProblem ? error.code : 'NOT_JSON';
    return { ok: false, findings: [{ file: STORED, line: 1, column: 1, code, pointer, message }] };
  }
}
