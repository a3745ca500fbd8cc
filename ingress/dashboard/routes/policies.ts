// Policy sets as the operator's pages show them: in small answers, however many policies a set has; their history, and
// what two of them differ in.
import { LRUCache } from 'lru-cache';
import { Type } from 'typebox';
import type { Database, Statement } from '../../../shared/platform/db/database.ts';
import type { ActivePolicySet } from '../../../shared/domain/policy-sets/active-set.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import type { Policy } from '../../../shared/core/policy/schema.ts';
import type { Finding } from '../../../shared/core/policy/types.ts';
import { Cursor, DEFAULT_LIMIT, Limit } from '../../../shared/api/common.ts';
import { defineRoute, type Route } from '../../route.ts';
import { decodeCursor, pageOf } from '../../routes/paging.ts';
import { assertOperator } from '../../routes/policies.ts';
import type { PolicyActivation, PolicyDifference, PolicyHead, PolicySetInfo, PolicyState } from '../client/wire.ts';

const READ: Statement = {
  name: 'policy-set-by-digest',
  text: 'SELECT canonical, created_at FROM policy_set WHERE digest = $1',
};
const ACTIVATIONS: Statement = {
  name: 'policy-activations',
  text: `SELECT seq::text, digest, previous_digest, activated_at FROM policy_activation
    WHERE ($1::bigint IS NULL OR seq < $1) ORDER BY policy_activation.seq DESC LIMIT $2`,
};

/** Sets that were looked at lately stay parsed for a while: who compares two looks at them several times. */
const KEPT_SETS = 2;
const KEPT_MS = 60_000;
/** Policies that a difference shows in full. */
const MAX_DIFFERENT = 200;

const closed = { additionalProperties: false };
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const SetParams = Type.Object({ digest: Digest }, closed);
const PolicyParams = Type.Object({ digest: Digest, id: Type.String({ minLength: 1, maxLength: 200 }) }, closed);
const PoliciesQuery = Type.Object(
  {
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  },
  closed,
);
const PageQuery = Type.Object({ cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) }, closed);
const DifferenceQuery = Type.Object({ from: Digest, to: Digest }, closed);
/** A policy's id, and the number of an activation: what the cursors hold. */
const POLICY_ID = /^[a-z0-9][a-z0-9-]{0,99}$/;
const SEQ = /^[1-9]\d{0,17}$/;

interface StoredSet {
  readonly digest: string;
  readonly createdAt: Date;
  /** Sorted by id. */
  readonly policies: readonly Policy[];
  readonly lexicon: object;
}

interface ActivationRow {
  readonly seq: string;
  readonly digest: string;
  readonly previous_digest: string | null;
  readonly activated_at: Date;
}

export interface PolicyPageDeps {
  readonly db: Database;
  readonly policies: ActivePolicySet;
}

function headOf({ id, description, stage, target, rules }: Policy): PolicyHead {
  const effects = [...new Set(rules.map((rule) => rule.event.type))];
  return { id, description, stage, target, rules: rules.length, effects };
}

function mentions(policy: Policy, search: string): boolean {
  const texts = [policy.id, policy.description, ...policy.target.resources, ...policy.rules.map((rule) => rule.name)];
  return texts.some((text) => text.toLowerCase().includes(search));
}

