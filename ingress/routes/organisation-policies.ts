// Own policies of an organisation over HTTP: pushed and withdrawn by its admins, on top of the installation's set.
import type { Static } from 'typebox';
import {
  PolicyChangeResult,
  type RollBackPoliciesRequest,
  WithdrawPoliciesRequest,
} from '../../shared/api/policy-change.ts';
import type { SetComparison } from '../../shared/core/policy/compare.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { composedText, digestOfText, type OwnPolicies } from '../../shared/core/policy/own/compose.ts';
import { fitOwnPolicies } from '../../shared/core/policy/own/fit.ts';
import type { Finding } from '../../shared/core/policy/types.ts';
import { assertUnbound } from '../../shared/domain/keys/bound.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { holdPolicyState } from '../../shared/domain/policy-sets/activate.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { handLexicon } from '../../shared/domain/policy-sets/handed-lexicon.ts';
import {
  type ChangedOrganisation,
  changeOrganisation,
  MAX_PUSHES_PER_HOUR,
  pushesTooOften,
} from '../../shared/domain/policy-sets/organisation-change.ts';
import { readOrganisationSets, readOwnPolicies } from '../../shared/domain/policy-sets/organisation-sets.ts';
import { canonicalOf, type SetComparer } from '../../shared/domain/policy-sets/stored-sets.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import { changedFields } from '../../shared/kernel/recorded-change.ts';
import type { EntitySql } from '../../shared/platform/db/database.ts';
import { createHourlyCounts } from '../hourly.ts';
import type { PushReader } from '../pushed-set.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../route.ts';
import { checkedReply, type PolicyChangeDeps } from './policy-change-reply.ts';

type OwnSource = 'push' | 'rollback';
/** The canonical text of the set below own policies. */
type BaseText = () => Uint8Array;

interface OwnChange {
  readonly own: OwnPolicies;
  readonly source: OwnSource;
  readonly reason: string;
  readonly expectedDigest?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly warnings: readonly Finding[];
}

type Committing = Pick<RequestContext<unknown, unknown, unknown>, 'commit'>;

/** Own policies have at most 128 kB, and JSON escapes may double the text of the files. */
const MAX_OWN_BYTES = 1_048_576;

/** @throws {ApiError} E1004 */
export function assertOwnAdmin(key: AuthenticatedKey): void {
  if (key.environment !== 'live')
    throw new ApiError('E1004', "An organisation's own policies need a live admin:* key.");
  assertUnbound(key, 'see or change policies');
}

/** The set in force, under the lock that orders all changes of sets. @throws {ApiError} E6002 */
async function holdInstallation(sql: EntitySql): Promise<string> {
  const { inForce } = await holdPolicyState(sql);
  if (inForce !== undefined) return inForce.digest;
  throw new ApiError('E6002', 'No policy set is in force.', { headers: { 'retry-after': '2' } });
}

function misfitFindings({ misfits }: ChangedOrganisation): Finding[] {
  return misfits.map(({ policy, pointer, message }) => {
    const severity = 'warning' as const;
    return { file: policy, line: 1, column: 1, pointer, code: 'NO_LONGER_FITS', message, severity };
  });
}

function ownReply(
  { digest, previousDigest }: ChangedOrganisation,
  {
    author,
    reason,
    source = 'push',
    findings,
  }: {
    readonly author: string;
    readonly reason: string;
    readonly source?: OwnSource;
    readonly findings: readonly Finding[];
  },
): Reply {
  const isSame = digest === previousDigest;
  const status = isSame ? 'unchanged' : 'activated';
  const about = { author, reason, source, signer: null };
  return {
    status: isSame ? 200 : 201,
    body: { status, digest, previousDigest, ...about, findings },
    change: {
      subject: 'policy_set',
      id: digest,
      fields: changedFields({ inForce: previousDigest }, { inForce: digest }),
      reason,
    },
  };
}

type OwnRequest<Body> = Committing & { readonly key: AuthenticatedKey; readonly body: Body };

export interface OwnPolicyChanges {
  /** POST /v1/policies by an organisation: the files are all of its own policies. @throws {ApiError} E1004, E2001, E2005, E5002, E3001 */
  push(request: OwnRequest<Uint8Array>): Promise<Reply>;
  /** POST /v1/policies/rollback by an organisation: the own policies of an earlier set of it. @throws {ApiError} E1004, E2001, E4001, E5002 */
  rollBack(request: OwnRequest<Static<typeof RollBackPoliciesRequest>>): Promise<Reply>;
  /**
   * Compares the own policies of two sets, both on the installation's set that is in force: what else differs concerns others, too.
   * @throws {ApiError} E1004, E4001
   */
  compare(
    key: AuthenticatedKey,
    sets: { readonly before: string; readonly after: string },
  ): Promise<SetComparison | null>;
}

export interface OwnPolicyDeps extends PolicyChangeDeps {
  readonly comparer: SetComparer;
  readonly reader: PushReader;
}

const OWN_OF = 'SELECT own, organisation_id FROM policy_set_text WHERE digest = $1';

