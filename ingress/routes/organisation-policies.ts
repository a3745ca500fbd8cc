// Own policies of an organisation over HTTP: pushed and withdrawn by its admins, on top of the installation's set.
import type { Static } from 'typebox';
import { PolicyChangeResult, PushPoliciesRequest, WithdrawPoliciesRequest } from '../../shared/api/policy-set.ts';
import { knownVerbs } from '../../shared/core/intent/lexicon/known-verbs.ts';
import { admitOwnPolicies } from '../../shared/core/policy/own/admit.ts';
import type { Finding } from '../../shared/core/policy/types.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { holdPolicyState } from '../../shared/domain/policy-sets/activate.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { type ChangedOrganisation, changeOrganisation } from '../../shared/domain/policy-sets/organisation-change.ts';
import { readOrganisationSets } from '../../shared/domain/policy-sets/organisation-sets.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import { changedFields } from '../../shared/kernel/recorded-change.ts';
import type { EntitySql } from '../../shared/platform/db/database.ts';
import { findingErrors, pathFindings } from '../pushed-set.ts';
import { parseBody } from '../request/read.ts';
import { createCompiler } from '../request/schema.ts';
import { compileBody } from '../request/validate.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../route.ts';
import { assertReason, type PolicyChangeDeps } from './policy-change-reply.ts';

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
}

export function createOrganisationPushes(deps: PolicyChangeDeps): OrganisationPushes {
  const { db, nowMs, policies, settle } = deps;
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
  };

  /** The set below the own policies of an organisation: the installation's, or a staged one. */
  async function baseOf(organisationId: string): ReturnType<ActivePolicySet['stored']> {
    const [known] = await readOrganisationSets(db, organisationId);
    const staged = known?.row?.staged_digest ?? null;
    return staged === null ? policies.installation().set : policies.stored(staged);
  }
}

export function organisationPolicyRoutes(deps: PolicyChangeDeps): Route[] {
  const { db, nowMs, settle } = deps;
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
  ];
}
