// The set of an organisation with own policies: the installation's set, and on top of it the organisation's policies, as one document.
import { createHash } from 'node:crypto';
import { memberOf, parseJson } from '../../../kernel/json.ts';
import { inOneGo } from '../../../kernel/slices.ts';
import { canonicalize } from '../../proof/canonical.ts';
import { compileOwn } from '../compile.ts';
import type { Declarations } from '../declarations.ts';
import { idOf, policiesUnder, StoredProblem, storedItems, storedPlaceholders } from '../kinds.ts';
import type { PolicySet } from '../load.ts';
import { havePlaceholders } from '../message.ts';
import { createOnce } from '../once.ts';
import type { Policy } from '../schema.ts';
import { ownProblems } from './rules.ts';

/** The policies of one organisation that it has pushed itself. */
export interface OwnPolicies {
  /** Of the organisation. */
  readonly slug: string;
  /** As they were pushed, sorted by id, without `$schema`. */
  readonly policies: readonly Policy[];
  /** As of Declarations. */
  readonly hasPlaceholders: boolean;
  /** The canonical JSON of `{placeholders, policies, slug}`; `placeholders` is true, or absent when no message has one. */
  readonly text: string;
}

export function ownPoliciesOf(
  slug: string,
  policies: readonly Policy[],
  hasPlaceholders = havePlaceholders(policies),
): OwnPolicies {
  const sorted = [...policies].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const text = canonicalize({ ...(hasPlaceholders ? { placeholders: true } : {}), policies: sorted, slug });
  return { slug, policies: sorted, hasPlaceholders, text };
}

/** What own policies may name: all that the installation declares. */
export const ownDeclarations = (
  installation: Declarations,
  { hasPlaceholders }: Pick<OwnPolicies, 'hasPlaceholders'>,
): Declarations => ({ ...installation, hasPlaceholders });

export const digestOfText = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/**
 * The members are in canonical order, and the installation's set comes first: the document is put together from its stored parts
 * without parsing them, and its digest continues that of the installation's part.
 */
const HEAD = '{"engine":1,"installation":';
const MIDDLE = ',"organisation":';
const TAIL = '}';

/** The canonical text of a composed set. @param installation the canonical text of the installation's set */
export const composedText = (installation: string, own: string): string => HEAD + installation + MIDDLE + own + TAIL;

/**
 * The digests of composed sets. The installation's text, which is megabytes long, is hashed once.
 * @param installation the canonical text of the installation's set
 */
export function composedDigests(installation: string | Uint8Array): (own: string) => string {
  const begun = createHash('sha256').update(HEAD).update(installation);
  return (own) =>
    begun
      .copy()
      .update(MIDDLE + own + TAIL)
      .digest('hex');
}

/** The policies as they are evaluated: for the organisation alone, and with ids that no policy of the installation can have. */
function effectivePolicies({ slug, policies }: OwnPolicies): Policy[] {
  const once = createOnce();
  return policies.map((policy) =>
    once.of({ ...policy, id: `${slug}/${policy.id}`, target: { ...policy.target, organisations: [slug] } }),
  );
}

/**
 * The set of an organisation. It shares everything with the installation's set and adds the compiled own policies.
 * @param digest of the composed text
 */
export function composeSet<Lexicon>(
  installation: PolicySet<Lexicon>,
  own: OwnPolicies,
  digest: string,
): PolicySet<Lexicon> {
  const effective = effectivePolicies(own);
  return {
    ...withoutText(installation),
    digest,
    get canonical() {
      return composedText(installation.canonical, own.text);
    },
    get policies() {
      return [...installation.policies, ...effective];
    },
    compiled: compileOwn(installation.compiled, effective, ownDeclarations(installation.declarations, own)),
    own: { slug: own.slug, policies: effective, installation: installation.digest },
  };
}

/** The members that a composed set shares. A spread would serialize the text of the installation's set. */
function withoutText<Lexicon>(set: PolicySet<Lexicon>): Omit<PolicySet<Lexicon>, 'digest' | 'canonical' | 'policies'> {
  const { catalogues, tools, authzenActions, attributes, declarations, resources, registry, lexicon, compiled } = set;
  return { catalogues, tools, authzenActions, attributes, declarations, resources, registry, lexicon, compiled };
}

/** The own policies of a stored document. @throws {StoredProblem} */
export function storedOwnPolicies(document: unknown, declarations: Declarations): OwnPolicies {
  const slug = memberOf(document, 'slug');
  if (typeof slug !== 'string') throw new StoredProblem('SCHEMA', '/organisation/slug', 'must be a string');
  const at = '/organisation/policies';
  const hasPlaceholders = storedPlaceholders(document, '/organisation');
  const kind = policiesUnder(ownDeclarations(declarations, { hasPlaceholders }));
  const policies = inOneGo(storedItems(memberOf(document, 'policies'), at, kind));
  for (const [i, policy] of policies.entries()) {
    const [problem] = ownProblems(policy, slug);
    if (problem !== undefined) throw new StoredProblem(problem.code, `${at}/${i}${problem.pointer}`, problem.message);
  }
  return ownPoliciesOf(slug, policies, hasPlaceholders);
}

/**
 * Composes a set from the loaded installation's set and the stored text of own policies, which are checked again.
 * @throws {StoredProblem | JsonError}
 */
export function composeStored<Lexicon>(
  installation: PolicySet<Lexicon>,
  ownText: string,
  digest: string,
): PolicySet<Lexicon> {
  return composeSet(installation, storedOwnPolicies(parseJson(ownText), installation.declarations), digest);
}
