// Routes of the policy pages: a set page by page, the history of sets, and the difference of two. Answers stay small, however
// many policies a set has.
import { BoundedCache } from '../../../shared/kernel/bounded-cache.ts';
import { type TSchema, Type } from 'typebox';
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import { FOLDER_AUTHOR } from '../../../shared/domain/policy-sets/activate.ts';
import { readOrganisationSets } from '../../../shared/domain/policy-sets/organisation-sets.ts';
import { pendingProposals } from '../../../shared/domain/policy-sets/proposals.ts';
import type { ActivePolicySet } from '../../../shared/domain/policy-sets/active-set.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import type { Policy } from '../../../shared/core/policy/schema.ts';
import type { ToolCatalogueFile } from '../../../shared/core/tools/schema.ts';
import type { Finding } from '../../../shared/core/policy/types.ts';
import { closed, DEFAULT_LIMIT, PAGE, PageQuery } from '../../../shared/api/common.ts';
import { policyApprovalView } from '../../../shared/api/policy-approval-view.ts';
import type { Route } from '../../route.ts';
import { decodeCursor, pageOf } from '../../routes/paging.ts';
import { assertOperator } from '../../routes/policies.ts';
import type {
  OrganisationSets,
  PolicyActivation,
  PolicyDifference,
  PolicyHead,
  PolicySetInfo,
  PolicyState,
} from '../client/wire.ts';
import type { WaitingChanges } from '../client/wire/approvals.ts';
import { type PageRoute, pageRoute } from './page-route.ts';

const READ = 'SELECT canonical, created_at FROM policy_set_text WHERE digest = $1';
const ACTIVATIONS = `SELECT seq::text, digest, previous_digest AS "previousDigest", activated_at AS "activatedAt",
      coalesce(author, '${FOLDER_AUTHOR}') AS author, reason, coalesce(source, 'folder') AS source, approver, signer
    FROM policy_activation
    WHERE organisation_id IS NULL AND ($1::bigint IS NULL OR seq < $1) ORDER BY policy_activation.seq DESC LIMIT $2`;

/** Parsed sets that are cached: a comparison of two is several requests. The content of a digest never changes. */
const CACHED_SETS = 2;
/** Changed policies that a difference contains. */
const MAX_DIFFERENT = 200;

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const SetParams = closed({ digest: Digest });
const PolicyParams = closed({ digest: Digest, id: Type.String({ minLength: 1, maxLength: 200 }) });
const PoliciesQuery = closed({ search: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })), ...PAGE });
const DifferenceQuery = closed({ from: Digest, to: Digest });
/** The sort keys in cursors: a policy's id, and the number of an activation. */
const POLICY_ID = /^[a-z0-9][a-z0-9-]{0,99}(\/[a-z0-9][a-z0-9-]{0,99})?$/;
const SEQ = /^[1-9]\d{0,17}$/;

interface StoredSet {
  readonly digest: string;
  readonly createdAt: Date;
  /** Sorted by id. */
  readonly policies: readonly Policy[];
  readonly lexicon: object;
  /** Sorted by server. Sets without catalogues have no such member. */
  readonly tools?: readonly ToolCatalogueFile[];
}

type StoredContent = Omit<StoredSet, 'digest' | 'createdAt'>;

/** The text of a set with own policies of an organisation. */
interface ComposedContent {
  readonly installation: StoredContent;
  readonly organisation: { readonly slug: string; readonly policies: readonly Policy[] };
}

