// Loads files into one policy set, all or nothing; every finding has a file, line and column.
import { createHash } from 'node:crypto';
import { memberOf } from '../../kernel/json.ts';
import { inOneGo, type Sliced } from '../../kernel/slices.ts';
import { canonicalize } from '../proof/canonical.ts';
import { compileCatalogues, type ToolCatalogues } from '../tools/catalogue.ts';
import type { ToolCatalogueFile } from '../tools/schema.ts';
import type { AttributesFile } from '../attributes/schema.ts';
import type { KnownVerbs } from '../intent/lexicon/known-verbs.ts';
import type { AuthzenFile } from '../authzen/schema.ts';
import { budgetClashes } from './budget.ts';
import { compilePolicies } from './compile.ts';
import type { CompiledSet } from './compile.ts';
import {
  byPlace,
  findingsOf,
  isAttributes,
  isAuthzen,
  isCatalogue,
  isPolicy,
  isTerms,
  isResource,
  located,
  type TextFile,
} from './files.ts';
import { type Declarations, declarationsOf, UNREADABLE_DECLARATIONS } from './declarations.ts';
import {
  ATTRIBUTES,
  AUTHZEN,
  CATALOGUES,
  collect,
  idOf,
  nameOf,
  policiesUnder,
  resourcesUnder,
  termsUnder,
  withoutSchema,
} from './kinds.ts';
import { attributesOfEntry, createRegistry, type ResourceRegistry } from '../resources/registry.ts';
import type { ResourceFile } from '../resources/schema.ts';
import { type DocumentProblem, readLexicon } from './lexicon-files.ts';
import { havePlaceholders } from './message.ts';
import { createOnce } from './once.ts';
import { termsOf, UNREADABLE_TERMS } from './terms.ts';
import type { Policy } from './schema.ts';
import type { Finding } from './types.ts';

/** All active policies together. `Lexicon` is the result of the lexicon compiler. */
export interface PolicySet<Lexicon = unknown> {
  /** SHA-256 of `canonical`, lower-case hex. */
  readonly digest: string;
  /**
   * The canonical JSON of `{attributes, authzen, engine, lexicon, placeholders, policies, resources, terms, tools}`, or of
   * `{engine, installation, organisation}` with own policies of an organisation (own/compose.ts), from which loadCanonicalSet builds the
   * same set. Serialized again on every access, because it is megabytes long and every process keeps a set. `attributes`, `authzen`,
   * `resources`, `terms` and `tools` are absent without such files; `placeholders` is true, or absent when no message has one.
   */
  readonly canonical: string;
  /** Sorted by id, each id once, without `$schema`; own policies of an organisation come last. */
  readonly policies: readonly Policy[];
  /** Sorted by server, each server once, without `$schema`. */
  readonly catalogues: readonly ToolCatalogueFile[];
  readonly tools: ToolCatalogues;
  /** The action names of AuthZEN requests; empty without authzen.json. */
  readonly authzenActions: AuthzenFile['actions'];
  /** The content of attributes.json, without `$schema`; undefined without that file. */
  readonly attributes: AttributesFile | undefined;
  readonly declarations: Declarations;
  /** The entries of the folder `resources`, sorted by canonical name, without `$schema`. */
  readonly resources: readonly ResourceFile[];
  readonly registry: ResourceRegistry;
  readonly lexicon: Lexicon;
  readonly compiled: CompiledSet;
  /** In the set of an organisation with own policies: those policies, as they are evaluated. */
  readonly own?: {
    readonly slug: string;
    readonly policies: readonly Policy[];
    /** The digest of the installation's set below them. */
    readonly installation: string;
  };
}

export interface LoadDependencies<Lexicon> {
  /**
   * Throws when the lexicon is invalid; the error may carry an RFC 6901 `pointer` to the mistake, and a list `others` of further mistakes,
   * each with `pointer` and `message`.
   * @param digest SHA-256 of its JSON text, where that is known
   */
  readonly compileLexicon: (json: unknown, digest?: string) => Lexicon;
  /** Returns the verbs that conditions may name, for suggestions in findings. */
  readonly verbsOf?: (lexicon: Lexicon) => KnownVerbs;
}

export type LoadResult<Lexicon = unknown> =
  | { readonly ok: true; readonly set: PolicySet<Lexicon> }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** The version of the evaluation's semantics. It is part of the digest, so a stored set names the semantics it was evaluated under. */
export const ENGINE_VERSION = 1;

function placesOf(error: unknown): Pick<DocumentProblem, 'pointer' | 'first'> {
  const pointer = memberOf(error, 'pointer');
  const first = memberOf(error, 'first');
  return { pointer: typeof pointer === 'string' ? pointer : '', first: typeof first === 'string' ? first : undefined };
}

export function lexiconProblems(error: unknown): DocumentProblem[] {
  const message = error instanceof Error ? error.message : 'can not be compiled';
  const others: unknown = memberOf(error, 'others');
  const more = (Array.isArray(others) ? others : []).map((other: unknown): DocumentProblem => {
    const said = memberOf(other, 'message');
    return { code: 'LEXICON', ...placesOf(other), message: typeof said === 'string' ? said : 'is wrong, too' };
  });
  return [{ code: 'LEXICON', ...placesOf(error), message }, ...more];
}

function compileLexiconFiles<Lexicon>(
  file: TextFile,
  files: readonly TextFile[],
  { compileLexicon }: LoadDependencies<Lexicon>,
): { readonly json: unknown; readonly lexicon: Lexicon } | { readonly findings: readonly Finding[] } {
  const read = readLexicon(file, files);
  if ('findings' in read) return read;
  try {
    return { json: read.json, lexicon: compileLexicon(read.json) };
  } catch (error) {
    return { findings: read.findingsOf(lexiconProblems(error)) };
  }
}

