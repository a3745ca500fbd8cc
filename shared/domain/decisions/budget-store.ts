// Counts of budgets in PostgreSQL: locked in one order, read, charged in the transaction that stores the decisions, and given back.
import { createHash } from 'node:crypto';
import {
  type BudgetTimes,
  type Buckets,
  charge,
  emptyAtMs,
  giveBack,
  usedAt,
} from '../../core/decision/budget-window.ts';
import type { BudgetCharge, Facts } from '../../core/policy/types.ts';
import { budgetFact } from '../../core/policy/budget.ts';
import type { BudgetScope } from '../../core/policy/budget-limits.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { columnMap, fixedBytes, hex, numeric, text, timeMs } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';
import {
  BUDGET_CHARGE,
  BUDGET_USE,
  type BudgetChargeRow,
  type BudgetUseRow,
  chargeSeal,
  isChargeGenuine,
  isUseGenuine,
  useSeal,
} from '../../platform/db/seals/budgets.ts';
import type { Seals } from '../../platform/db/seals/seals.ts';
import type { EvaluatedQuestion } from './approval-naming.ts';

/** A count: a budget, and what of it has a count of its own. */
interface CountKey {
  readonly organisationId: string;
  readonly environment: string;
  readonly name: string;
  /** JCS */
  readonly countedFor: string;
  /** Of countedFor, hex. */
  readonly digest: string;
  readonly windowMs: number;
  readonly limit: number;
}

const idOf = ({ organisationId, environment, name, digest }: Omit<CountKey, 'countedFor' | 'windowMs' | 'limit'>) =>
  `${environment} ${name} ${digest} ${organisationId}`;

const KEYS = columnMap<CountKey>({
  organisation_id: text((r) => r.organisationId),
  environment: text((r) => r.environment),
  name: text((r) => r.name),
  counted_for: text((r) => r.countedFor),
  counted_for_digest: hex((r) => r.digest),
  window_ms: numeric('bigint', (r) => r.windowMs),
  limit_amount: numeric('bigint', (r) => r.limit),
});

/** Sorted: two statements that insert the same counts must take them in one order. */
const CREATE = `WITH given AS (${KEYS.rows()}), made AS (
      ${KEYS.insertInto('budget_use', 'given ORDER BY organisation_id, environment, name, counted_for_digest', {
        expires_at: "now() + window_ms * interval '1 millisecond'",
      })}
      ON CONFLICT DO NOTHING RETURNING id, organisation_id, environment, name, counted_for_digest
    )
    SELECT id, organisation_id, environment, name, encode(counted_for_digest, 'hex') AS digest FROM (
      SELECT * FROM made UNION ALL
      SELECT u.id, u.organisation_id, u.environment, u.name, u.counted_for_digest FROM budget_use u
        JOIN given USING (organisation_id, environment, name, counted_for_digest)
    ) AS known`;
interface KnownRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly environment: string;
  readonly name: string;
  readonly digest: string;
}

/** A count, and the database's time, which is one for all processes. */
const COUNT = `u.id, ${BUDGET_USE}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms`;
/** In the order of their ids, so that no two transactions wait for each other's counts. */
const LOCK = `SELECT ${COUNT} FROM budget_use u WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`;
const PEEK = `SELECT ${COUNT}
    FROM budget_use u JOIN (${KEYS.rows()}) AS given USING (organisation_id, environment, name, counted_for_digest)`;
interface CountRow extends BudgetUseRow, KnownRow {
  readonly count_seal: Buffer | null;
  readonly now_ms: string;
}

/** A count as it was read. */
interface Count {
  readonly row: CountRow;
  readonly buckets: Buckets;
  /** False: somebody else has written it, so that it leaves no room. */
  readonly isGenuine: boolean;
}

const keyOfRow = ({ organisation_id: organisationId, environment, name, digest }: KnownRow): string =>
  idOf({ organisationId, environment, name, digest });

function countOf(seals: Seals, row: CountRow): Count {
  const isGenuine = isUseGenuine(seals, row);
  if (!isGenuine) seals.refuse('budget_use', keyOfRow(row));
  return { row, buckets: bucketsOf(row.buckets), isGenuine };
}

const pairs = (buckets: Buckets): number[] => buckets.flatMap(({ endsAtMs, amount }) => [endsAtMs, amount]);

/** The seal of a count's next version. */
const nextSeal = (seals: Seals, { row }: Count, windowMs: number, buckets: Buckets): Buffer =>
  useSeal(seals, { ...row, version: row.version + 1, window_ms: windowMs, buckets: pairs(buckets) });

