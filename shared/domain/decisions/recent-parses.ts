// Joins an enforced string with the agent's parses of it in the last 15 minutes, so that the strictest reading counts.
//
// A parse is durable before it is answered, and each enforcement queries PostgreSQL before it is evaluated, without a cache. So every
// parse that was answered before the enforcement was sent counts, from any process. Concurrent enforcements share one query.
import { columnMap, optionalText, text } from '../../platform/db/columns.ts';
import type { Database } from '../../platform/db/database.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import { harmlessMember, type Judged, strictest } from '../../core/intent/assess/strictness.ts';
import { judgedOf, lacksSecondReading, nameKey, type ParsedString, type RecentRow } from './recent-parse-rows.ts';
import { createReading, type IntentReading } from './readings.ts';

/** How long parses count. */
export const PARSE_COUNTS_MS = 15 * 60_000;

/** The agent whose parses count. */
export interface Asker extends Omit<ParsedString, 'normalized'> {
  /**
   * When the approval to be used was opened, or the intent was submitted. Parses that counted then still count, because otherwise an
   * approval could not be used after 15 minutes. Default: now.
   */
  readonly begunAtMs?: number | undefined;
}

interface FoundRow extends RecentRow {
  key: string;
}

/** One string of a question. */
type AskedString = ParsedString & Pick<Asker, 'begunAtMs'>;

const begunText = ({ begunAtMs }: AskedString): string | undefined =>
  begunAtMs === undefined ? undefined : new Date(begunAtMs).toISOString();

const ASKED = columnMap<AskedString>({
  organisation_id: text((a) => a.organisationId),
  environment: text((a) => a.environment),
  agent_id: text((a) => a.agentId),
  normalized: text((a) => a.normalized),
  begun: optionalText(begunText),
});

/**
 * A row ends its time with its last parse, and begins it up to five minutes earlier. The time asked for never makes the
 * 15 minutes shorter: with it, at least as many parses count.
 */
const FIND = `SELECT asked.organisation_id || E'\\n' || asked.environment || E'\\n' || asked.agent_id || E'\\n' || coalesce(asked.begun, '') || E'\\n' || asked.normalized AS key, r.*
    FROM (${ASKED.rows()}) AS asked
    CROSS JOIN LATERAL (SELECT least(now(), asked.begun::timestamptz) - interval '15 minutes' AS since OFFSET 0) AS counting
    CROSS JOIN LATERAL (SELECT action, verb, effect, extent, confidence, coverage, marks, entities FROM recent_parse
      WHERE organisation_id = asked.organisation_id AND environment = asked.environment AND agent_id = asked.agent_id AND normalized = asked.normalized
        AND bucket > counting.since - interval '6 minutes' AND last_at > counting.since OFFSET 0) r`;

// No part but the last can hold a line feed.
const keyOfAsked = (asked: AskedString): string =>
  `${asked.organisationId}\n${asked.environment}\n${asked.agentId}\n${begunText(asked) ?? ''}\n${asked.normalized}`;

export interface RecentParses {
  /**
   * Joins the reading of a string with the agent's parses of it in the last 15 minutes (or since 15 minutes before `begunAtMs`) and
   * with the named parse. Without any, the string's own reading. @throws {ApiError} E6002
   */
  strictestOf(asker: Asker, own: IntentReading, named?: IntentReading): Promise<IntentReading>;
}

function byKey(rows: readonly FoundRow[]): ReadonlyMap<string, readonly FoundRow[]> {
  const found = new Map<string, FoundRow[]>();
  for (const row of rows) {
    const known = found.get(row.key);
    if (known === undefined) found.set(row.key, [row]);
    else known.push(row);
  }
  return found;
}

const MAX_ROWS = 1_000;
const MAX_WAITING = 20_000;

/** Parses that count, joined. */
interface CountedParses {
  readonly judged: Judged;
  readonly lacksSecondReading: boolean;
}

/**
 * The reading of a string joined with parses of it. The name and the resource stay its own.
 * @param named the parse that the question names: a text is harmless, not a string, which may stand for another text
 */
function withParses(
  own: IntentReading,
  parses: readonly CountedParses[],
  named: IntentReading | undefined,
): IntentReading {
  const readings = parses.map((parse) => parse.judged);
  const harmless = named === undefined ? {} : harmlessMember(readings);
  // A join has the judged members alone.
  const judged = { ...readings.reduce<Judged>(strictest, own.unassessed), ...harmless };
  const isUnread = parses.some((parse) => parse.lacksSecondReading);
  const { entities: _, ...rest } = own.unassessed;
  return createReading({ ...rest, ...judged, parsed: true }, own.names, isUnread);
}

/** One query may contain the same string twice, and then finds its rows twice. */
function countedIn(rows: readonly FoundRow[]): CountedParses[] {
  const known = new Map(
    rows.map((row) => [JSON.stringify(row), { judged: judgedOf(row), lacksSecondReading: lacksSecondReading(row) }]),
  );
  return [...known.values()];
}

const countedOf = ({ unassessed }: IntentReading): CountedParses => ({
  judged: unassessed,
  lacksSecondReading: unassessed.second_reading === undefined,
});

/** The reading of a string joined with one parse of it, as when an enforcement names that parse and no other is recent. */
export const withNamedParse = (own: IntentReading, named: IntentReading): IntentReading =>
  withParses(own, [countedOf(named)], named);

export function createRecentParses({ db }: { db: Database }): RecentParses {
  // Used for coalescing, not for commits: concurrent questions become one query, and each picks the rows of its strings.
  const questions = createGroupCommit<readonly AskedString[], ReadonlyMap<string, readonly FoundRow[]>>({
    db,
    statement: FIND,
    columns: (asked) => ASKED.values(asked.flat()),
    // The rows of FIND.
    result: (rows) => byKey(rows as readonly FoundRow[]),
    sizeOf: (strings) => strings.reduce((size, { normalized }) => size + normalized.length, 0),
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  // The last join of each reading, so that a repeated question reuses its facts and their texts.
  const last = new WeakMap<IntentReading, { readonly key: string; readonly reading: IntentReading }>();

  const find = async (strings: readonly AskedString[]): Promise<CountedParses[]> => {
    if (strings.length === 0) return [];
    const found = await questions.add(strings);
    // Usually nobody has parsed any of the strings of a query.
    if (found.size === 0) return [];
    return strings.flatMap((asked) => countedIn(found.get(keyOfAsked(asked)) ?? []));
  };

  return {
    async strictestOf(asker, own, named) {
      const parses = await find(own.names.map((name) => ({ normalized: nameKey(name), ...asker })));
      if (named !== undefined) parses.push(countedOf(named));
      if (parses.length === 0) return own;
      const key = `${named === undefined}\n${JSON.stringify(parses)}`;
      const known = last.get(own);
      if (known?.key === key) return known.reading;
      const reading = withParses(own, parses, named);
      last.set(own, { key, reading });
      return reading;
    },
  };
}
