// Halts of environments: their sealed rows, changed with a record in one transaction, and a cache that the change feed keeps fresh.
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import { haltRecordBody } from '../../core/decision/halt.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import type { ChangeFeed } from '../../platform/db/changes.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import { insertSealed, rowIdSql, sealedColumns, type SealedRow, updateSealed } from '../../platform/db/seals/rows.ts';
import type { Seals } from '../../platform/db/seals/seals.ts';
import { writeServiceRecord } from '../ledger/service-record.ts';

export interface Halt {
  readonly reason: string;
  readonly keyId: string;
  readonly createdAt: Date;
  /** It is unknown whether there is a halt: the row was changed or deleted outside the service. */
  readonly isForged?: true;
}

export interface Halts {
  /** The halt in force, or undefined. @throws {ApiError} E6002 when it cannot be read now */
  get(organisationId: string, environment: Environment): Halt | undefined | Promise<Halt | undefined>;
}

/** A row of `halt` and its highest version in row_version. All columns are null when there is no row. */
type Row = Partial<SealedRow<'halt'>> & { readonly newest: number | null };

// Every halt that ever existed has a version, also lifted ones.
const READ_ALL = `SELECT known.row_id, organisation.slug, ${sealedColumns('halt', 'h')}
    FROM (SELECT DISTINCT row_id FROM row_version WHERE table_name = 'halt') AS known
    FULL JOIN halt h ON known.row_id = ${rowIdSql('halt', 'h')}
    LEFT JOIN organisation ON organisation.id = coalesce(known.row_id[1], h.organisation_id)`;
/** One row, whether or not there was ever a halt. */
const READ = `SELECT (SELECT max(version) FROM row_version WHERE table_name = 'halt' AND row_id = ARRAY[$1::text, $2::text]) AS newest, ${sealedColumns('halt', 'h')}
    FROM (SELECT) AS one LEFT JOIN halt h ON h.organisation_id = $1 AND h.environment = $2`;
/** Serializes changes also when there is no row to lock. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('custos halt ' || $1 || ' ' || $2, 0))";

const FORGED_REASON = 'the record of this halt was changed in the database; lift it, or halt again';

const isThere = (row: Partial<SealedRow<'halt'>>): row is SealedRow<'halt'> => typeof row.reason === 'string';

/** The halt of a row; undefined: lifted. A row that was changed or deleted outside the service counts as a halt. */
function haltOf(seals: Seals, row: Partial<SealedRow<'halt'>>, id: string): Halt | undefined {
  if (!isThere(row)) seals.refuse('halt', `${id} (its row was deleted)`);
  else if (seals.isGenuine('halt', row)) {
    const { reason, key_id: keyId, created_at: createdAt, lifted_at: liftedAt } = row;
    return liftedAt === null ? { reason, keyId, createdAt } : undefined;
  }
  return {
    reason: FORGED_REASON,
    keyId: row.key_id ?? '',
    createdAt: row.created_at ?? new Date(0),
    isForged: true,
  };
}

async function readRow(sql: Sql, owner: Owner): Promise<{ row: Row; halt: Halt | undefined }> {
  // The statement always returns one row.
  const [row = { newest: null }] = await sql.query<Row>(READ, ownerColumns(owner));
  const wasEver = isThere(row) || row.newest !== null;
  return { row, halt: wasEver ? haltOf(sql.seals, row, ownerColumns(owner).join('/')) : undefined };
}

/** The halt in force now, from the database. @throws {ApiError} E6002 */
export async function readHalt(sql: Sql, owner: Owner): Promise<Halt | undefined> {
  return (await readRow(sql, owner)).halt;
}

/** An environment that is or was halted. */
export interface HaltState extends Owner {
  /** Slug. */
  readonly organisation: string;
  readonly halt: Halt | undefined;
}

