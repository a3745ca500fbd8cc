// Forks a halted log: starts a new generation, whose first leaf names the last signed head of the old one.
import { OperatorError } from '../../kernel/operator-error.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { peekIfCheckpoint } from '../../core/proof/checkpoint.ts';
import { trustPublishedKeys } from '../../core/proof/keys.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { auditKeptNote } from './audit-log.ts';
import { findLog, type LogRow } from './export.ts';
import type { CheckpointKeeper } from './kept.ts';
import { readKeysOfLog } from './published-keys.ts';
import { storedRoot } from './nodes.ts';
import { acceptFindings, holdFindings, recordedFindings } from './resume.ts';
import { writeServiceRecord } from './service-record.ts';
import { readSignedHeads } from './signed-heads.ts';

/** Why a log cannot be forked, as a sentence. */
export class ForkError extends OperatorError {}

export interface Fork {
  readonly origin: string;
  readonly generation: number;
  /** The log that was halted. */
  readonly old: { readonly origin: string; readonly size: number; readonly signedSize: number | undefined };
  /** Findings of the old log that are accepted with the fork. */
  readonly accepted: readonly Finding[];
}

// A transaction that waits for a row of this table would continue with the old generation, so all must start after this one.
const LOCK = 'LOCK TABLE log IN EXCLUSIVE MODE';
const MAKE = 'INSERT INTO log (organisation_id, environment, generation, origin) VALUES ($1, $2, $3, $4)';
// Moves the record that was just written to the front of the inbox, so that it is the first leaf.
const GO_FIRST = `WITH own AS (
      DELETE FROM log_inbox USING record WHERE log_inbox.organisation_id = $1 AND log_inbox.environment = $2 AND source = 'record'
        AND record.organisation_id = $1 AND record.environment = $2 AND record.proof_id = source_id AND record.event = 'custos.fork'
      RETURNING seq, source_id
    ) INSERT INTO log_inbox (seq, organisation_id, environment, source, source_id) OVERRIDING SYSTEM VALUE
    SELECT (SELECT least(min(seq), 1) FROM log_inbox) - row_number() OVER (ORDER BY own.seq), $1, $2, 'record', source_id FROM own`;

/**
 * Replaces a halted log by its next generation. The old one stays unchanged; the first leaf names its size and root, including the
 * leaves that were added during the halt, so that they are signed with the new log. The findings of its audit are accepted and named, too.
 * @throws {ForkError} when there is no such log, or it is not halted
 */
export async function forkLog(
  deps: { readonly db: Database; readonly keeper: CheckpointKeeper; readonly nowMs: () => number },
  organisationId: string,
  environment: Environment,
): Promise<Fork> {
  const { db, keeper, nowMs } = deps;
  return db.transaction(async (sql) => {
    const found = await findLog(sql, organisationId, environment);
    if (found === undefined) throw new ForkError('There is no such log.');
    const { open, all } = await holdFindings(sql, found.logId);
    await sql.query(LOCK, []);
    const log = await findLog(sql, organisationId, environment);
    if (log?.logId !== found.logId) throw new ForkError('The log was replaced just now.');
    const { origin, generation, haltedReason } = log;
    if (haltedReason === null || origin === null) throw new ForkError('The log is not halted, so it is not replaced.');
    const next = generation + 1;
    const base = generation === 1 ? origin : origin.slice(0, origin.lastIndexOf('/'));
    const [signed] = await readSignedHeads(sql, { ...log, origin }, keeper);
    const root = await storedRoot(sql, log.logId, log.size);
    // That the old log is not what was signed is the reason of the fork. Its audit reports it for ever; from now on as accepted.
    const expected = await findingsOfKept(sql, { ...log, origin }, keeper);
    const known = new Set(all.map(({ sentence }) => sentence));
    const accepted = [...open, ...expected.filter(({ sentence }) => !known.has(sentence))];
    await acceptFindings(sql, log.logId, [...all, ...expected]);
    const body = {
      log: origin,
      reason: haltedReason,
      // The last signed head of the old log, and its tree in the database now; null: nodes are missing.
      checkpoint:
        signed === undefined ? null : { size: signed.size, root: signed.root.toString('hex'), note: signed.note },
      tree: { size: log.size, root: root === undefined ? null : Buffer.from(root).toString('hex') },
      findings: recordedFindings(accepted),
    };
    await sql.query(MAKE, [organisationId, environment, next, `${base}/${next}`]);
    await writeServiceRecord(sql, { organisationId, environment, event: 'custos.fork', body }, nowMs());
    await sql.query(GO_FIRST, [organisationId, environment]);
    // Before the commit: without it the new log is never signed.
    await keeper.begin(`${base}/${next}`);
    return {
      origin: `${base}/${next}`,
      generation: next,
      old: { origin, size: log.size, signedSize: signed?.size },
      accepted,
    };
  });
}

/** What the next audit will find when it compares the log, as it is now, with its kept checkpoint. */
async function findingsOfKept(
  sql: Sql,
  { logId, size, origin }: LogRow & { readonly origin: string },
  keeper: CheckpointKeeper,
): Promise<Finding[]> {
  const note = await keeper.read(origin);
  if (note === undefined) return [];
  const keptSize = peekIfCheckpoint(note)?.size;
  const root = keptSize === undefined || keptSize > size ? undefined : await storedRoot(sql, logId, keptSize);
  const keys = trustPublishedKeys((await readKeysOfLog(sql, logId)).published);
  return auditKeptNote(note, { size, origin, keys, root: root && Buffer.from(root) });
}
