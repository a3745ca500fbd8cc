// The seals of the counts of budgets and of their charges (tables budget_use and budget_charge): who can write to the database must not
// make a used-up budget fresh again. Rows from before migration 0059 have none; its triggers let nobody make others.
import type { Seals } from './seals.ts';

/** A count, as its seal covers it. */
export interface BudgetUseRow {
  readonly organisation_id: string;
  readonly environment: string;
  readonly name: string;
  /** Of what has a count of its own, hex. */
  readonly digest: string;
  readonly created_ms: number;
  /** Raised by each change; 0 as it was made. */
  readonly version: number;
  readonly window_ms: number;
  /** Pairs of the end of a bucket and its amount. */
  readonly buckets: readonly (string | number)[];
}

/** These columns of `u` as a SELECT list, with the seal. Numbers are below 2 ** 53, so they fit a float8. */
export const BUDGET_USE = `u.organisation_id, u.environment, u.name, encode(u.counted_for_digest, 'hex') AS digest,
      (extract(epoch FROM u.created_at) * 1000)::float8 AS created_ms, u.version::float8 AS version, u.window_ms::float8 AS window_ms, u.buckets, u.count_seal`;

/** A charge, as its seal covers it. */
export interface BudgetChargeRow {
  readonly decision_id: string;
  readonly budget_use_id: string;
  readonly amount: number;
  readonly ends_at_ms: number;
  readonly expires_ms: number;
}

/** These columns as a SELECT list, with the seal. */
export const BUDGET_CHARGE = `decision_id, budget_use_id, amount::float8 AS amount, ends_at_ms::float8 AS ends_at_ms,
      (extract(epoch FROM expires_at) * 1000)::float8 AS expires_ms, charge_seal`;

const useText = (row: BudgetUseRow): string =>
  JSON.stringify([
    row.organisation_id,
    row.environment,
    row.name,
    row.digest,
    row.created_ms,
    row.version,
    row.window_ms,
    row.buckets.map(Number),
  ]);
const chargeText = (row: BudgetChargeRow): string =>
  JSON.stringify([row.decision_id, row.budget_use_id, row.amount, row.ends_at_ms, row.expires_ms]);

type Sealing = Pick<Seals, 'sealOfText'>;
export const useSeal = (seals: Sealing, row: BudgetUseRow): Buffer => seals.sealOfText('budget-use', useText(row));
export const chargeSeal = (seals: Sealing, row: BudgetChargeRow): Buffer =>
  seals.sealOfText('budget-charge', chargeText(row));

type Checking = Pick<Seals, 'isSealOfText'>;
export const isUseGenuine = (seals: Checking, row: BudgetUseRow & { readonly count_seal: Buffer | null }): boolean =>
  row.count_seal === null ? row.version === 0 : seals.isSealOfText('budget-use', useText(row), row.count_seal);
export const isChargeGenuine = (
  seals: Checking,
  row: BudgetChargeRow & { readonly charge_seal: Buffer | null },
): boolean => row.charge_seal === null || seals.isSealOfText('budget-charge', chargeText(row), row.charge_seal);
