// Parses in PostgreSQL: inserted in groups before they are answered, and read when an enforcement names one.
import type { Owner } from '../../kernel/owner.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { columnMap, longText, text } from '../../platform/db/columns.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import type { ParsedIntent } from '../../core/intent/types.ts';
import { joinParses, type NamedParse, recentValues } from './recent-parse-rows.ts';
import { PARSE_COUNTS_MS } from './recent-parses.ts';
import { bytesOfReading, type IntentReading, readingOfParse } from './readings.ts';

export interface ParseRow extends NamedParse {
  readonly intentId: string;
  readonly keyId: string;
  readonly normalized: string;
  readonly createdAtMs: number;
  /** JSON text of the answer. */
  readonly answer: string;
  readonly rawIntent: string;
}

export interface StoredParse {
  readonly agentId: string;
  readonly normalized: string;
  readonly createdAtMs: number;
  readonly answer: string;
  readonly reading: IntentReading;
}

export interface ParseStore {
  /** Resolves when the parse is durable. @throws {ApiError} E6002 */
  append(row: ParseRow): Promise<void>;
  /** The same within the caller's transaction. */
  insert(sql: Sql, row: ParseRow): Promise<void>;
  /** A parse of this organisation and environment. @throws {ApiError} E6002 */
  read(owner: Owner, intentId: string): StoredParse | Promise<StoredParse | undefined>;
  idle(): Promise<void>;
}

const PARSES = columnMap<ParseRow>({
  intent_id: text((r) => r.intentId),
  organisation_id: text((r) => r.organisationId),
  environment: text((r) => r.environment),
  agent_id: text((r) => r.agentId),
  key_id: text((r) => r.keyId),
  normalized: text((r) => r.normalized),
  created_at: text((r) => new Date(r.createdAtMs).toISOString(), 'timestamptz'),
  answer: longText((r) => r.answer),
  raw_intent: text((r) => JSON.stringify(r.rawIntent)),
});
const INSERT = `WITH made AS (${PARSES.insertInto('intent_parse', `(${PARSES.rows()}) AS given`)})
    ${joinParses(PARSES.size + 1)}`;
const READ =
  'SELECT agent_id, normalized, created_at, answer FROM intent_parse WHERE intent_id = $1 AND organisation_id = $2 AND environment = $3';

interface ReadRow {
  agent_id: string;
  normalized: string;
  created_at: Date;
  answer: string;
}

const MAX_ROWS = 500;
const MAX_WAITING = 20_000;
const MAX_RECENT = 5_000;
const MAX_RECENT_BYTES = 16 * 1_048_576;

export function createParseStore(deps: { readonly db: Database; readonly nowMs: () => number }): ParseStore {
  const { db, nowMs } = deps;
  const write = PARSES.createWriter();
  const group = createGroupCommit<ParseRow>({
    db,
    statement: INSERT,
    columns: (rows) => [...write(rows), ...recentValues(rows)],
    result: () => undefined,
    sizeOf: (row) => row.answer.length + row.rawIntent.length,
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  /** Of these no retention deletes any yet, so memory has none that the database has lost. */
  const isRecent = ({ createdAtMs }: StoredParse): boolean => nowMs() - createdAtMs <= PARSE_COUNTS_MS;
  const recent = new BoundedCache<StoredParse>({
    max: MAX_RECENT,
    maxSize: MAX_RECENT_BYTES,
    sizeOf: (_, { answer, reading }) => 2 * answer.length + bytesOfReading(reading),
  });
  const cacheKey = (organisationId: string, environment: string, intentId: string): string =>
    `${intentId}\n${environment}\n${organisationId}`;

  const storedOf = (agentId: string, normalized: string, createdAtMs: number, answer: string): StoredParse => ({
    agentId,
    normalized,
    createdAtMs,
    answer,
    // Written by this service from a value of this type.
    reading: readingOfParse(JSON.parse(answer) as ParsedIntent),
  });

  return {
    append: (row) => group.add(row),
    insert: async (sql, row) => void (await sql.query(INSERT, [...PARSES.values([row]), ...recentValues([row])])),
    read({ organisationId, environment }, intentId) {
      const id = cacheKey(organisationId, environment, intentId);
      const known = recent.get(id);
      if (known !== undefined && isRecent(known)) return known;
      recent.delete(id);
      return db.query<ReadRow>(READ, [intentId, organisationId, environment]).then(([row]) => {
        if (row === undefined) return undefined;
        const stored = storedOf(row.agent_id, row.normalized, row.created_at.getTime(), row.answer);
        if (isRecent(stored)) recent.set(id, stored);
        return stored;
      });
    },
    idle: () => group.idle(),
  };
}
