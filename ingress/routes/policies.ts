// Policy sets: read the set in force and earlier ones by digest, and validate files before they are put into the folder.
import type { EntitySql, Sql } from '../../shared/platform/db/database.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { withLexicon } from '../../shared/core/policy/lexicon-files.ts';
import type { Policy } from '../../shared/core/policy/schema.ts';
import { type OrganisationRow, readOrganisationSets } from '../../shared/domain/policy-sets/organisation-sets.ts';
import { concerns, visibleTo } from '../../shared/domain/policy-sets/visible.ts';
import { FOLDER_AUTHOR } from '../../shared/domain/policy-sets/activate.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { knownVerbs } from '../../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon, compileStoredLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import { assertUnbound } from '../../shared/domain/keys/bound.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
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

const READ = 'SELECT canonical, created_at, installation, organisation_id FROM policy_set_text WHERE digest = $1';
const ORGANISATIONS = 'SELECT slug FROM organisation';
/** The shipped set has nearly two megabytes; larger ones are checked by pushing them with `dryRun`. */
const MAX_VALIDATED_BYTES = 4 * 1_048_576;
/** About twenty milliseconds of linting, during which other requests wait. */
const WARNINGS_UP_TO = 100;
/** About a third of a second of linting; without a budget one policy of a megabyte could block much longer. */
const LINT_BUDGET = 5_000_000;

/** Policies apply to all tenants, so only the operator may see them. @throws {ApiError} E1004 */
export function assertOperator(key: AuthenticatedKey): void {
  if (isOperatorsKey(key)) return;
  throw new ApiError(
    'E1004',
    "Policy files need a live admin:* key of the operator's organisation that is bound to no agents.",
  );
}

/** @throws {ApiError} E1004 */
export function assertLiveAdmin(key: AuthenticatedKey): void {
  if (key.environment !== 'live') throw new ApiError('E1004', 'Policies need a live admin:* key.');
  assertUnbound(key, 'see or change policies');
}

/** The members of a set of the installation in the form that the digest covers. */
interface InstallationDocument {
  readonly engine: number;
  readonly lexicon: object;
  readonly policies: Policy[];
}
/** With own policies of an organisation the set of the installation is a member. */
type StoredDocument = InstallationDocument & {
  readonly installation?: InstallationDocument;
  readonly organisation?: object;
};

interface StoredRow {
  readonly canonical: Buffer;
  readonly created_at: Date;
  readonly installation: string | null;
  readonly organisation_id: string | null;
}

/** The organisations whose set is not the installation's, for the operator. */
async function organisationsOf(sql: Sql): Promise<object> {
  const sets = (await readOrganisationSets(sql)).filter(
    ({ row }) => row === undefined || row.active_digest !== null || row.own_digest !== null,
  );
  if (sets.length === 0) return {};
  const organisations = sets.map(({ slug, row }) => ({
    organisation: slug,
    digest: row?.active_digest ?? null,
    hasOwn: (row?.own_digest ?? null) !== null,
    staged: row?.staged_digest ?? null,
    author: row?.author ?? null,
    reason: row?.reason ?? null,
    misfits: misfitsOf(row),
  }));
  return { organisations };
}

// Written by writeOrganisationSet.
const misfitsOf = (row: OrganisationRow | undefined): unknown => (row === undefined ? [] : JSON.parse(row.findings));

/** The own policies of the caller's organisation. */
async function ownOf(sql: Sql, { organisationId }: AuthenticatedKey, { own }: PolicySet): Promise<object> {
  if (own === undefined) return {};
  const [{ row } = { row: undefined }] = await readOrganisationSets(sql, organisationId);
  const about = { author: row?.author ?? null, reason: row?.reason ?? null, misfits: misfitsOf(row) };
  return { own: { policies: own.policies.map(({ id }) => id), ...about } };
}

export interface PolicyDeps {
  readonly db: EntitySql;
  readonly policies: ActivePolicySet;
}

export function policyRoutes({ db, policies }: PolicyDeps): Route[] {
  // The canonical text of an admitted set.
  const canonicalOf = (text: string): StoredDocument => JSON.parse(text) as StoredDocument;

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
      handler: async ({ key }) => {
        assertLiveAdmin(key);
        const { set, activatedAt } = await policies.current(key.organisationId);
        const { readAt, readOk, findings, inForce, folderDigest } = policies.status();
        const seen = isOperatorsKey(key)
          ? { policies: set.policies, ...(await organisationsOf(db)) }
          : {
              policies: set.policies.filter((one) => concerns(one, key.organisationSlug)),
              ...(await ownOf(db, key, set)),
            };
        const body = {
          digest: set.digest,
          activatedAt: activatedAt.toISOString(),
          author: inForce?.author ?? FOLDER_AUTHOR,
          reason: inForce?.reason ?? null,
          source: inForce?.source ?? 'folder',
          ...(set.attributes === undefined ? {} : { attributes: set.attributes }),
          ...seen,
          ...(set.resources.length === 0 ? {} : { resources: set.resources }),
          ...(set.declarations.terms.file === undefined ? {} : { terms: set.declarations.terms.file }),
          ...(set.catalogues.length === 0 ? {} : { tools: set.catalogues }),
          folder: { digest: folderDigest ?? null, isFollowed: (inForce?.source ?? 'folder') === 'folder' },
          // Findings quote the operator's files.
          lastRead: { at: readAt?.toISOString() ?? null, ok: readOk, findings: isOperatorsKey(key) ? findings : [] },
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
      description: 'An organisation reads the sets of the installation and its own; the operator reads all.',
      request: { params: PolicyDigestParams },
      responses: { 200: { description: 'The set, as it was digested.', schema: StoredPolicySet } },
      errors: ['E4001'],
      handler: async ({ key, params }) => {
        assertLiveAdmin(key);
        const [row] = await db.query<StoredRow>(READ, [params.digest]);
        const isOther = row?.organisation_id !== null && row?.organisation_id !== key.organisationId;
        if (row === undefined || (isOther && !isOperatorsKey(key)))
          throw new ApiError('E4001', 'There is no policy set with this digest.');
        const document = canonicalOf(row.canonical.toString('utf8'));
        const { installation = document, organisation } = document;
        return {
          status: 200,
          body: {
            digest: params.digest,
            createdAt: row.created_at.toISOString(),
            ...(isOperatorsKey(key) ? installation : visibleTo(installation, key.organisationSlug)),
            ...(organisation && { organisation, installationDigest: row.installation }),
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
      request: { body: ValidatePoliciesRequest, upTo: MAX_VALIDATED_BYTES },
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
        const inForce = (): string => JSON.stringify(canonicalOf(policies.installation().set.canonical).lexicon);
        const { isInForce, ...texts } = withLexicon(body.files, inForce);
        const compile = isInForce ? compileStoredLexicon : compileLexicon;
        const { set, errors, warnings } = admitPolicySet(
          { ...texts, organisations },
          { compileLexicon: compile, verbsOf: knownVerbs, warningsUpTo: WARNINGS_UP_TO, lintBudget: LINT_BUDGET },
        );
        return {
          status: 200,
          body: { valid: set !== undefined, digest: set?.digest ?? null, findings: [...errors, ...warnings] },
        };
      },
    }),
  ];
}
