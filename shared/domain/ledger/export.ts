// Exports a log: its keys, records and checkpoints as lines that can be audited without the service. Of what retention has dropped it
// exports the hashes.
import type { Environment } from '../../kernel/vocabulary.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import type { Sql } from '../../platform/db/database.ts';
import { LOG_FILE_FORMAT, writeLogLine } from '../../core/proof/log-file.ts';
import { unpackRecord } from '../../core/decision/packed-record.ts';
import { sealRecord } from '../../core/proof/record.ts';
import { readDroppedBefore, readStatedBefore } from '../retention/dropped.ts';
import { DECISION_EVENT, decisionIdOf, isDecision } from '../../platform/db/leaf-sql.ts';
import { readKeysOfLog } from './published-keys.ts';

export interface LogRow {
  readonly logId: number;
  readonly organisationId: string;
  readonly environment: Environment;
  readonly generation: number;
  readonly size: number;
  /** Null until a worker has first appended to it. */
  readonly origin: string | null;
  readonly haltedReason: string | null;
}

const LOG = `SELECT log_id, organisation_id, environment, generation, size::text AS size, origin, halted_reason FROM log
    WHERE organisation_id = $1 AND environment = $2 AND ($3::integer IS NULL OR generation = $3) ORDER BY generation DESC LIMIT 1`;
const LEAVES = `SELECT leaf.leaf_index::text AS leaf_index, leaf.event, ${decisionIdOf('leaf')} AS decision_id, leaf.proof_id, leaf.entity_id,
      encode(leaf.previous_hash, 'hex') AS previous_hash, encode(leaf.event_hash, 'hex') AS event_hash, encode(leaf.leaf_hash, 'hex') AS leaf_hash, found.record
    FROM (SELECT * FROM leaf WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3 ORDER BY leaf_index) AS leaf
    LEFT JOIN LATERAL (
      SELECT record FROM decision WHERE ${isDecision('leaf')} AND organisation_id = $4 AND environment = $5 AND decision_id = ${decisionIdOf('leaf')}
      UNION ALL SELECT record FROM record WHERE NOT ${isDecision('leaf')} AND organisation_id = $4 AND environment = $5 AND proof_id = leaf.proof_id
      LIMIT 1
    ) AS found ON true ORDER BY leaf.leaf_index`;
const CHECKPOINTS =
  'SELECT size::text AS size, note FROM checkpoint WHERE log_id = $1 AND checkpoint.size > $2 ORDER BY checkpoint.size LIMIT 1000';
/** Rows in memory: a record may be a megabyte, though few are. */
const PAGE = 200;

/** One log of an organisation and environment: the newest generation, or the one given. */
export async function findLog(
  db: Sql,
  organisationId: string,
  environment: string,
  generation?: number,
): Promise<LogRow | undefined> {
  const [row] = await db.query<{
    log_id: number;
    organisation_id: string;
    environment: Environment;
    generation: number;
    size: string;
    origin: string | null;
    halted_reason: string | null;
  }>(LOG, [organisationId, environment, generation ?? null]);
  if (row === undefined) return undefined;
  return {
    logId: row.log_id,
    organisationId: row.organisation_id,
    environment: row.environment,
    generation: row.generation,
    size: Number(row.size),
    origin: row.origin,
    haltedReason: row.halted_reason,
  };
}

/** A leaf or its record is missing, so that the log cannot be exported. */
export class DamagedLogError extends OperatorError {}

interface LeafRow {
  readonly leaf_index: string;
  readonly event: string;
  /** If it is of a decision. */
  readonly decision_id: string;
  readonly proof_id: string;
  readonly entity_id: string;
  readonly previous_hash: string;
  readonly event_hash: string;
  readonly leaf_hash: string;
  readonly record: Buffer | null;
}

function lineOf(index: number, row: LeafRow): string {
  const { proof_id: proofId, entity_id: agentId, previous_hash: previousHash, record } = row;
  if (record !== null)
    return writeLogLine({ kind: 'leaf', index, record: sealRecord(unpackRecord(record), previousHash).bytes });
  const { event_hash: eventHash, leaf_hash: leafHash } = row;
  return writeLogLine({ kind: 'dropped', index, dropped: { proofId, agentId, previousHash, eventHash, leafHash } });
}

/** @throws {OperatorError} unless retention dropped the missing records of these leaves, and the signed log states it */
async function requireDropped(db: Sql, log: LogRow, missing: readonly LeafRow[]): Promise<void> {
  const before = await readDroppedBefore(db, log);
  const damaged = missing.find(({ event, decision_id: id }) => event !== DECISION_EVENT || id >= before);
  if (damaged !== undefined)
    throw new DamagedLogError(`The record of leaf ${damaged.leaf_index} is missing, and retention did not drop it.`);
  // Nothing is signed any more in a halted log, and in one that was forked later records are in the next generation.
  if (log.haltedReason !== null || (await findLog(db, log.organisationId, log.environment))?.logId !== log.logId)
    return;
  const stated = await readStatedBefore(db, log);
  if (missing.some(({ decision_id: id }) => id >= stated))
    throw new OperatorError(
      'Retention dropped records a moment ago, and the signed log does not state it yet: export again in some seconds.',
    );
}

/**
 * The lines of a log as it is now. Leaves that are appended meanwhile are left out.
 * @param onDropped called with the index of each leaf whose record retention has dropped
 * @throws {DamagedLogError} at the first leaf that is missing, or whose record is although retention did not drop it
 * @throws {OperatorError} while the log does not state yet what was dropped
 */
export async function* exportLog(
  db: Sql,
  log: LogRow & { readonly origin: string },
  onDropped: (index: number) => void = () => undefined,
): AsyncGenerator<string> {
  // Read before the leaves, so that every key belongs to the exported leaves.
  const { published: keys } = await readKeysOfLog(db, log.logId);
  yield writeLogLine({ kind: 'header', header: { format: LOG_FILE_FORMAT, origin: log.origin, keys } });
  for (let from = 0; from < log.size; from += PAGE) {
    const past = Math.min(log.size, from + PAGE);
    const rows = await db.query<LeafRow>(LEAVES, [log.logId, from, past, log.organisationId, log.environment]);
    const missing = rows.filter(({ record }) => record === null);
    if (missing.length > 0) await requireDropped(db, log, missing);
    for (let i = 0; i < past - from; i += 1) {
      const row = rows[i];
      if (row === undefined || Number(row.leaf_index) !== from + i)
        throw new DamagedLogError(`Leaf ${from + i} is missing.`);
      if (row.record === null) onDropped(from + i);
      yield lineOf(from + i, row);
    }
  }
  for (let after = 0; ; ) {
    const rows = await db.query<{ size: string; note: string }>(CHECKPOINTS, [log.logId, after]);
    for (const { size, note } of rows) {
      // A checkpoint beyond the end is exported unless the log has grown: it shows that the end of the log is missing.
      if (Number(size) <= log.size || !(await hasGrown(db, log)))
        yield writeLogLine({ kind: 'checkpoint', checkpoint: note });
      after = Number(size);
    }
    if (rows.length === 0) return;
  }
}

async function hasGrown(db: Sql, log: LogRow): Promise<boolean> {
  const now = await findLog(db, log.organisationId, log.environment, log.generation);
  return now !== undefined && now.size > log.size;
}
