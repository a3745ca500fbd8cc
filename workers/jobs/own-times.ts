// The times of organisations as values of one statement over the rows of all.
import type { KeptTimes, RetentionKind } from '../../shared/domain/retention/times.ts';

/** SQL: a row for each organisation and environment with a time of its own; kept_ms may be Infinity. The statement's first three values. */
export const OWN_TIMES =
  '(SELECT * FROM unnest($1::text[], $2::text[], $3::float8[]) AS own (organisation_id, environment, kept_ms))';

export interface OwnTimes {
  readonly values: readonly [readonly string[], readonly string[], readonly number[]];
  /** For all others; Infinity: for ever. */
  readonly installation: number;
  readonly shortest: number;
}

export function ownTimes(times: KeptTimes, kind: RetentionKind): OwnTimes {
  const owned = times.owned(kind);
  const installation = times.ofAll(kind);
  const ms = owned.map((own) => own.ms);
  return {
    values: [owned.map((own) => own.organisationId), owned.map((own) => own.environment), ms],
    installation,
    shortest: Math.min(installation, ...ms),
  };
}
