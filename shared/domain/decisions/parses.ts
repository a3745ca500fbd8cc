// Parses in Postgres: written in groups before they are answered, and found again when an enforcement names one.
import { LRUCache } from 'lru-cache';
import { createColumnWriter, textColumn } from '../../platform/db/columns.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import type { Judged } from '../../core/intent/assess/strictness.ts';
import type { ParsedIntent } from '../../core/intent/types.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { JOIN_PARSES, recentColumns } from './recent-parses.ts';
import { bytesOfReading, type IntentReading, readingOfParse } from './readings.ts';

export interface ParseRow {
  readonly intentId: string;
  readonly organisationId: string;
  readonly environment: Environment;
  readonly agentId: string;
  readonly keyId: string;
  readonly normalized: string;
  readonly createdAtMs: number;
  /** JSON text of the answer. */
  readonly answer: string;
  readonly rawIntent: string;
  /** What it says of the string that it is normalized to. */
  readonly reading: Judged;
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
  read(
    organisationId: string,
    environment: Environment,
    intentId: string,
  ): StoredParse | Promise<StoredParse | undefined>;
  idle(): Promise<void>;
}

const INSERT: Statement = {
  name: 'parses-insert',
  text: `WITH made AS (INSERT INTO intent_parse (intent_id, organisation_id, environment, agent_id, key_id, normalized, created_at, answer, raw_intent)
    SELECT intent_id, organisation_id, environment, agent_id, key_id, normalized, created_at::timestamptz, answer, raw_intent
    FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n'), string_to_array($3, E'\\n'), string_to_array($4, E'\\n'), string_to_array($5, E'\\n'),
      string_to_array($6, E'\\n'), string_to_array($7, E'\\n'), string_to_array($8, E'\\n'), string_to_array($9, E'\\n'))
      AS row (intent_id, organisation_id, environment, agent_id, key_id, normalized, created_at, answer, raw_intent))
    ${JOIN_PARSES}`,
};
const READ: Statement = {
  name: 'parse-read',
  text: 'SELECT agent_id, normalized, created_at, answer FROM intent_parse WHERE intent_id = $1 AND organisation_id = $2 AND environment = $3',
};

interface ReadRow {
  agent_id: string;
  normalized: string;
  created_at: Date;
  answer: string;
}

/** @param answers writes the answers, the long column */
function columns(rows: readonly ParseRow[], answers: (values: readonly string[]) => string | Buffer): unknown[] {
  const of = (pick: (row: ParseRow) => string): string => textColumn(rows.map(pick));
  return [
    of((r) => r.intentId),
    of((r) => r.organisationId),
    of((r) => r.environment),
    of((r) => r.agentId),
    of((r) => r.keyId),
    of((r) => r.normalized),
    of((r) => new Date(r.createdAtMs).toISOString()),
    answers(rows.map((r) => r.answer)),
    of((r) => JSON.stringify(r.rawIntent)),
    ...recentColumns(rows),
  ];
}

const MAX_ROWS = 500;
const MAX_WAITING = 20_000;
const MAX_RECENT = 5_000;
const MAX_RECENT_BYTES = 16 * 1_048_576;

export function createParseStore(deps: { db: Database }): ParseStore {
  const { db } = deps;
  // The group has one statement under way at a time; transactions have theirs beside it.
  const answers = createColumnWriter();
  const group = createGroupCommit<ParseRow>({
    db,
    statement: INSERT,
    columns: (rows) => columns(rows, answers),
    result: () => undefined,
    sizeOf: (row) => row.answer.length + row.rawIntent.length,
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  const recent = new LRUCache<string, StoredParse>({
    max: MAX_RECENT,
    maxSize: MAX_RECENT_BYTES,
    sizeCalculation: ({ answer, reading }) => 2 * answer.length + bytesOfReading(reading),
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
    insert: async (sql, row) => void (await sql.query(INSERT, columns([row], textColumn))),
    read(organisationId, environment, intentId) {
      const id = cacheKey(organisationId, environment, intentId);
      const known = recent.get(id);
      if (known !== undefined) return known;
      return db.query<ReadRow>(READ, [intentId, organisationId, environment]).then(([row]) => {
        if (row === undefined) return undefined;
        const stored = storedOf(row.agent_id, row.normalized, row.created_at.getTime(), row.answer);
        recent.set(id, stored);
        return stored;
      });
    },
    idle: () => group.idle(),
  };
}
