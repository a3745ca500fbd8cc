// Searches decisions by any combination of conditions, newest first, in bounded time. A search that one index answers is a range scan.
// Any other one reads windows of an index, each larger than the one before, until it has enough rows or its time is over; then it
// reports how far it came.
import type { QueryTerm } from '../../core/decision/query.ts';
import { lowestId } from '../../kernel/ids.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Verdict } from '../../kernel/vocabulary.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import type { StoredDecision } from './decision-store.ts';
import { readReasonTexts, readTools } from './known-values.ts';
import {
  type Chosen,
  chooseRanges,
  conditionsOf,
  createParameters,
  groupTerms,
  type Known,
  type Ranges,
} from './search-conditions.ts';

export interface DecisionSearch extends Owner {
  /** The only agents that the key may see; undefined: all. */
  readonly agentIds?: readonly string[] | undefined;
  readonly terms: readonly QueryTerm[];
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

export interface Found<Row> {
  readonly rows: Row[];
  /** The search continues before this id; undefined: nothing older matches. */
  readonly next: string | undefined;
}

export interface VerdictCount {
  readonly bucket: number;
  readonly verdict: Verdict;
  readonly count: number;
}

export interface CountedDecisions {
  readonly counts: readonly VerdictCount[];
  /** Older decisions were not counted, because the time was over; undefined: all were. */
  readonly completeAfter: string | undefined;
}

export interface DecisionSearcher {
  /** @throws {ApiError} E6002 */
  page(search: DecisionSearch, before: string | undefined, limit: number): Promise<Found<StoredDecision>>;
  /** The newest `limit` ids after this one. @throws {ApiError} E6002 */
  newer(search: DecisionSearch, after: string, limit: number): Promise<string[]>;
  /** Counts per verdict and bucket of `stepMs` from `startMs`. @throws {ApiError} E6002 */
  count(search: DecisionSearch, startMs: number, stepMs: number): Promise<CountedDecisions>;
}

/** Index entries of the first window. */
const FIRST_WINDOW = 5_000;
/** The next window is made as large as this time allows: small windows cost a statement each, and large ones overrun the budget. */
const WINDOW_MS = 50;
/** No new window begins after this time, so that a page is answered within half a second. */
const BUDGET_MS = 180;

interface Span {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

/** An id after all others. */
const LAST = `dec_${'z'.repeat(26)}`;

function spanOf({ from, to }: DecisionSearch, before: string | undefined, after: string | undefined): Span {
  const idAt = (at: Date | undefined): string | undefined => at && lowestId('dec', Math.max(0, at.getTime()));
  const least = (texts: (string | undefined)[]): string =>
    texts.reduce<string>((low, text) => (text !== undefined && text < low ? text : low), LAST);
  const [fromId = '', afterId = ''] = [idAt(from), after && `${after}0`];
  return { from: fromId > afterId ? fromId : afterId, to: least([idAt(to), before]) };
}

const NEWEST_FIRST = 'ORDER BY decision_id DESC';
/** Those of conditions and shapes; PostgreSQL reads only the ones that a statement uses. */
const COLUMNS =
  'decision_id, verdict, evaluated_at, agent_id, key_id, request_id, tool_server, tool_name, reasons, record';

interface Shape {
  readonly columns: string;
  /** The end of the statement of each range. */
  readonly inner: string;
  /** The statement around all ranges. */
  readonly outer: (from: string) => string;
}

/** A statement over all ranges of an index. @param more the values from $5 on, which `shape` uses */
function rangeStatement(
  ranges: Ranges,
  shape: Shape,
  where: { readonly owner: Owner; readonly span: Span; readonly rest: Chosen['rest'] },
  ...more: readonly unknown[]
): [statement: Statement, values: readonly unknown[]] {
  const { owner, span, rest } = where;
  const parameters = createParameters(...ownerColumns(owner), span.from, span.to, ...more);
  const names = ranges.columns.map((_, n) => `v${n}`);
  const isOne = ranges.columns[0]?.length === 1;
  // For one range, the planner knows how often its value occurs.
  const at = isOne ? ranges.columns.map(([value]) => parameters.add(value)) : names.map((name) => `one.${name}`);
  const own = 'organisation_id = $1 AND environment = $2 AND decision_id >= $3 AND decision_id < $4';
  const range = `FROM decision WHERE ${own} AND ${ranges.condition(...at)}`;
  const conditions = conditionsOf(rest, parameters.add);
  // OFFSET 0 keeps the planner from entering the window by another index, in which it may be far larger.
  const from =
    conditions.length === 0
      ? range
      : `FROM (SELECT ${COLUMNS} ${range} ${NEWEST_FIRST} OFFSET 0) AS found WHERE ${conditions.join(' AND ')}`;
  const read = `(SELECT ${shape.columns} ${from} ${shape.inner}) AS part`;
  if (names.length === 0 || isOne) return [shape.outer(read), parameters.values];
  const arrays = ranges.columns.map((column) => `${parameters.add(column)}::text[]`);
  const each = `unnest(${arrays.join(', ')}) AS one (${names.join(', ')}) CROSS JOIN LATERAL ${read}`;
  return [shape.outer(each), parameters.values];
}

/** $5 is the number of ids. */
const IDS: Shape = {
  columns: 'decision_id',
  inner: `${NEWEST_FIRST} LIMIT $5`,
  outer: (all) => `SELECT part.decision_id AS id FROM ${all} ${NEWEST_FIRST} LIMIT $5`,
};
/** $5 is the number of index entries of each range. */
const WINDOW_END: Shape = {
  columns: 'decision_id',
  inner: `${NEWEST_FIRST} OFFSET $5 LIMIT 1`,
  outer: (all) => `SELECT max(part.decision_id) AS id FROM ${all}`,
};
/** $5 is the beginning of the first bucket, and $6 the length of each, in milliseconds. */
const COUNTS: Shape = {
  columns: 'verdict, evaluated_at',
  inner: '',
  outer: (all) =>
    `SELECT floor((extract(epoch FROM part.evaluated_at)::float8 * 1000 - $5::float8) / $6::float8)::int AS bucket, part.verdict, count(*)::int AS count
     FROM ${all} GROUP BY 1, 2`,
};
const READ_ROWS =
  'SELECT decision_id, agent_id, key_id, record FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = ANY ($3)';

const newestFirst = (a: string, b: string): number => (a < b ? 1 : -1);

export function createDecisionSearcher(deps: {
  readonly db: Database;
  readonly monotonicMs: () => number;
}): DecisionSearcher {
  const { db, monotonicMs } = deps;

  /** Plans for the given values: one for any values may read a whole index, because it does not know how long a window is. */
  const planned = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    db.transaction(async (sql) => {
      await sql.query('SET LOCAL plan_cache_mode = force_custom_plan', []);
      return work(sql);
    });

  const chosenFor = async (sql: Sql, search: DecisionSearch): Promise<Chosen> => {
    const { terms, agentIds } = search;
    const has = (...fields: string[]): boolean =>
      terms.some(({ field, negated }) => !negated && fields.includes(field));
    const [reasonTexts, tools]: [Known['reasonTexts'], Known['tools']] = await Promise.all([
      has('reason') ? readReasonTexts(sql, search) : [],
      has('tool', 'server') ? readTools(sql, search) : [],
    ]);
    const groups = groupTerms(terms);
    const bound =
      agentIds === undefined || has('agent') ? [] : [{ field: 'agent' as const, values: agentIds, negated: false }];
    return chooseRanges([...groups, ...bound], { reasonTexts, tools });
  };

  const idsIn = async (sql: Sql, chosen: Chosen, owner: Owner, span: Span, limit: number): Promise<string[]> => {
    const lists = await Promise.all(
      chosen.ranges.map(async (ranges) =>
        sql.query<{ id: string }>(...rangeStatement(ranges, IDS, { owner, span, rest: chosen.rest }, limit)),
      ),
    );
    const ids = lists.flat().map(({ id }) => id);
    return ids.sort(newestFirst).slice(0, limit);
  };

  /** Where the window of about this many index entries ends; undefined: it holds all that is left. */
  const windowEnd = async (
    sql: Sql,
    { ranges }: Chosen,
    owner: Owner,
    span: Span,
    size: number,
  ): Promise<string | undefined> => {
    const ends = await Promise.all(
      ranges.map(async (each) => {
        const share = Math.ceil(size / Math.max(1, each.columns[0]?.length ?? 1));
        return sql.query<{ id: string | null }>(...rangeStatement(each, WINDOW_END, { owner, span, rest: [] }, share));
      }),
    );
    return ends
      .flat()
      .flatMap(({ id }) => id ?? [])
      .sort(newestFirst)[0];
  };

  /** Calls `visit` with windows of the span, newest first, until it returns false. @returns the end of the last window, unless it was the final one */
  const walk = async (
    sql: Sql,
    chosen: Chosen,
    owner: Owner,
    span: Span,
    visit: (window: Span) => Promise<boolean>,
  ): Promise<string | undefined> => {
    const startedMs = monotonicMs();
    let { to } = span;
    for (let size = FIRST_WINDOW; ; ) {
      const beganMs = monotonicMs();
      // Each window begins where the one before ends.
      const from = await windowEnd(sql, chosen, owner, { from: span.from, to }, size);
      const goesOn = await visit({ from: from ?? span.from, to });
      const nowMs = monotonicMs();
      if (from === undefined || !goesOn || nowMs - startedMs > BUDGET_MS) return from;
      size = Math.ceil(size * Math.min(3, Math.max(0.5, WINDOW_MS / Math.max(1, nowMs - beganMs))));
      to = from;
    }
  };

  const ids = async (sql: Sql, search: DecisionSearch, span: Span, limit: number): Promise<Found<string>> => {
    const chosen = await chosenFor(sql, search);
    if (chosen.ranges.length === 0) return { rows: [], next: undefined };
    if (chosen.rest.length === 0) return pageOf(await idsIn(sql, chosen, search, span, limit + 1), limit, undefined);
    const found: string[] = [];
    const end = await walk(sql, chosen, search, span, async (window) => {
      found.push(...(await idsIn(sql, chosen, search, window, limit + 1 - found.length)));
      return found.length <= limit;
    });
    return pageOf(found, limit, end);
  };

  return {
    page: (search, before, limit) =>
      planned(async (sql) => {
        const { rows, next } = await ids(sql, search, spanOf(search, before, undefined), limit);
        const read = await sql.query<StoredDecision>(READ_ROWS, [...ownerColumns(search), rows]);
        return { rows: read.sort((a, b) => newestFirst(a.decision_id, b.decision_id)), next };
      }),
    newer: (search, after, limit) =>
      planned(async (sql) => (await ids(sql, search, spanOf(search, undefined, after), limit)).rows),
    count: (search, startMs, stepMs) =>
      planned(async (sql) => {
        const chosen = await chosenFor(sql, search);
        const counts: VerdictCount[] = [];
        if (chosen.ranges.length === 0) return { counts, completeAfter: undefined };
        const completeAfter = await walk(sql, chosen, search, spanOf(search, undefined, undefined), async (span) => {
          const where = { owner: search, span, rest: chosen.rest };
          const lists = await Promise.all(
            chosen.ranges.map(async (ranges) =>
              sql.query<VerdictCount>(...rangeStatement(ranges, COUNTS, where, startMs, stepMs)),
            ),
          );
          counts.push(...lists.flat());
          return true;
        });
        return { counts, completeAfter };
      }),
  };
}

/** @param end where the search stopped; undefined: at its end */
function pageOf(found: readonly string[], limit: number, end: string | undefined): Found<string> {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? rows.at(-1) : end };
}