/** The set as it is evaluated, by id: own policies have the slug in their ids. */
function joined({ installation, organisation: { slug, policies } }: ComposedContent): StoredContent {
  const own = policies.map((policy) => ({ ...policy, id: `${slug}/${policy.id}` }));
  return { ...installation, policies: [...installation.policies, ...own].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

type ActivationRow = Omit<PolicyActivation, 'activatedAt'> & { readonly activatedAt: Date };

export interface PolicyPageDeps {
  readonly db: EntitySql;
  readonly policies: ActivePolicySet;
  readonly nowMs: () => number;
  /** How many must approve a change (CUSTOS_POLICY_QUORUM). */
  readonly policyQuorum: number;
}

function headOf({ id, description, stage, target, rules }: Policy): PolicyHead {
  const effects = [...new Set(rules.map((rule) => rule.event.type))];
  return { id, description, stage, target, rules: rules.length, effects };
}

function mentions(policy: Policy, search: string): boolean {
  const texts = [policy.id, policy.description, ...policy.target.resources, ...policy.rules.map((rule) => rule.name)];
  return texts.some((text) => text.toLowerCase().includes(search));
}

/** The policies of a set by id, and its catalogues by the names of their files. */
function partsOf({ policies, tools = [] }: StoredSet): Map<string, object> {
  return new Map<string, object>([
    ...policies.map((policy) => [policy.id, policy] as const),
    ...tools.map((catalogue) => [`tools/${catalogue.server}`, catalogue] as const),
  ]);
}

/** The difference of two sets, part by part. Both are canonical, so equal parts have equal texts. */
function differenceOf(
  from: StoredSet,
  to: StoredSet,
): Pick<PolicyDifference, 'counts' | 'policies' | 'more' | 'lexicon'> {
  const [before, after] = [partsOf(from), partsOf(to)];
  const counts = { added: 0, removed: 0, changed: 0, same: 0 };
  const entries: PolicyDifference['policies'][number][] = [];
  for (const id of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [old, now] = [before.get(id) ?? null, after.get(id) ?? null];
    const change = old === null ? 'added' : now === null ? 'removed' : 'changed';
    if (JSON.stringify(old) === JSON.stringify(now)) counts.same += 1;
    else {
      counts[change] += 1;
      if (entries.length < MAX_DIFFERENT) entries.push({ id, change, before: old, after: now });
    }
  }
  const isSame = JSON.stringify(from.lexicon) === JSON.stringify(to.lexicon);
  return {
    counts,
    policies: entries,
    more: counts.added + counts.removed + counts.changed - entries.length,
    lexicon: isSame ? null : { before: from.lexicon, after: to.lexicon },
  };
}

/** A page route that only the operator may call. */
function operatorRoute<P extends TSchema | undefined = undefined, Q extends TSchema | undefined = undefined>(
  route: PageRoute<P, Q, undefined>,
): Route {
  return pageRoute({
    ...route,
    errors: ['E1004', ...(route.errors ?? [])],
    answer: (request) => {
      assertOperator(request.key);
      return route.answer(request);
    },
  });
}

export function policyPageRoutes({ db, policies: active, nowMs, policyQuorum }: PolicyPageDeps): Route[] {
  const parsedSets = new BoundedCache<StoredSet>({ max: CACHED_SETS });

  const setOf = async (digest: string): Promise<StoredSet> => {
    const cached = parsedSets.get(digest);
    if (cached !== undefined) return cached;
    const [row] = await db.query<{ canonical: Buffer; created_at: Date }>(READ, [digest]);
    if (row === undefined) throw new ApiError('E4001', 'There is no policy set with this digest.');
    // The canonical text of an admitted set.
    const content = JSON.parse(row.canonical.toString('utf8')) as StoredContent | ComposedContent;
    const set = { digest, createdAt: row.created_at, ...('installation' in content ? joined(content) : content) };
    parsedSets.set(digest, set);
    return set;
  };
  const infoOf = ({ digest, createdAt, policies, tools = [] }: StoredSet): PolicySetInfo => ({
    digest,
    createdAt: createdAt.toISOString(),
    servers: tools.map(({ server, description, trustAnnotations = false, tools: entries }) => ({
      server,
      description,
      trustAnnotations,
      tools: Object.keys(entries).length,
    })),
    policies: policies.length,
    rules: policies.reduce((sum, policy) => sum + policy.rules.length, 0),
    isActive: active.status().activeDigest === digest,
  });

  return [
    operatorRoute({
      path: '/policies',
      summary: 'The set in force, and the result of the last reading of the folder',
      answer: async (): Promise<PolicyState> => {
        const { activeDigest, inForce, folderDigest, readAt, readOk, findings, loadError } = active.status();
        return {
          active: activeDigest === undefined ? null : infoOf(await setOf(activeDigest)),
          activatedAt: inForce?.activatedAt?.toISOString() ?? null,
          author: inForce?.author ?? null,
          reason: inForce?.reason ?? null,
          source: inForce?.source ?? null,
          folderDigest: folderDigest ?? null,
          // The findings were written by the worker that read the folder.
          lastRead: { at: readAt?.toISOString() ?? null, ok: readOk, findings: findings as Finding[] },
          loadError: loadError ?? null,
        };
      },
    }),
    operatorRoute({
      path: '/policy-activations',
      summary: 'The activations of sets, newest first',
      request: { query: PageQuery },
      answer: async ({ query: { cursor, limit = DEFAULT_LIMIT } }) => {
        const rows = await db.query<ActivationRow>(ACTIVATIONS, [decodeCursor(cursor, SEQ) ?? null, limit + 1]);
        const shown = (row: ActivationRow): PolicyActivation => ({
          ...row,
          activatedAt: row.activatedAt.toISOString(),
        });
        return pageOf(rows, limit, shown, ({ seq }) => seq);
      },
    }),
    operatorRoute({
      path: '/policies/waiting',
      summary: 'The changes of policies that wait for approval, soonest expiry first',
      answer: async (): Promise<WaitingChanges> => {
        const atMs = nowMs();
        const rows = await pendingProposals(db, atMs);
        const items = rows.map((row) => ({ ...policyApprovalView(row, atMs), quorum: policyQuorum }));
        return { items: items.sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1)) };
      },
    }),
    operatorRoute({
      path: '/policy-organisations',
      summary: "The organisations whose set is not the installation's",
      answer: async (): Promise<OrganisationSets> => {
        const sets = await readOrganisationSets(db);
        const items = sets.map(({ slug, row }) => ({
          organisation: slug,
          digest: row?.active_digest ?? null,
          hasOwn: (row?.own_digest ?? null) !== null,
          staged: row?.staged_digest ?? null,
          author: row?.author ?? null,
          reason: row?.reason ?? null,
          // Text that this service wrote.
          misfits: row === undefined ? 0 : (JSON.parse(row.findings) as readonly unknown[]).length,
          isOther: row === undefined || row.active_digest !== null || row.own_digest !== null,
        }));
        return {
          inForce: active.status().activeDigest ?? null,
          items: items.flatMap(({ isOther, ...item }) => (isOther ? [item] : [])),
        };
      },
    }),
    operatorRoute({
      path: '/policy-sets/{digest}',
      summary: 'A set that is or was in force',
      request: { params: SetParams },
      errors: ['E4001'],
      answer: async ({ params }) => infoOf(await setOf(params.digest)),
    }),
    operatorRoute({
      path: '/policy-sets/{digest}/policies',
      summary: 'The policies of a set by id, without their rules',
      request: { params: SetParams, query: PoliciesQuery },
      errors: ['E4001'],
      answer: async ({ params, query: { cursor, search, limit = DEFAULT_LIMIT } }) => {
        const after = decodeCursor(cursor, POLICY_ID);
        const text = search?.toLowerCase();
        const { policies } = await setOf(params.digest);
        const rows = policies.filter(
          (policy) => (after === undefined || policy.id > after) && (text === undefined || mentions(policy, text)),
        );
        return pageOf(rows.slice(0, limit + 1), limit, headOf, ({ id }) => id);
      },
    }),
    operatorRoute({
      path: '/policy-sets/{digest}/policies/{id}',
      summary: 'One policy of a set',
      request: { params: PolicyParams },
      errors: ['E4001'],
      answer: async ({ params }) => {
        const set = await setOf(params.digest);
        const policy = set.policies.find(({ id }) => id === params.id);
        if (policy === undefined) throw new ApiError('E4001', 'The set has no policy with this id.');
        return { set: infoOf(set), policy };
      },
    }),
    operatorRoute({
      path: '/policy-difference',
      summary:
        'The difference of two sets: added, removed and changed policies and catalogues of tools, and the lexicon when it changed',
      request: { query: DifferenceQuery },
      errors: ['E4001'],
      answer: async ({ query }): Promise<PolicyDifference> => {
        const from = await setOf(query.from);
        const to = await setOf(query.to);
        return { from: infoOf(from), to: infoOf(to), ...differenceOf(from, to) };
      },
    }),
  ];
}
