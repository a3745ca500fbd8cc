// Which environments are halted: a few rows, all kept in memory, read again when the change feed says so.
import type { ChangeFeed } from '../db/changes.ts';
import type { Database, Statement } from '../db/database.ts';
import type { Environment } from '../vocabulary.ts';

export interface Halt {
  readonly reason: string;
  readonly keyId: string;
  readonly createdAt: Date;
}

export interface Halts {
  /** The halt in force, or undefined. @throws {ApiError} E6002 when that cannot be known now. */
  get(organisationId: string, environment: Environment): Halt | undefined | Promise<Halt | undefined>;
}

interface Row {
  organisation_id: string;
  environment: string;
  reason: string;
  key_id: string;
  created_at: Date;
}

const READ: Statement = {
  name: 'halts-read',
  text: 'SELECT organisation_id, environment, reason, key_id, created_at FROM halt',
};

export function createHalts(deps: { db: Database; changes: ChangeFeed }): Halts {
  const idOf = (organisationId: string, environment: string): string => `${environment}\n${organisationId}`;
  // Undefined: must be read before anything is answered.
  let known: ReadonlyMap<string, Halt> | undefined;
  let version = 0;

  deps.changes.subscribe((change) => {
    if (change !== 'reset' && change.kind !== 'halt') return;
    known = undefined;
    version += 1;
  });

  const read = async (): Promise<ReadonlyMap<string, Halt>> => {
    const readVersion = version;
    const rows = await deps.db.query<Row>(READ, []);
    const halts = new Map(
      rows.map((row) => [
        idOf(row.organisation_id, row.environment),
        { reason: row.reason, keyId: row.key_id, createdAt: row.created_at },
      ]),
    );
    // A change that came while reading may not be in what was read.
    if (readVersion === version) known = halts;
    return halts;
  };

  return {
    get(organisationId, environment) {
      // Nearly always nothing is halted, and then no name needs to be put together.
      if (known?.size === 0) return undefined;
      const id = idOf(organisationId, environment);
      return known === undefined ? read().then((halts) => halts.get(id)) : known.get(id);
    },
  };
}
