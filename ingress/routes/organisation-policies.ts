// Policies of single organisations: own policies that an organisation pushes, and sets that the operator stages for some.
import type { Static } from 'typebox';
import {
  DropStageRequest,
  PolicyChangeResult,
  PolicyDigestParams,
  PromotePoliciesRequest,
  PushPoliciesRequest,
  WithdrawPoliciesRequest,
} from '../../shared/api/policy-set.ts';
import { knownVerbs } from '../../shared/core/intent/lexicon/known-verbs.ts';
import { admitOwnPolicies } from '../../shared/core/policy/own/admit.ts';
import type { Finding } from '../../shared/core/policy/types.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { holdPolicyState, storePolicySet } from '../../shared/domain/policy-sets/activate.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { changePolicySet } from '../../shared/domain/policy-sets/change.ts';
import type { ChangeRules } from '../../shared/domain/policy-sets/change-rules.ts';
import {
  type ChangedOrganisation,
  changeOrganisation,
  dropStage,
  stageSet,
} from '../../shared/domain/policy-sets/organisation-change.ts';
import { readOrganisationSets } from '../../shared/domain/policy-sets/organisation-sets.ts';
import { canonicalOf } from '../../shared/domain/policy-sets/stored-sets.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import { changedFields } from '../../shared/kernel/recorded-change.ts';
import type { Database, EntitySql } from '../../shared/platform/db/database.ts';
import { findingErrors, pathFindings, type PushedSet } from '../pushed-set.ts';
import { parseBody } from '../request/read.ts';
import { createCompiler } from '../request/schema.ts';
import { compileBody } from '../request/validate.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../route.ts';
import { assertOperator } from './policies.ts';

export interface OrganisationPolicyDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly policies: ActivePolicySet;
  readonly changeRules: ChangeRules;
  /** Waits until this process has seen its own change. */
  readonly settle: () => Promise<void>;
}

type Committing = Pick<RequestContext<unknown, unknown, unknown>, 'commit'>;

/** A push of own policies is checked in this thread: about a tenth of a second at most. */
const LINT_BUDGET = 2_000_000;
/** Own policies have at most 128 kB, and JSON escapes may double the text of the files. */
const MAX_OWN_BYTES = 1_048_576;

/** @throws {ApiError} E1004 */
export function assertOwnAdmin(key: AuthenticatedKey): void {
  if (key.environment === 'live') return;
  throw new ApiError('E1004', "An organisation's own policies need a live admin:* key.");
}