/** Every environment that was ever halted, with the halt in force. @throws {ApiError} E6002 */
export async function readHalts(sql: Sql): Promise<HaltState[]> {
  const rows = await sql.query<Partial<SealedRow<'halt'>> & { row_id: string[] | null; slug: string | null }>(
    READ_ALL,
    [],
  );
  return rows.map((row) => {
    // Rows of `halt`, and the ids of their versions, were written for an environment.
    const [organisationId, environment] = (row.row_id ?? [row.organisation_id, row.environment]) as [
      string,
      Environment,
    ];
    const halt = haltOf(sql.seals, row, `${organisationId}/${environment}`);
    return { organisationId, environment, organisation: row.slug ?? organisationId, halt };
  });
}

async function write(sql: Sql, owner: Owner, row: Row, halt: Halt, liftedAt: Date | null): Promise<void> {
  const columns = { reason: halt.reason, key_id: halt.keyId, created_at: halt.createdAt, lifted_at: liftedAt };
  if (isThere(row)) return void (await updateSealed(sql, 'halt', row, columns));
  const { organisationId, environment } = owner;
  const version = (row.newest ?? 0) + 1;
  await insertSealed(sql, 'halt', { organisation_id: organisationId, environment, ...columns, version });
}

/**
 * Begins a halt, with its record, in the caller's transaction.
 * @returns the halt in force, and whether it is new: an earlier one stays, unless it is forged
 */
export async function beginHalt(
  sql: Sql,
  owner: Owner,
  { keyId, reason, nowMs }: { readonly keyId: string; readonly reason: string; readonly nowMs: number },
): Promise<{ readonly halt: Halt; readonly isNew: boolean }> {
  await sql.query(LOCK, ownerColumns(owner));
  const { row, halt } = await readRow(sql, owner);
  if (halt !== undefined && !halt.isForged) return { halt, isNew: false };
  const begun = { reason, keyId, createdAt: new Date(nowMs) };
  await write(sql, owner, row, begun, null);
  await recordChange(sql, owner, haltRecordBody({ change: 'halted', keyId, reason }), nowMs);
  return { halt: begun, isNew: true };
}

/** Ends the halt in force, if any, with its record, in the caller's transaction. @returns the halt that it ended */
export async function liftHalt(
  sql: Sql,
  owner: Owner,
  { keyId, reason, nowMs }: { readonly keyId: string; readonly reason?: string | undefined; readonly nowMs: number },
): Promise<Halt | undefined> {
  await sql.query(LOCK, ownerColumns(owner));
  const { row, halt } = await readRow(sql, owner);
  if (halt === undefined) return undefined;
  await write(sql, owner, row, halt, new Date(nowMs));
  await recordChange(sql, owner, haltRecordBody({ change: 'lifted', keyId, reason }), nowMs);
  return halt;
}

function recordChange(sql: Sql, { organisationId, environment }: Owner, body: object, nowMs: number) {
  return writeServiceRecord(sql, { organisationId, environment, event: 'custos.halt', body }, nowMs);
}

/** Caches the halts of all environments, because there are few. The cache is dropped when the change feed reports a halt. */
export function createHalts(deps: { db: Database; changes: Pick<ChangeFeed, 'subscribe'> }): Halts {
  const idOf = (organisationId: string, environment: string): string => `${environment}\n${organisationId}`;
  let cached: ReadonlyMap<string, Halt> | undefined;
  let version = 0;

  deps.changes.subscribe((change) => {
    if (change !== 'reset' && change.kind !== 'halt') return;
    cached = undefined;
    version += 1;
  });

  const read = async (): Promise<ReadonlyMap<string, Halt>> => {
    const readVersion = version;
    const halts = new Map<string, Halt>();
    for (const { organisationId, environment, halt } of await readHalts(deps.db))
      if (halt !== undefined) halts.set(idOf(organisationId, environment), halt);
    // A change that arrived during the read may not be in its result.
    if (readVersion === version) cached = halts;
    return halts;
  };

  return {
    get(organisationId, environment) {
      // Usually nothing is halted, and the key need not be built.
      if (cached?.size === 0) return undefined;
      const id = idOf(organisationId, environment);
      return cached === undefined ? read().then((halts) => halts.get(id)) : cached.get(id);
    },
  };
}
