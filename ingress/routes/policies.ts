// Policy sets: read the set in force and earlier ones by digest, and validate files before they are put into the folder.
import type { Database } from '../../shared/platform/db/database.ts';
import { FOLDER_AUTHOR } from '../../shared/domain/policy-sets/activate.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { knownVerbs } from '../../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { admitPolicySet } from '../../shared/core/policy/admit.ts';
import {
  PolicyDigestParams,
  PolicySetStatus,
  StoredPolicySet,
  ValidatePoliciesRequest,
  ValidatePoliciesResponse,
} from '../../shared/api/policy-set.ts';
import { defineRoute, type Route } from '../route.ts';
import { cacheable } from './caching.ts';

const READ = 'SELECT canonical, created_at FROM policy_set_text WHERE digest = $1';
const ORGANISATIONS = 'SELECT slug FROM organisation';
const LEXICON_FILE = 'lexicon.json';
/** About twenty milliseconds of linting, during which other requests wait. */
const WARNINGS_UP_TO = 100;
/** About a third of a second of linting; without a budget one policy of a megabyte could block much longer. */
const LINT_BUDGET = 5_000_000;

/** Policies apply to all tenants, so only the operator may see them. @throws {ApiError} E1004 */
export function assertOperator(key: AuthenticatedKey): void {
  if (key.isOperator && key.environment === 'live') return;
  throw new ApiError('E1004', "Policy files need a live admin:* key of the operator's organisation.");
}

export interface PolicyDeps {
  readonly db: Database;
  readonly policies: ActivePolicySet;
}

export function policyRoutes({ db, policies }: PolicyDeps): Route[] {
  /** The members of a set in the form that the digest covers. */
  const canonicalOf = (text: string): { engine: number; lexicon: object; policies: object[] } =>
    JSON.parse(text) as { engine: number; lexicon: object; policies: object[] };

  return [
    defineRoute({
      method: 'GET',
      path: '/v1/policies',
      operationId: 'getPolicies',
      access: ['admin:*'],
      cached: true,
      tag: 'Policies',
      summary: 'The policy set in force',
      description: 'With the findings of the last reading of the folder, which may have been refused.',
      responses: {
        200: {
          description: 'The active set, and the result of the last reading of the folder.',
          schema: PolicySetStatus,
        },
      },
      errors: ['E6002'],
      handler: ({ key }) => {
        assertOperator(key);
        const { set, activatedAt } = policies.installation();
        const { readAt, readOk, findings, inForce, folderDigest } = policies.status();
        const body = {
          digest: set.digest,
          activatedAt: activatedAt.toISOString(),
          author: inForce?.author ?? FOLDER_AUTHOR,
          reason: inForce?.reason ?? null,
          source: inForce?.source ?? 'folder',
          ...(set.attributes === undefined ? {} : { attributes: set.attributes }),
          policies: set.policies,
          ...(set.resources.length === 0 ? {} : { resources: set.resources }),
          ...(set.catalogues.length === 0 ? {} : { tools: set.catalogues }),
          folder: { digest: folderDigest ?? null, isFollowed: (inForce?.source ?? 'folder') === 'folder' },
          lastRead: { at: readAt?.toISOString() ?? null, ok: readOk, findings },
        };
        return cacheable({ status: 200, text: JSON.stringify(body) }, 'private, no-cache');
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/policies/{digest}',
      operationId: 'getPolicySet',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'A policy set that is or was in force',
      description: 'Decisions name the set that made them by its digest.',
      request: { params: PolicyDigestParams },
      responses: { 200: { description: 'The set, as it was digested.', schema: StoredPolicySet } },
      errors: ['E4001'],
      handler: async ({ key, params }) => {
        assertOperator(key);
        const [row] = await db.query<{ canonical: Buffer; created_at: Date }>(READ, [params.digest]);
        if (row === undefined) throw new ApiError('E4001', 'There is no policy set with this digest.');
        return {
          status: 200,
          body: {
            digest: params.digest,
            createdAt: row.created_at.toISOString(),
            ...canonicalOf(row.canonical.toString('utf8')),
          },
        };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/policies/validate',
      changesNothing: true,
      operationId: 'validatePolicies',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'Check policy files without putting them into force',
      description: 'The same checks as those of the folder and of `custos policy check`.',
      request: { body: ValidatePoliciesRequest },
      responses: {
        200: {
          description:
            'The digest of a valid set, or what is wrong, with file, line and column. Warnings are looked for in up to 100 files.',
          schema: ValidatePoliciesResponse,
        },
      },
      errors: ['E6002'],
      handler: async ({ key, body }) => {
        assertOperator(key);
        const organisations = (await db.query<{ slug: string }>(ORGANISATIONS, [])).map(({ slug }) => slug);
        const given = body.files.find((file) => file.path === LEXICON_FILE);
        const lexicon = given ?? {
          path: LEXICON_FILE,
          text: JSON.stringify(canonicalOf(policies.installation().set.canonical).lexicon),
        };
        const { set, errors, warnings } = admitPolicySet(
          { policies: body.files.filter((file) => file !== given), lexicon, organisations },
          { compileLexicon, verbsOf: knownVerbs, warningsUpTo: WARNINGS_UP_TO, lintBudget: LINT_BUDGET },
        );
        return {
          status: 200,
          body: { valid: set !== undefined, digest: set?.digest ?? null, findings: [...errors, ...warnings] },
        };
      },
    }),
  ];
}