function assertReason(reason: string): void {
  if (reason.trim() === '') throw invalidField('/reason', 'must not be blank');
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
    findings,
  }: { readonly author: string; readonly reason: string; readonly findings: readonly Finding[] },
): Reply {
  const isSame = digest === previousDigest;
  const status = isSame ? 'unchanged' : 'activated';
  const about = { author, reason, source: 'push', signer: null };
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

export interface OrganisationPushes {
  /** POST /v1/policies by an organisation: the files are all of its own policies. @throws {ApiError} E1004, E2001, E2005, E5002, E3001 */
  pushOwn(request: Committing & { readonly key: AuthenticatedKey; readonly body: Uint8Array }): Promise<Reply>;
  /** POST /v1/policies with `stage`. @throws {ApiError} E2001, E5002 */
  stage(request: Committing & { readonly key: AuthenticatedKey }, pushed: PushedSet): Promise<Reply>;
}

export function createOrganisationPushes(deps: OrganisationPolicyDeps): OrganisationPushes {
  const { db, nowMs, policies, changeRules, settle } = deps;
  const bodies = compileBody(createCompiler(), PushPoliciesRequest);

  const bodyOf = (bytes: Uint8Array): Static<typeof PushPoliciesRequest> => {
    if (bytes.byteLength > MAX_OWN_BYTES)
      throw new ApiError('E2005', 'The own policies of an organisation are sent in a body of at most 1 MB.');
    const { value, errors } = bodies.check(parseBody(Buffer.from(bytes)), bytes.byteLength);
    const [first] = errors;
    if (first !== undefined) throw invalidField(first.pointer, first.message);
    // The schema has checked it.
    return value as Static<typeof PushPoliciesRequest>;
  };

  return {
    async pushOwn({ key, body, commit }) {
      assertOwnAdmin(key);
      const { files, reason, expectedDigest, signature, stage } = bodyOf(body);
      assertReason(reason);
      if (stage !== undefined) throw invalidField('/stage', "is for the installation's sets");
      if (signature !== undefined) throw invalidField('/signature', "is for the installation's sets");
      const base = await baseOf(key.organisationId);
      const slug = key.organisationSlug;
      const refused = pathFindings(files);
      const verbs = knownVerbs(base.lexicon.forOrganisation(slug));
      const admitted =
        refused.length > 0
          ? { own: undefined, errors: refused, warnings: [] }
          : admitOwnPolicies(files, { installation: base, slug, verbs, lintBudget: LINT_BUDGET });
      const { own, errors, warnings } = admitted;
      if (own === undefined) {
        const shown = findingErrors(files, errors);
        throw new ApiError('E2001', `The policies were not put into force: ${shown[0]?.message ?? 'there are none'}.`, {
          status: 422,
          errors: shown,
        });
      }
      const reply = await commit(async (sql) => {
        const { organisationId, keyId: author } = key;
        const change = { organisationId, own, expectedDigest, author, reason, atMs: nowMs() };
        const changed = await changeOrganisation(sql, await holdInstallation(sql), change);
        return ownReply(changed, { author, reason, findings: [...warnings, ...misfitFindings(changed)] });
      });
      await settle();
      return reply;
    },
    async stage({ key, commit }, { set: { digest, canonical }, stage, reason, expectedDigest, warnings }) {
      if (stage === undefined) throw invalidField('/stage', 'is missing');
      assertStageable(changeRules);
      const reply = await commit(async (sql) => {
        const atMs = nowMs();
        const installation = await holdInstallation(sql);
        if (expectedDigest !== undefined && expectedDigest !== installation)
          throw new ApiError('E5002', `The set ${expectedDigest} is not in force; ${installation} is.`);
        await storePolicySet(sql, { digest, canonical, atMs });
        const by = { author: key.keyId, reason, atMs };
        const staged = await stageSet(sql, installation, { digest, organisations: stage.organisations, ...by });
        const about = { previousDigest: installation, organisations: staged, author: key.keyId, reason };
        return stageReply({ status: 'staged', digest, ...about, findings: warnings });
      });
      await settle();
      return reply;
    },
  };

  /** The set below the own policies of an organisation: the installation's, or a staged one. */
  async function baseOf(organisationId: string): ReturnType<ActivePolicySet['stored']> {
    const [known] = await readOrganisationSets(db, organisationId);
    const staged = known?.row?.staged_digest ?? null;
    return staged === null ? policies.installation().set : policies.stored(staged);
  }
}

/** A stage has no second person and no signature: it would be a way around both. @throws {ApiError} E5002 */
function assertStageable({ needsApproval, signers }: ChangeRules): void {
  if (needsApproval || signers !== undefined)
    throw new ApiError(
      'E5002',
      'Sets can not be staged for organisations where a change of policies needs an approval or a signature.',
    );
}

interface Staged {
  readonly status: 'activated' | 'unchanged' | 'staged' | 'dropped';
  readonly digest: string;
  /** The set in force for all before. */
  readonly previousDigest: string;
  readonly organisations: readonly string[];
  readonly author: string;
  readonly reason: string;
  readonly findings?: readonly Finding[];
}

const STATUS = { activated: 201, unchanged: 200, staged: 201, dropped: 200 } as const;

function stageReply({ status, digest, previousDigest, organisations, author, reason, findings = [] }: Staged): Reply {
  const about = { author, reason, source: 'stage', signer: null };
  return {
    status: STATUS[status],
    body: { status, digest, previousDigest, organisations, ...about, findings },
    change: {
      subject: 'policy_set',
      id: digest,
      fields: changedFields({}, { [status]: organisations.length === 0 ? 'all' : organisations }),
      reason,
    },
  };
}

export function organisationPolicyRoutes(deps: OrganisationPolicyDeps): Route[] {
  const { db, nowMs, changeRules, settle } = deps;
  return [
    defineRoute({
      method: 'DELETE',
      path: '/v1/policies',
      operationId: 'withdrawPolicies',
      access: ['admin:*'],
      tag: 'Policies',
      summary: "Withdraw the organisation's own policies",
      description: "From then on the installation's set is in force for the organisation, without additions.",
      request: { body: WithdrawPoliciesRequest },
      responses: { 200: { description: 'The set that is in force now.', schema: PolicyChangeResult } },
      errors: ['E5002', 'E6002'],
      handler: async ({ key, body: { reason, expectedDigest } }) => {
        if (key.isOperator) throw new ApiError('E5002', "The operator's organisation has no own policies.");
        assertOwnAdmin(key);
        assertReason(reason);
        const { organisationId, keyId: author } = key;
        const changed = await db.transaction(async (sql) => {
          const change = { organisationId, own: null, expectedDigest, author, reason, atMs: nowMs() };
          return changeOrganisation(sql, await holdInstallation(sql), change);
        });
        await settle();
        return { ...ownReply(changed, { author, reason, findings: [] }), status: 200 };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/policies/promote',
      operationId: 'promotePolicies',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'Put a staged set into force for all organisations',
      description: 'As a push of the same set. It is no longer staged then.',
      request: { body: PromotePoliciesRequest },
      responses: {
        200: { description: 'The set was in force already.', schema: PolicyChangeResult },
        201: { description: 'The set is in force for all.', schema: PolicyChangeResult },
      },
      errors: ['E4001', 'E5002', 'E6002'],
      idempotent: true,
      handler: async ({ key, body: { digest, reason, expectedDigest }, commit }) => {
        assertOperator(key);
        assertReason(reason);
        assertStageable(changeRules);
        if ((await canonicalOf(db, digest)) === undefined)
          throw new ApiError('E4001', 'There is no policy set with this digest.');
        const reply = await commit(async (sql) => {
          const change = { digest, author: key.keyId, reason, source: 'push' as const, expectedDigest };
          const previousDigest = await holdInstallation(sql);
          const { kind } = await changePolicySet(sql, change, changeRules, nowMs());
          const status = kind === 'unchanged' ? kind : 'activated';
          return stageReply({ status, digest, previousDigest, organisations: [], author: key.keyId, reason });
        });
        await settle();
        return reply;
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/policies/stages/{digest}',
      operationId: 'dropPolicyStage',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'Drop a stage: its organisations get the set that is in force for all',
      description: 'The set stays stored, and can be staged or promoted again.',
      request: { params: PolicyDigestParams, body: DropStageRequest },
      responses: { 200: { description: 'The organisations that had it.', schema: PolicyChangeResult } },
      errors: ['E4001', 'E6002'],
      handler: async ({ key, params: { digest }, body: { reason } }) => {
        assertOperator(key);
        assertReason(reason);
        const author = key.keyId;
        const reply = await db.transaction(async (sql) => {
          const previousDigest = await holdInstallation(sql);
          const organisations = await dropStage(sql, previousDigest, { digest, author, reason, atMs: nowMs() });
          if (organisations.length === 0) throw new ApiError('E4001', 'This set is not staged.');
          return stageReply({ status: 'dropped', digest, previousDigest, organisations, author, reason });
        });
        await settle();
        return reply;
      },
    }),
  ];
}
