// The times of organisations as values of one statement over the rows of all.
import type { KeptTimes, RetentionKind } from '../../shared/domain/retention/times.ts';
import type { Owner } from '../../shared/kernel/owner.ts';
import { columnMap, numeric, text } from '../../shared/platform/db/columns.ts';

interface OwnTime extends Owner {
  readonly ms: number;
}

const COLUMNS = columnMap<OwnTime>({
  organisation_id: text((own) => own.organisationId),
  environment: text((own) => own.environment),
  kept_ms: numeric('float8', (own) => own.ms),
});

/** SQL: a row for each organisation and environment with a time of its own; kept_ms may be Infinity. The statement's first three values. */
export const OWN_TIMES = `(${COLUMNS.rows()})`;

export interface OwnTimes {
  readonly values: readonly unknown[];
  /** For all others; Infinity: for ever. */
  readonly installation: number;
  readonly shortest: number;
}

export function ownTimes(times: KeptTimes, kind: RetentionKind): OwnTimes {
  const owned = times.owned(kind);
  const installation = times.ofAll(kind);
  return {
    values: COLUMNS.values(owned),
    installation,
    shortest: Math.min(installation, ...owned.map(({ ms }) => ms)),
  };
}