interface UseRow extends Pick<CountKey, 'windowMs' | 'limit'> {
  readonly count: Count;
  readonly buckets: Buckets;
  readonly nowMs: number;
  readonly seal: Buffer;
}
const USES = columnMap<UseRow>({
  id: numeric('bigint', (r) => r.count.row.id),
  version: numeric('bigint', (r) => r.count.row.version + 1),
  count_seal: fixedBytes(32, (r) => r.seal),
  buckets: text((r) => `{${pairs(r.buckets).join(',')}}`, 'bigint[]'),
  used: numeric('bigint', (r) => usedAt(r.buckets, r.windowMs, r.nowMs)),
  window_ms: numeric('bigint', (r) => r.windowMs),
  limit_amount: numeric('bigint', (r) => r.limit),
  expires_at: timeMs((r) => emptyAtMs(r.buckets, r.windowMs)),
});
interface ChargeRow extends BudgetChargeRow {
  readonly seal: Buffer;
}
const CHARGES = columnMap<ChargeRow>({
  decision_id: text((r) => r.decision_id),
  budget_use_id: numeric('bigint', (r) => r.budget_use_id),
  amount: numeric('bigint', (r) => r.amount),
  ends_at_ms: numeric('bigint', (r) => r.ends_at_ms),
  expires_at: timeMs((r) => r.expires_ms),
  charge_seal: fixedBytes(32, (r) => r.seal),
});
/** A count is kept for as long as it ever had to be. */
const WRITE = `WITH charged AS (${CHARGES.insertInto('budget_charge', `(${CHARGES.rows()}) AS given`)})
    UPDATE budget_use u SET version = g.version, count_seal = g.count_seal, buckets = g.buckets, used = g.used, window_ms = g.window_ms,
      limit_amount = g.limit_amount, expires_at = greatest(u.expires_at, g.expires_at)
    FROM (${USES.rows(CHARGES.size + 1)}) AS g WHERE u.id = g.id`;

/** A count was deleted after it was looked up, because nothing in it counted any more; another attempt creates it again. */
export class CountGone extends Error {}

/** The counts of some questions, in a transaction that holds their locks. */
export interface Counting {
  /** The facts of these charges of a question. */
  factsOf(item: EvaluatedQuestion, charges: readonly BudgetCharge[]): NonNullable<Facts['budgets']>;
  /** Counts a permission; stored by `write`. */
  charge(item: EvaluatedQuestion, decisionId: string, charges: readonly BudgetCharge[]): void;
  write(sql: Sql): Promise<void>;
}

export interface BudgetStore {
  /** Creates the counts of these questions that do not exist: outside of transactions, so that it waits for none. @throws {ApiError} E6002 */
  ensure(sql: Sql, items: readonly EvaluatedQuestion[]): Promise<void>;
  /** @throws {CountGone} when a count of `ensure` was deleted meanwhile */
  lock(sql: Sql, items: readonly EvaluatedQuestion[]): Promise<Counting>;
  /** The same without locks, for answers that are not stored. */
  peek(sql: Sql, items: readonly EvaluatedQuestion[]): Promise<Counting>;
}

const SCOPES: Readonly<Record<BudgetScope, (item: EvaluatedQuestion) => unknown>> = {
  agent: ({ question }) => question.agentId,
  // A rotated key goes on with the same count.
  key: ({ question }) => question.key.lineage,
  organisation: ({ question }) => question.key.organisationSlug,
  action: ({ answer }) => answer.facts.intent.action,
  resource: ({ answer }) => answer.facts.intent.resource,
  tool: ({ answer: { facts } }) => [facts.tool?.server ?? null, facts.tool?.name ?? null],
};

function keyOf(item: EvaluatedQuestion, { name, per, windowMs, limit }: BudgetCharge): CountKey {
  const { organisationId, environment } = item.question.key;
  const countedFor = canonicalize(Object.fromEntries(per.map((scope) => [scope, SCOPES[scope](item)])));
  const digest = createHash('sha256').update(countedFor).digest('hex');
  return { organisationId, environment, name, countedFor, digest, windowMs, limit };
}

export const bucketsOf = (flat: readonly (string | number)[]): Buckets =>
  Array.from({ length: flat.length / 2 }, (_, i) => ({
    endsAtMs: Number(flat[2 * i]),
    amount: Number(flat[2 * i + 1]),
  }));

/** Ids of counts that are in memory. */
const MAX_KNOWN = 20_000;
/** A count that another transaction inserts at the same time is seen at the second attempt. */
const ATTEMPTS = 5;