/** What turns one set into the other, policy by policy. Both are sorted and canonical, so equal texts are equal policies. */
function differenceOf(
  from: StoredSet,
  to: StoredSet,
): Pick<PolicyDifference, 'counts' | 'policies' | 'more' | 'lexicon'> {
  const before = new Map(from.policies.map((policy) => [policy.id, policy]));
  const after = new Map(to.policies.map((policy) => [policy.id, policy]));
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

export function policyPageRoutes({ db, policies: active }: PolicyPageDeps): Route[] {
  const kept = new LRUCache<string, StoredSet>({ max: KEPT_SETS, ttl: KEPT_MS, ttlAutopurge: false });
  const common = { access: ['admin:*'], tag: 'Dashboard' } as const;

  const setOf = async (digest: string): Promise<StoredSet> => {
    const known = kept.get(digest);
    if (known !== undefined) return known;
    const [row] = await db.query<{ canonical: Buffer; created_at: Date }>(READ, [digest]);
    if (row === undefined) throw new ApiError('E4001', 'There is no policy set with this digest.');
    // The canonical text of a set that was in force.
    const content = JSON.parse(row.canonical.toString('utf8')) as { policies: Policy[]; lexicon: object };
    const set = { digest, createdAt: row.created_at, ...content };
    kept.set(digest, set);
    return set;
  };
  const infoOf = ({ digest, createdAt, policies }: StoredSet): PolicySetInfo => ({
    digest,
    createdAt: createdAt.toISOString(),
    policies: policies.length,
    rules: policies.reduce((sum, policy) => sum + policy.rules.length, 0),
    isActive: active.status().activeDigest === digest,
  });

  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dashboard/api/policies',
      summary: 'The set in force, and how the last reading of the folder went',
      request: {},
      responses: { 200: { description: 'Both.' } },
      errors: ['E1004'],
      handler: async ({ key }) => {
        assertOperator(key);
        const { activeDigest, readAt, readOk, findings, loadError } = active.status();
        const body: PolicyState = {
          active: activeDigest === undefined ? null : infoOf(await setOf(activeDigest)),
          activatedAt: activeDigest === undefined ? null : active.current().activatedAt.toISOString(),
          lastRead: {
            at: readAt?.toISOString() ?? null,
            ok: readOk,
            // Written by the worker that read the folder.
            findings: findings as Finding[],
          },
          loadError: loadError ?? null,
        };
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dashboard/api/policy-activations',
      summary: 'The sets that were in force, newest first',
      request: { query: PageQuery },
      responses: { 200: { description: 'One page of activations.' } },
      errors: ['E1004'],
      handler: async ({ key, query }) => {
        assertOperator(key);
        const limit = query.limit ?? DEFAULT_LIMIT;
        const before = decodeCursor(query.cursor, SEQ) ?? null;
        const rows = await db.query<ActivationRow>(ACTIVATIONS, [before, limit + 1]);
        const shown = ({ seq, digest, previous_digest, activated_at }: ActivationRow): PolicyActivation => ({
          seq,
          digest,
          previousDigest: previous_digest,
          activatedAt: activated_at.toISOString(),
        });
        return { status: 200, body: pageOf(rows, limit, shown, ({ seq }) => seq) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dashboard/api/policy-sets/{digest}',
      summary: 'A set that is or was in force',
      request: { params: SetParams },
      responses: { 200: { description: 'What there is to say about the whole set.' } },
      errors: ['E1004', 'E4001'],
      handler: async ({ key, params }) => {
        assertOperator(key);
        return { status: 200, body: infoOf(await setOf(params.digest)) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dashboard/api/policy-sets/{digest}/policies',
      summary: 'The policies of a set by id',
      request: { params: SetParams, query: PoliciesQuery },
      responses: { 200: { description: 'One page of them, without their rules.' } },
      errors: ['E1004', 'E4001'],
      handler: async ({ key, params, query }) => {
        assertOperator(key);
        const limit = query.limit ?? DEFAULT_LIMIT;
        const after = decodeCursor(query.cursor, POLICY_ID);
        const search = query.search?.toLowerCase();
        const { policies } = await setOf(params.digest);
        const rows = policies.filter(
          (policy) => (after === undefined || policy.id > after) && (search === undefined || mentions(policy, search)),
        );
        return { status: 200, body: pageOf(rows.slice(0, limit + 1), limit, headOf, ({ id }) => id) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dashboard/api/policy-sets/{digest}/policies/{id}',
      summary: 'One policy of a set',
      request: { params: PolicyParams },
      responses: { 200: { description: 'The policy as it was digested.' } },
      errors: ['E1004', 'E4001'],
      handler: async ({ key, params }) => {
        assertOperator(key);
        const set = await setOf(params.digest);
        const policy = set.policies.find(({ id }) => id === params.id);
        if (policy === undefined) throw new ApiError('E4001', 'The set has no policy with this id.');
        return { status: 200, body: { set: infoOf(set), policy } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dashboard/api/policy-difference',
      summary: 'What two sets differ in',
      request: { query: DifferenceQuery },
      responses: { 200: { description: 'Added, removed and changed policies, and the lexicon when it changed.' } },
      errors: ['E1004', 'E4001'],
      handler: async ({ key, query }) => {
        assertOperator(key);
        const from = await setOf(query.from);
        const to = await setOf(query.to);
        const body: PolicyDifference = { from: infoOf(from), to: infoOf(to), ...differenceOf(from, to) };
        return { status: 200, body };
      },
    }),
  ];
}
