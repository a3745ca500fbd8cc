// Which environments are halted: a few rows, all kept in memory, read again when the change feed says so.
import type { ChangeFeed } from '../../platform/db/changes.ts';
import type { Database, Statement } from '../../platform/db/database.ts';
import { rowIdSql, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import type { Seals } from '../../platform/db/seals/seals.ts';
import type { Environment } from '../../kernel/vocabulary.ts';

export interface Halt {
  readonly reason: string;
  readonly keyId: string;
  readonly createdAt: Date;
  /** Nobody can say whether there is a halt: the row is not as this service wrote it. */
  readonly isForged?: true;
}

export interface Halts {
  /** The halt in force, or undefined. @throws {ApiError} E6002 when that cannot be known now. */
  get(organisationId: string, environment: Environment): Halt | undefined | Promise<Halt | undefined>;
}

/** All of the columns are null when the row is gone although it was there. */
type Row = Partial<SealedRow<'halt'>> & { readonly row_id: string[] | null };

// Every halt that there ever was has a version, lifted ones too.
const READ: Statement = {
  name: 'halts-read',
  text: `SELECT known.row_id, ${sealedColumns('halt', 'h')}
    FROM (SELECT DISTINCT row_id FROM row_version WHERE table_name = 'halt') AS known
    FULL JOIN halt h ON known.row_id = ${rowIdSql('halt', 'h')}`,
};

/** What is in force when nobody can say any more whether there is a halt. */
const FORGED_REASON = 'the record of this halt was changed in the database; lift it, or halt again';

/** The halt that a row stands for. A row that this service did not write, or that is gone, halts. */
export function haltOf(seals: Seals, row: Partial<SealedRow<'halt'>>, id: string): Halt | undefined {
  const { reason, key_id: keyId, created_at: createdAt, lifted_at: liftedAt } = row;
  if (typeof reason === 'string' && typeof keyId === 'string' && createdAt instanceof Date) {
    if (seals.isGenuine('halt', row)) return liftedAt === null ? { reason, keyId, createdAt } : undefined;
  } else seals.refuse('halt', `${id} (its row was deleted)`);
  return { reason: FORGED_REASON, keyId: keyId ?? '', createdAt: createdAt ?? new Date(0), isForged: true };
}

export function createHalts(deps: { db: Database; changes: Pick<ChangeFeed, 'subscribe'> }): Halts {
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
    const halts = new Map<string, Halt>();
    for (const row of rows) {
      const [organisationId = '', environment = ''] = row.row_id ?? [row.organisation_id, row.environment];
      const halt = haltOf(deps.db.seals, row, `${organisationId}/${environment}`);
      if (halt !== undefined) halts.set(idOf(organisationId, environment), halt);
    }
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
