// The history of policy sets: who put which set into force, for whom, when and why.
import type { Sql } from '../../platform/db/database.ts';
import { HIGHEST_SEQ } from '../../platform/db/plans.ts';
import { genuinePage, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import { type ActivationSource, FOLDER_AUTHOR } from './activate.ts';

/** A row with a genuine seal, and the slug of its organisation; null: it is for the whole installation. */
export type StoredActivation = SealedRow<'policy_activation'> & { readonly slug: string | null };

/** Each part is a range scan in the order of the list: the sets of other organisations are not read. */
const partOf = (condition: string): string =>
  `(SELECT * FROM policy_activation WHERE seq < $1 AND ${condition} ORDER BY seq DESC LIMIT $2)`;
const pageOf = (parts: string): string => `SELECT organisation.slug, ${sealedColumns('policy_activation', 'a')}
    FROM (${parts}) AS a LEFT JOIN organisation ON organisation.id = a.organisation_id ORDER BY a.seq DESC LIMIT $2`;
const PAGE = pageOf(partOf('true'));
const PAGE_OF_ONE = pageOf(`${partOf('organisation_id IS NULL')} UNION ALL ${partOf('organisation_id = $3')}`);

/**
 * Newest first.
 * @param before the `seq` of the last row of the page before
 * @param organisationId the installation's and this organisation's alone; absent: all
 */
export function listActivations(
  sql: Sql,
  {
    before,
    organisationId,
    limit,
  }: { readonly before?: string; readonly organisationId?: string; readonly limit: number },
): Promise<StoredActivation[]> {
  return genuinePage<StoredActivation>(sql, 'policy_activation', limit, (last) =>
    organisationId === undefined
      ? sql.query(PAGE, [last?.seq ?? before ?? HIGHEST_SEQ, limit])
      : sql.query(PAGE_OF_ONE, [last?.seq ?? before ?? HIGHEST_SEQ, limit, organisationId]),
  );
}

export function activationView(row: StoredActivation) {
  return {
    activatedAt: row.activated_at.toISOString(),
    digest: row.digest,
    previousDigest: row.previous_digest,
    organisation: row.slug,
    author: row.author ?? FOLDER_AUTHOR,
    reason: row.reason,
    // Written by activatePolicySet and changeOrganisation alone.
    source: (row.source ?? 'folder') as ActivationSource,
    approver: row.approver,
    signer: row.signer,
  };
}
