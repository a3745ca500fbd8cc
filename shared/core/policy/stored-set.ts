// Rebuilds a policy set from its stored canonical text.
import { JsonError, memberOf, parseJson } from '../../kernel/json.ts';
import { inOneGo, type Sliced } from '../../kernel/slices.ts';
import { budgetClashes } from './budget.ts';
import { declarationsOf } from './declarations.ts';
import {
  ATTRIBUTES,
  AUTHZEN,
  CATALOGUES,
  type Kind,
  policiesUnder,
  resourcesUnder,
  StoredProblem,
  storedItems,
  storedPlaceholders,
  termsUnder,
} from './kinds.ts';
import {
  assemble,
  ENGINE_VERSION,
  type LoadDependencies,
  type LoadResult,
  lexiconProblems,
  type Parts,
  type PolicySet,
} from './load.ts';
import { composedDigests, composeSet, digestOfText, storedOwnPolicies } from './own/compose.ts';
import { termsOf } from './terms.ts';

/** The file name in findings about a stored set. */
const STORED = 'stored policy set';

function assertEngine(document: unknown, at: string): void {
  if (memberOf(document, 'engine') === ENGINE_VERSION) return;
  throw new StoredProblem('SCHEMA', `${at}/engine`, `must be ${ENGINE_VERSION}`);
}

function storedSingle<T>(document: unknown, name: string, kind: Kind<T>): T | undefined {
  const member = memberOf(document, name);
  return member === undefined ? undefined : inOneGo(storedItems([member], `/${name}`, kind))[0];
}

/** What a stored document declares. @throws {StoredProblem} */
export function storedDeclarations(document: unknown): Pick<Parts<unknown>, 'attributes' | 'declarations'> {
  const attributes = storedSingle(document, 'attributes', ATTRIBUTES);
  const terms = storedSingle(document, 'terms', termsUnder(declarationsOf(attributes)));
  const hasPlaceholders = storedPlaceholders(document, '');
  return { attributes, declarations: { ...declarationsOf(attributes, termsOf(terms)), hasPlaceholders } };
}

/** The set of a stored document without own policies of an organisation. */
function* storedInstallation<Lexicon>(
  document: unknown,
  { compileLexicon }: LoadDependencies<Lexicon>,
): Sliced<PolicySet<Lexicon>> {
  const { attributes, declarations } = storedDeclarations(document);
  const authzen = storedSingle(document, 'authzen', AUTHZEN);
  const policies = yield* storedItems(memberOf(document, 'policies'), '/policies', policiesUnder(declarations));
  const catalogues = yield* storedItems(memberOf(document, 'tools') ?? [], '/tools', CATALOGUES);
  const resources = yield* storedItems(
    memberOf(document, 'resources') ?? [],
    '/resources',
    resourcesUnder(declarations),
  );
  // A copy, because slices of the text would keep the whole text in memory. Few of its parts are equal, so they are not interned.
  const lexiconText = JSON.stringify(memberOf(document, 'lexicon') ?? null);
  const lexiconJson: unknown = JSON.parse(lexiconText);
  let lexicon: Lexicon;
  try {
    lexicon = compileLexicon(lexiconJson, digestOfText(lexiconText));
  } catch (error) {
    const [{ pointer, message } = { pointer: '', message: '' }] = lexiconProblems(error);
    throw new StoredProblem('LEXICON', `/lexicon${pointer}`, message);
  }
  const [clash] = budgetClashes(policies);
  if (clash !== undefined)
    throw new StoredProblem(
      'BUDGET_CLASH',
      `/policies/${policies.indexOf(clash.policy)}${clash.pointer}`,
      clash.message,
    );
  return yield* assemble({ policies, catalogues, authzen, attributes, declarations, resources, lexicon, lexiconJson });
}

function* storedSet<Lexicon>(
  document: unknown,
  digest: string,
  deps: LoadDependencies<Lexicon>,
): Sliced<PolicySet<Lexicon>> {
  assertEngine(document, '');
  const below = memberOf(document, 'installation');
  let set: PolicySet<Lexicon>;
  if (below === undefined) set = yield* storedInstallation(document, deps);
  else {
    assertEngine(below, '/installation');
    const installation = yield* storedInstallation(below, deps);
    const own = storedOwnPolicies(memberOf(document, 'organisation'), installation.declarations);
    set = composeSet(installation, own, composedDigests(installation.canonical)(own.text));
  }
  if (set.digest !== digest) throw new StoredProblem('SCHEMA', '', 'is not in canonical form');
  return set;
}

function refused(error: unknown): LoadResult<never> {
  if (!(error instanceof StoredProblem || error instanceof JsonError)) throw error;
  const { pointer, message } = error;
  const code = error instanceof StoredProblem ? error.code : 'NOT_JSON';
  return { ok: false, findings: [{ file: STORED, line: 1, column: 1, code, pointer, message }] };
}

/** Rebuilds a set from its stored canonical text. Refused unless the digest of the result is that of the text. */
export function loadCanonicalSet<Lexicon>(canonicalText: string, deps: LoadDependencies<Lexicon>): LoadResult<Lexicon> {
  try {
    return { ok: true, set: inOneGo(storedSet(parseJson(canonicalText), digestOfText(canonicalText), deps)) };
  } catch (error) {
    return refused(error);
  }
}

/**
 * The same, to be computed in slices by a process that answers requests meanwhile: ten thousand policies take two seconds.
 * @param digest what the caller knows to be the digest of the text. A text with another one is refused before it is parsed, so that the
 *   parser of V8 suffices, which does not find members that occur twice.
 */
export function* knownSet<Lexicon>(
  canonicalText: string,
  digest: string,
  deps: LoadDependencies<Lexicon>,
): Sliced<LoadResult<Lexicon>> {
  try {
    if (digestOfText(canonicalText) !== digest)
      throw new StoredProblem('SCHEMA', '', `does not have the digest ${digest}`);
    return { ok: true, set: yield* storedSet(JSON.parse(canonicalText), digest, deps) };
  } catch (error) {
    return refused(error);
  }
}
