// The history of policy sets: who put which set into force, for whom, when and why.
import type { Sql } from '../../platform/db/database.ts';
import { genuinePage, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import { type ActivationSource, FOLDER_AUTHOR } from './activate.ts';

/** A row with a genuine seal, and the slug of its organisation; null: it is for the whole installation. */
export type StoredActivation = SealedRow<'policy_activation'> & { readonly slug: string | null };

const PAGE = `SELECT organisation.slug, ${sealedColumns('policy_activation', 'a')}
    FROM policy_activation a LEFT JOIN organisation ON organisation.id = a.organisation_id
    WHERE ($1::bigint IS NULL OR a.seq < $1) AND ($2::text IS NULL OR a.organisation_id IS NULL OR a.organisation_id = $2)
    ORDER BY a.seq DESC LIMIT $3`;

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
    sql.query(PAGE, [last?.seq ?? before ?? null, organisationId ?? null, limit]),
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
