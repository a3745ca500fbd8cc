// Counts of budgets in PostgreSQL: locked in one order, read, charged in the transaction that stores the decisions, and given back.
import { createHash } from 'node:crypto';
import { type Bucket, type Buckets, charge, emptyAtMs, giveBack, usedAt } from '../../core/decision/budget-window.ts';
import type { BudgetCharge, Facts } from '../../core/policy/types.ts';
import { budgetFact } from '../../core/policy/budget.ts';
import type { BudgetScope } from '../../core/policy/budget-limits.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { columnMap, hex, numeric, text, timeMs } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';
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

/** In the order of their ids, so that no two transactions wait for each other's counts. The time is the database's, for all processes. */
const LOCK = `SELECT id, buckets, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
    FROM budget_use WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`;
const PEEK = `SELECT u.id, u.organisation_id, u.environment, u.name, encode(u.counted_for_digest, 'hex') AS digest, u.buckets,
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
    FROM budget_use u JOIN (${KEYS.rows()}) AS given USING (organisation_id, environment, name, counted_for_digest)`;
interface CountRow {
  readonly id: string;
  readonly buckets: readonly string[];
  readonly now_ms: string;
}

interface UseRow extends Pick<CountKey, 'windowMs' | 'limit'> {
  readonly id: string;
  readonly buckets: Buckets;
  readonly nowMs: number;
}
const pairs = (buckets: Buckets): number[] => buckets.flatMap(({ endsAtMs, amount }) => [endsAtMs, amount]);
const USES = columnMap<UseRow>({
  id: numeric('bigint', (r) => r.id),
  buckets: text((r) => `{${pairs(r.buckets).join(',')}}`, 'bigint[]'),
  used: numeric('bigint', (r) => usedAt(r.buckets, r.windowMs, r.nowMs)),
  window_ms: numeric('bigint', (r) => r.windowMs),
  limit_amount: numeric('bigint', (r) => r.limit),
  expires_at: timeMs((r) => emptyAtMs(r.buckets, r.windowMs)),
});
interface ChargeRow extends Bucket {
  readonly decisionId: string;
  readonly id: string;
  readonly expiresAtMs: number;
}
const CHARGES = columnMap<ChargeRow>({
  decision_id: text((r) => r.decisionId),
  budget_use_id: numeric('bigint', (r) => r.id),
  amount: numeric('bigint', (r) => r.amount),
  ends_at_ms: numeric('bigint', (r) => r.endsAtMs),
  expires_at: timeMs((r) => r.expiresAtMs),
});
const WRITE = `WITH charged AS (${CHARGES.insertInto('budget_charge', `(${CHARGES.rows()}) AS given`)})
    UPDATE budget_use u SET buckets = g.buckets, used = g.used, window_ms = g.window_ms, limit_amount = g.limit_amount, expires_at = g.expires_at
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

export function createBudgetStore(): BudgetStore {
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

  /** The counts by `idOf`, with their ids. */
  const countingFor = (rows: readonly (readonly [key: string, row: CountRow])[]): Counting =>
    countingOf(
      new Map(rows.map(([key, { id, buckets }]) => [key, { id, buckets: bucketsOf(buckets) }])),
      Number(rows[0]?.[1].now_ms ?? 0),
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
      return countingFor(rows.map((row) => [known.get(row.id) ?? '', row]));
    },
    async peek(sql, items) {
      const keys = [...keysOf(items).values()];
      const rows = keys.length === 0 ? [] : await sql.query<CountRow & KnownRow>(PEEK, KEYS.values(keys));
      return countingFor(rows.map((row) => [idOf({ ...row, organisationId: row.organisation_id }), row]));
    },
  };
}

interface Count {
  readonly id: string;
  readonly buckets: Buckets;
}

/** @param before by `idOf` */
function countingOf(before: ReadonlyMap<string, Count>, nowMs: number): Counting {
  const counts = new Map(before);
  const uses = new Map<string, UseRow>();
  const charged: ChargeRow[] = [];
  const countOf = (item: EvaluatedQuestion, one: BudgetCharge): readonly [string, Count | undefined] => {
    const key = idOf(keyOf(item, one));
    return [key, counts.get(key)];
  };
  return {
    factsOf: (item, charges) =>
      Object.fromEntries(
        charges.map((one) => {
          const [, count] = countOf(item, one);
          return [one.name, budgetFact(one, usedAt(count?.buckets ?? [], one.windowMs, nowMs))];
        }),
      ),
    charge(item, decisionId, charges) {
      for (const one of charges) {
        const { amount, windowMs, limit } = one;
        const [key, count] = countOf(item, one);
        if (count === undefined) throw new Error('a budget is charged without its lock');
        if (amount === 0) continue;
        const { id } = count;
        const { buckets, endsAtMs } = charge(count.buckets, { amount, windowMs, nowMs });
        counts.set(key, { id, buckets });
        uses.set(id, { id, buckets, windowMs, limit, nowMs });
        charged.push({ decisionId, id, amount, endsAtMs, expiresAtMs: endsAtMs + windowMs });
      }
    },
    async write(sql) {
      if (charged.length === 0) return;
      await sql.query(WRITE, [...CHARGES.values(charged), ...USES.values([...uses.values()])]);
    },
  };
}

const TAKE_CHARGES = `DELETE FROM budget_charge WHERE decision_id = $1 RETURNING budget_use_id, amount, ends_at_ms,
    (extract(epoch FROM expires_at) * 1000)::bigint - ends_at_ms AS window_ms`;
const LOCK_USES = 'SELECT id, buckets, window_ms FROM budget_use WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE';
const GIVE_BACK = 'UPDATE budget_use SET buckets = $2::bigint[], used = $3 WHERE id = $1';

/** Gives back what a decision has charged, once: its charges are deleted in the same transaction. */
export async function giveBackCharges(sql: Sql, decisionId: string): Promise<void> {
  const taken = await sql.query<{ budget_use_id: string; amount: string; ends_at_ms: string; window_ms: string }>(
    TAKE_CHARGES,
    [decisionId],
  );
  if (taken.length === 0) return;
  const ids = taken.map((row) => row.budget_use_id);
  const rows = await sql.query<{ id: string; buckets: string[]; window_ms: string }>(LOCK_USES, [ids]);
  for (const { id, buckets, window_ms: windowMs } of rows) {
    // After its window was shortened, a bucket with the end of an earlier one may be another, with charges of others.
    const own = taken.filter((row) => row.budget_use_id === id && Number(row.window_ms) <= Number(windowMs));
    const after = own.reduce<Buckets>(
      (before, row) => giveBack(before, { amount: Number(row.amount), endsAtMs: Number(row.ends_at_ms) }),
      bucketsOf(buckets),
    );
    await sql.query(GIVE_BACK, [id, pairs(after), after.reduce((sum, { amount }) => sum + amount, 0)]);
  }
}