/** The parts of a set before they are put together. */
export interface Parts<Lexicon> {
  readonly policies: readonly Policy[];
  readonly catalogues: readonly ToolCatalogueFile[];
  readonly authzen: AuthzenFile | undefined;
  readonly attributes: AttributesFile | undefined;
  readonly declarations: Declarations;
  readonly resources: readonly ResourceFile[];
  readonly lexicon: Lexicon;
  readonly lexiconJson: unknown;
}

function sortedBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/**
 * The canonical text of a set before and after its policies: its members by name, those that are undefined left out.
 */
function textAround(members: Readonly<Record<string, unknown>>): { readonly head: Buffer; readonly tail: string } {
  const written = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ isBefore: name < 'policies', text: `"${name}":${canonicalize(value)}` }));
  const before = written.filter(({ isBefore }) => isBefore).map(({ text }) => `${text},`);
  const after = written.filter(({ isBefore }) => !isBefore).map(({ text }) => `,${text}`);
  // As UTF-8, because V8 keeps two bytes for each character of a text that has others than Latin ones: four megabytes of the shipped lexicon.
  return { head: Buffer.from(`{${before.join('')}"policies":[`), tail: `]${after.join('')}}` };
}

/** Puts checked parts together, and compiles the policies. */
export function* assemble<Lexicon>(parts: Parts<Lexicon>): Sliced<PolicySet<Lexicon>> {
  const once = createOnce();
  const shared: Policy[] = [];
  for (const policy of parts.policies) {
    shared.push(once.of(policy));
    yield;
  }
  const policies = sortedBy(shared, idOf);
  const catalogues = sortedBy(parts.catalogues, CATALOGUES.keyOf);
  const resources = sortedBy(parts.resources, nameOf);
  const { attributes, authzen, declarations } = parts;
  const { head, tail } = textAround({
    attributes,
    authzen,
    engine: ENGINE_VERSION,
    lexicon: withoutSchema(parts.lexiconJson),
    placeholders: declarations.hasPlaceholders ? true : undefined,
    resources: resources.length === 0 ? undefined : resources,
    terms: declarations.terms.file,
    tools: catalogues.length === 0 ? undefined : catalogues,
  });
  const hash = createHash('sha256').update(head);
  for (const [i, policy] of policies.entries()) {
    hash.update(`${i === 0 ? '' : ','}${canonicalize(policy)}`);
    yield;
  }
  const compiled = yield* compilePolicies(policies, declarations);
  return {
    digest: hash.update(tail).digest('hex'),
    get canonical() {
      return `${head.toString()}${policies.map((policy) => canonicalize(policy)).join()}${tail}`;
    },
    policies,
    catalogues,
    tools: compileCatalogues(catalogues),
    authzenActions: authzen?.actions ?? {},
    attributes,
    declarations,
    resources,
    registry: createRegistry(resources.map((entry) => ({ name: entry.name, attributes: attributesOfEntry(entry) }))),
    lexicon: parts.lexicon,
    compiled,
  };
}

/**
 * Loads a policy set from the texts of its files: parsed strictly, validated, checked against the vocabulary, compiled. The order of the
 * files does not matter; policies with the same id and equal content count once, and so do catalogues of one server.
 * @param lexiconText lexicon.json; an empty text when the lexicon is a folder of `files`
 */
export function loadPolicySet<Lexicon>(
  files: readonly TextFile[],
  lexiconText: TextFile,
  deps: LoadDependencies<Lexicon>,
): LoadResult<Lexicon> {
  const declared = collect(files.filter(isAttributes), ATTRIBUTES);
  const [attributes] = declared.items;
  const untermed = declared.findings.length === 0 ? declarationsOf(attributes) : UNREADABLE_DECLARATIONS;
  const named = files.filter(isTerms);
  const locate = named.map(located)[0]?.locate;
  const terms = collect(named, termsUnder(untermed, locate));
  const compiled = compileLexiconFiles(lexiconText, files, deps);
  const verbs = 'lexicon' in compiled ? deps.verbsOf?.(compiled.lexicon) : undefined;
  const declarations = {
    ...untermed,
    ...(verbs === undefined ? {} : { verbs }),
    terms: terms.findings.length === 0 ? termsOf(terms.items[0], locate) : UNREADABLE_TERMS,
  };
  const policies = collect(files.filter(isPolicy), policiesUnder(declarations));
  const authzen = collect(files.filter(isAuthzen), AUTHZEN);
  const catalogues = collect(files.filter(isCatalogue), CATALOGUES);
  const resources = collect(files.filter(isResource), resourcesUnder(declarations));
  const findings = [policies, catalogues, authzen, declared, terms, resources].flatMap((one) => one.findings);
  for (const { policy, ...clash } of budgetClashes(policies.items)) {
    const file = policies.fileOf(policy);
    if (file !== undefined) findings.push(...findingsOf(located(file), [{ code: 'BUDGET_CLASH', ...clash }]));
  }
  if ('lexicon' in compiled && findings.length === 0) {
    const [names] = authzen.items;
    const parts = {
      policies: policies.items,
      catalogues: catalogues.items,
      authzen: names,
      attributes,
      declarations: { ...declarations, hasPlaceholders: havePlaceholders(policies.items) },
      resources: resources.items,
    };
    return { ok: true, set: inOneGo(assemble({ ...parts, lexicon: compiled.lexicon, lexiconJson: compiled.json })) };
  }
  if (!('lexicon' in compiled)) findings.push(...compiled.findings);
  return { ok: false, findings: findings.sort(byPlace) };
}