export function createOwnPolicyChanges(deps: OwnPolicyDeps): OwnPolicyChanges {
  const { db, nowMs, policies, settle, comparer, reader } = deps;
  // Dry runs, and pushes that are refused, leave no row that could be counted.
  const checks = createHourlyCounts(MAX_PUSHES_PER_HOUR, nowMs);
  const countCheck = ({ organisationId }: AuthenticatedKey): void => {
    if (!checks.take(organisationId)) throw pushesTooOften();
  };

  /** The own policies of a set; undefined: it is one of the installation. @throws {ApiError} E4001 for sets of others */
  const ownOf = async (key: AuthenticatedKey, digest: string): Promise<OwnPolicies | undefined> => {
    const [row] = await db.query<{ own: string | null; organisation_id: string | null }>(OWN_OF, [digest]);
    const isOther = row?.organisation_id !== null && row?.organisation_id !== key.organisationId;
    if (row === undefined || isOther) throw new ApiError('E4001', 'There is no policy set with this digest.');
    return row.own === null ? undefined : readOwnPolicies(db, row.own);
  };
  const textOn = (base: Uint8Array, own: OwnPolicies | undefined): Uint8Array =>
    own === undefined ? base : Buffer.from(composedText(Buffer.from(base).toString('utf8'), own.text), 'utf8');
  const textOf = ({ canonical }: Pick<PolicySet, 'canonical'>): Uint8Array => Buffer.from(canonical, 'utf8');

  /** Puts own policies into force, or only compares them with those in force. */
  const carryOut = async (
    { key, commit }: Committing & { readonly key: AuthenticatedKey },
    baseText: BaseText,
    { own, source, reason, expectedDigest, dryRun, warnings }: OwnChange,
  ): Promise<Reply> => {
    const { organisationId, keyId: author } = key;
    if (dryRun === true) {
      const { digest: previousDigest, own: present } = (await policies.current(organisationId)).set;
      const before = present === undefined ? undefined : await ownOf(key, previousDigest);
      const base = baseText();
      const after = textOn(base, own);
      const change = { digest: digestOfText(after), author, reason, source };
      const comparison = await comparer.compareTexts(textOn(base, before), after);
      return checkedReply(change, { previousDigest, comparison, findings: warnings });
    }
    const reply = await commit(async (sql) => {
      const change = { organisationId, own, source, expectedDigest, author, reason, atMs: nowMs() };
      const changed = await changeOrganisation(sql, await holdInstallation(sql), change);
      return ownReply(changed, { author, reason, source, findings: [...warnings, ...misfitFindings(changed)] });
    });
    await settle();
    return reply;
  };

  return {
    async push({ key, body, commit }) {
      assertOwnAdmin(key);
      if (body.byteLength > MAX_OWN_BYTES)
        throw new ApiError('E2005', 'The own policies of an organisation are sent in a body of at most 1 MB.');
      countCheck(key);
      const set = await baseOf(key.organisationId);
      const base = await canonicalOf(db, set.digest);
      if (base === undefined) throw new Error('the set below the own policies is not stored');
      const slug = key.organisationSlug;
      const lexicon = handLexicon(set.lexicon, slug);
      const pushed = await reader.readOwn({ body, slug, base, lexicon }, key.organisationId);
      return carryOut({ key, commit }, () => base, { ...pushed, source: 'push' });
    },
    async rollBack({ key, body, commit }) {
      assertOwnAdmin(key);
      const { digest, reason, expectedDigest, signature, dryRun } = body;
      if (signature !== undefined) throw invalidField('/signature', "is for the installation's sets");
      countCheck(key);
      const own = await ownOf(key, digest);
      if (own === undefined)
        throw new ApiError(
          'E4001',
          'This set has no policies of the organisation; DELETE /v1/policies withdraws them.',
        );
      const base = await baseOf(key.organisationId);
      const [misfit] = fitOwnPolicies(own, base.declarations).misfits;
      if (misfit !== undefined)
        throw new ApiError(
          'E2001',
          `The policy ${misfit.policy} no longer fits the installation's policies: ${misfit.message}.`,
          { status: 422 },
        );
      const change = { own, source: 'rollback', reason, expectedDigest, dryRun, warnings: [] } as const;
      return carryOut({ key, commit }, () => textOf(base), change);
    },
    async compare(key, { before, after }) {
      assertOwnAdmin(key);
      const base = textOf(await baseOf(key.organisationId));
      const [old, now] = [await ownOf(key, before), await ownOf(key, after)];
      return comparer.compareTexts(textOn(base, old), textOn(base, now));
    },
  };

  /** The set below the own policies of an organisation: the installation's, or a staged one. */
  async function baseOf(organisationId: string): ReturnType<ActivePolicySet['stored']> {
    const [known] = await readOrganisationSets(db, organisationId);
    const staged = known?.row?.staged_digest ?? null;
    return staged === null ? policies.installation().set : policies.stored(staged);
  }
}

export function organisationPolicyRoutes(deps: PolicyChangeDeps): Route[] {
  const { nowMs, settle } = deps;
  return [
    defineRoute({
      method: 'DELETE',
      path: '/v1/policies',
      operationId: 'withdrawPolicies',
      access: ['admin:*'],
      tag: 'Policies',
      summary: "Withdraw the organisation's own policies",
      description: "The organisation then has the installation's set.",
      request: { body: WithdrawPoliciesRequest },
      responses: { 200: { description: 'The set that is in force now.', schema: PolicyChangeResult } },
      errors: ['E5002', 'E6002'],
      handler: async ({ key, commit, body: { reason, expectedDigest } }) => {
        assertOwnAdmin(key);
        if (isOperatorsKey(key)) throw new ApiError('E5002', "The operator's organisation has no own policies.");
        const { organisationId, keyId: author } = key;
        const reply = await commit(async (sql) => {
          const change = { organisationId, own: null, expectedDigest, author, reason, atMs: nowMs() };
          const changed = await changeOrganisation(sql, await holdInstallation(sql), change);
          return { ...ownReply(changed, { author, reason, findings: [] }), status: 200 };
        });
        await settle();
        return reply;
      },
    }),
  ];
}