/** @param deletionMs the time by which what was counted may be old (platform/db/clock.ts) */
export function createBudgetStore(deletionMs: () => number): BudgetStore {
  const ids = new BoundedCache<string>({ max: MAX_KNOWN });

  const keysOf = (items: readonly EvaluatedQuestion[]): Map<string, CountKey> =>
    new Map(
      items.flatMap((item) =>
        (item.answer.evaluation.charges ?? []).map((one) => {
          const key = keyOf(item, one);
          return [idOf(key), key] as const;
        }),
      ),
    );

  const countingFor = ({ seals }: Sql, rows: readonly CountRow[]): Counting =>
    countingOf(
      seals,
      rows.map((row) => countOf(seals, row)),
      { nowMs: Number(rows[0]?.now_ms ?? 0), oldMs: deletionMs() },
    );

  return {
    async ensure(sql, items) {
      const keys = keysOf(items);
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const missing = [...keys].filter(([key]) => ids.get(key) === undefined).map(([, key]) => key);
        if (missing.length === 0) return;
        for (const row of await sql.query<KnownRow>(CREATE, KEYS.values(missing))) {
          const { id, organisation_id: organisationId, environment, name, digest } = row;
          ids.set(idOf({ organisationId, environment, name, digest }), id);
        }
      }
      throw new Error('a count of a budget could not be created');
    },
    async lock(sql, items) {
      const known = new Map([...keysOf(items).keys()].map((key) => [ids.get(key) ?? '', key]));
      const rows = known.has('') ? [] : await sql.query<CountRow>(LOCK, [[...known.keys()]]);
      if (rows.length < known.size) {
        for (const key of known.values()) ids.delete(key);
        throw new CountGone('a count of a budget was deleted');
      }
      return countingFor(sql, rows);
    },
    async peek(sql, items) {
      const keys = [...keysOf(items).values()];
      return countingFor(sql, keys.length === 0 ? [] : await sql.query<CountRow>(PEEK, KEYS.values(keys)));
    },
  };
}

function countingOf(seals: Seals, counts: readonly Count[], { nowMs, oldMs }: BudgetTimes): Counting {
  const byKey = new Map(counts.map((count) => [keyOfRow(count.row), count]));
  const uses = new Map<Count, UseRow>();
  const charged: ChargeRow[] = [];
  const countedBy = (item: EvaluatedQuestion, one: BudgetCharge): Count | undefined =>
    byKey.get(idOf(keyOf(item, one)));
  const bucketsNow = (count: Count): Buckets => uses.get(count)?.buckets ?? count.buckets;
  return {
    factsOf: (item, charges) =>
      Object.fromEntries(
        charges.map((one) => {
          const count = countedBy(item, one);
          if (count?.isGenuine === false) return [one.name, budgetFact(one, one.limit)];
          return [one.name, budgetFact(one, usedAt(count === undefined ? [] : bucketsNow(count), one.windowMs, nowMs))];
        }),
      ),
    charge(item, decisionId, charges) {
      for (const one of charges) {
        const { amount, windowMs, limit } = one;
        const count = countedBy(item, one);
        if (count === undefined) throw new Error('a budget is charged without its lock');
        if (amount === 0) continue;
        if (!count.isGenuine) throw new Error('a budget that somebody else has written is charged');
        const { buckets, endsAtMs } = charge(bucketsNow(count), { amount, windowMs, nowMs, oldMs });
        uses.set(count, { count, buckets, windowMs, limit, nowMs, seal: nextSeal(seals, count, windowMs, buckets) });
        const made = {
          decision_id: decisionId,
          budget_use_id: count.row.id,
          amount,
          ends_at_ms: endsAtMs,
          expires_ms: endsAtMs + windowMs,
        };
        charged.push({ ...made, seal: chargeSeal(seals, made) });
      }
    },
    async write(sql) {
      if (charged.length === 0) return;
      await sql.query(WRITE, [...CHARGES.values(charged), ...USES.values([...uses.values()])]);
    },
  };
}

const TAKE_CHARGES = `UPDATE budget_charge SET given_back = true WHERE decision_id = $1 AND NOT given_back RETURNING ${BUDGET_CHARGE}`;
const GIVE_BACK = `UPDATE budget_use SET version = version + 1, count_seal = $2, buckets = $3::bigint[], used = $4 WHERE id = $1`;
interface TakenRow extends BudgetChargeRow {
  readonly charge_seal: Buffer | null;
}

/** Gives back what a decision has charged, once: its charges are marked in the same transaction. */
export async function giveBackCharges(sql: Sql, decisionId: string): Promise<void> {
  const { seals } = sql;
  const taken = (await sql.query<TakenRow>(TAKE_CHARGES, [decisionId])).filter((row) => {
    const isGenuine = isChargeGenuine(seals, row);
    if (!isGenuine) seals.refuse('budget_charge', `${decisionId} ${row.budget_use_id}`);
    return isGenuine;
  });
  if (taken.length === 0) return;
  for (const row of await sql.query<CountRow>(LOCK, [taken.map((one) => one.budget_use_id)])) {
    const count = countOf(seals, row);
    if (!count.isGenuine) continue;
    const windowMs = row.window_ms;
    // After its window was shortened, a bucket with the end of an earlier one may be another, with charges of others.
    const own = taken.filter((one) => one.budget_use_id === row.id && one.expires_ms - one.ends_at_ms <= windowMs);
    const after = own.reduce<Buckets>(
      (before, one) => giveBack(before, { amount: one.amount, endsAtMs: one.ends_at_ms }),
      count.buckets,
    );
    const used = usedAt(after, windowMs, Number(row.now_ms));
    await sql.query(GIVE_BACK, [row.id, nextSeal(seals, count, windowMs, after), pairs(after), used]);
  }
}
