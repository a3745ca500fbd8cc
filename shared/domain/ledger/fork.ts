// Opening a halted log anew: a new origin whose first leaf says what the old one was, for whoever holds its checkpoints.
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { peekCheckpoint } from '../../core/proof/checkpoint.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { findLog, type LogRow } from './export.ts';
import type { CheckpointKeeper } from './kept.ts';
import { MissingNodeError, readRoot } from './nodes.ts';
import { writeServiceRecord } from './service-record.ts';

/** Why a log is not opened anew, as a sentence. */
export class ForkError extends Error {}

export interface Fork {
  readonly origin: string;
  readonly generation: number;
  /** The log that was halted. */
  readonly old: { readonly origin: string; readonly size: number; readonly signedSize: number | undefined };
}

// Whoever waits for a row of this table would go on with the old generation's: all must begin after us.
const LOCK: Statement = { name: 'fork-lock', text: 'LOCK TABLE log IN EXCLUSIVE MODE' };
const LAST: Statement = {
  name: 'fork-last-checkpoint',
  text: 'SELECT note FROM checkpoint WHERE log_id = $1 ORDER BY checkpoint.size DESC LIMIT 1',
};
const MAKE: Statement = {
  name: 'fork-make',
  text: 'INSERT INTO log (organisation_id, environment, generation, origin) VALUES ($1, $2, $3, $4)',
};
// The record that was just written goes before all that waits, so that it is the first leaf.
const GO_FIRST: Statement = {
  name: 'fork-go-first',
  text: `WITH own AS (
      DELETE FROM log_inbox USING record WHERE log_inbox.organisation_id = $1 AND log_inbox.environment = $2 AND source = 'record'
        AND record.organisation_id = $1 AND record.environment = $2 AND record.proof_id = source_id AND record.event = 'custos.fork'
      RETURNING seq, source_id
    ) INSERT INTO log_inbox (seq, organisation_id, environment, source, source_id) OVERRIDING SYSTEM VALUE
    SELECT (SELECT least(min(seq), 1) FROM log_inbox) - row_number() OVER (ORDER BY own.seq), $1, $2, 'record', source_id FROM own`,
};

/** The largest tree head that was signed: the one kept outside, or, without it, the last one published. */
async function signedHead(sql: Sql, log: LogRow & { readonly origin: string }, keeper: CheckpointKeeper) {
  const [last] = await sql.query<{ note: string }>(LAST, [log.logId]);
  const note = (await keeper.read(log.origin)) ?? last?.note;
  if (note === undefined) return undefined;
  const { size, root } = peekCheckpoint(note);
  return { size, root: root.toString('hex'), note };
}

/** Root of the tree as it is, in hex; null when nodes are missing. */
async function presentRoot(sql: Sql, log: LogRow): Promise<string | null> {
  try {
    return Buffer.from(await readRoot(sql, log.logId, log.size)).toString('hex');
  } catch (error) {
    if (error instanceof MissingNodeError) return null;
    throw error;
  }
}

/**
 * Opens a halted log anew with the next generation's origin. The old one stays as it is; what was recorded while it was
 * halted is named by size and root in the first leaf, and so signed with the new log.
 * @throws {ForkError} when there is no such log, or it is not halted
 */
export async function forkLog(
  deps: { readonly db: Database; readonly keeper: CheckpointKeeper; readonly nowMs: () => number },
  organisationId: string,
  environment: Environment,
): Promise<Fork> {
  const { db, keeper, nowMs } = deps;
  return db.transaction(async (sql) => {
    await sql.query(LOCK, []);
    const log = await findLog(sql, organisationId, environment);
    if (log === undefined) throw new ForkError('There is no such log.');
    const { origin, generation, haltedReason } = log;
    if (haltedReason === null || origin === null)
      throw new ForkError('The log is not halted: it goes on as it is, and is not opened anew.');
    const next = generation + 1;
    const base = generation === 1 ? origin : origin.slice(0, origin.lastIndexOf('/'));
    const checkpoint = await signedHead(sql, { ...log, origin }, keeper);
    const body = {
      log: origin,
      reason: haltedReason,
      // What was signed last of the old log, and what the database has of it.
      checkpoint: checkpoint ?? null,
      tree: { size: log.size, root: await presentRoot(sql, log) },
    };
    await sql.query(MAKE, [organisationId, environment, next, `${base}/${next}`]);
    await writeServiceRecord(sql, { organisationId, environment, event: 'custos.fork', body }, nowMs());
    await sql.query(GO_FIRST, [organisationId, environment]);
    return {
      origin: `${base}/${next}`,
      generation: next,
      old: { origin, size: log.size, signedSize: checkpoint?.size },
    };
  });
}
