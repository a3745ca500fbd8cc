// The staged sets, as the HTTP interface, the dashboard and the command line show them.
import type { Sql } from '../../platform/db/database.ts';
import type { ShadowedDraft } from './reports.ts';
import { readShadowedDrafts } from './shadow-store.ts';
import { readOrganisationSets } from '../policy-sets/organisation-sets.ts';
import { readShares } from '../policy-sets/stages.ts';

export interface StageView {
  readonly digest: string;
  readonly author: string;
  readonly reason: string | null;
  readonly stagedAt: string;
  /** The organisations for which it is in force. */
  readonly organisations: readonly string[];
  /** Null: it is not evaluated in shadow. */
  readonly share: number | null;
  /** The organisations whose decisions are evaluated in shadow; null: all, or none without a share. */
  readonly shareOf: readonly string[] | null;
  /** What the share has shown; null: no decision yet. */
  readonly shadow: ShadowedDraft | null;
}

/** Oldest digest first, so that the order is stable. A set may be in force for some organisations and have a share of the others. */
export async function stageViews(sql: Sql): Promise<StageView[]> {
  const shares = await readShares(sql);
  const inForce = (await readOrganisationSets(sql)).filter(({ row }) => (row?.staged_digest ?? null) !== null);
  const digests = new Set([
    ...shares.map(({ digest }) => digest),
    ...inForce.flatMap(({ row }) => row?.staged_digest ?? []),
  ]);
  const drafts = digests.size === 0 ? [] : await readShadowedDrafts(sql);
  return [...digests].sort().map((digest) => {
    const share = shares.find((one) => one.digest === digest);
    const sets = inForce.filter(({ row }) => row?.staged_digest === digest);
    const row = sets[0]?.row;
    return {
      digest,
      author: share?.author ?? row?.author ?? '',
      reason: share?.reason ?? row?.reason ?? null,
      stagedAt: (share?.stagedAt ?? row?.activated_at ?? new Date(0)).toISOString(),
      organisations: sets.map(({ slug }) => slug),
      share: share?.share ?? null,
      shareOf: share === undefined || share.organisationIds === null ? null : share.slugs,
      shadow: (share && drafts.find((draft) => draft.digest === digest)) ?? null,
    };
  });
}
