// The registered resources in PostgreSQL: sealed rows, changed with a record in one transaction.
import type { ResourceFile } from '../../core/resources/schema.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import {
  attributesOfEntry,
  createRegistry,
  type RegisteredResource,
  type ResourceRegistry,
} from '../../core/resources/registry.ts';
import { invalidField } from '../../kernel/errors.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Sql } from '../../platform/db/database.ts';
import {
  genuinePage,
  insertSealed,
  sealedColumns,
  type SealedRow,
  updateSealed,
} from '../../platform/db/seals/rows.ts';
import { writeServiceRecord } from '../ledger/service-record.ts';

/** What an entry says, beside its name. */
export type ResourceEntry = Pick<ResourceFile, 'class' | 'owner' | 'attributes'>;

export interface StoredResource {
  readonly name: string;
  readonly entry: ResourceEntry;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

type Row = SealedRow<'resource'>;

/** Names per organisation and environment, those of removed entries included: all of them are in the memory of each process. */
const MAX_NAMES = 20_000;

const OWNED = 'organisation_id = $1 AND environment = $2';
const ALL = `SELECT ${sealedColumns('resource', 'r')} FROM resource r WHERE ${OWNED}`;
const DELETED = `SELECT DISTINCT v.row_id[3] AS name FROM row_version v
    WHERE v.table_name = 'resource' AND v.row_id[1] = $1 AND v.row_id[2] = $2
      AND NOT EXISTS (SELECT FROM resource r WHERE r.organisation_id = v.row_id[1] AND r.environment = v.row_id[2] AND r.name = v.row_id[3])`;
const ONE = `SELECT (SELECT max(version) FROM row_version WHERE table_name = 'resource' AND row_id = ARRAY[$1::text, $2::text, $3::text]) AS newest, ${sealedColumns('resource', 'r')}
    FROM (SELECT) AS one LEFT JOIN resource r ON r.organisation_id = $1 AND r.environment = $2 AND r.name = $3`;
const PAGE = `${ALL} AND name > $3 AND starts_with(name, $4) AND removed_at IS NULL ORDER BY name LIMIT $5`;
const COUNT = `SELECT count(*)::int AS count FROM resource WHERE ${OWNED}`;
/** Serializes the changes of one organisation's registry, so that the limit holds. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('custos resources ' || $1 || ' ' || $2, 0))";

function storedOf(row: Row): StoredResource {
  return {
    name: row.name,
    // Sealed: this service wrote it.
    entry: JSON.parse(row.entry) as ResourceEntry,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** All entries. A row that was changed or deleted outside the service is an entry without attributes. @throws {ApiError} E6002 */
export async function readRegistry(sql: Sql, owner: Owner): Promise<ResourceRegistry> {
  const rows = await sql.query<Row>(ALL, ownerColumns(owner));
  const deleted = await sql.query<{ name: string }>(DELETED, ownerColumns(owner));
  for (const { name } of deleted) sql.seals.refuse('resource', `${name} (its row was deleted)`);
  const entries = rows.flatMap((row): RegisteredResource[] => {
    if (!sql.seals.isGenuine('resource', row)) return [{ name: row.name, attributes: undefined }];
    return row.removed_at === null ? [{ name: row.name, attributes: attributesOfEntry(storedOf(row).entry) }] : [];
  });
  return createRegistry([...deleted.map(({ name }) => ({ name, attributes: undefined })), ...entries]);
}

type Found = Partial<Row> & { readonly newest: number | null };
const isThere = (row: Partial<Row>): row is Row => typeof row.entry === 'string';

async function readRow(sql: Sql, owner: Owner, name: string): Promise<Found> {
  // The statement always returns one row.
  return (await sql.query<Found>(ONE, [...ownerColumns(owner), name]))[0] ?? { newest: null };
}

const inForce = (sql: Sql, row: Found): StoredResource | undefined =>
  isThere(row) && row.removed_at === null && sql.seals.isGenuine('resource', row) ? storedOf(row) : undefined;

/** The entry with exactly this name. @throws {ApiError} E6002 */
export async function readResource(sql: Sql, owner: Owner, name: string): Promise<StoredResource | undefined> {
  return inForce(sql, await readRow(sql, owner, name));
}

export interface ResourcePage {
  /** The name before the page; empty: from the beginning. */
  readonly after: string;
  /** Of the names. Default: any. */
  readonly prefix?: string;
  readonly count: number;
}

/** Entries by name. */
export async function listResources(
  sql: Sql,
  owner: Owner,
  { after, prefix = '', count }: ResourcePage,
): Promise<StoredResource[]> {
  const rows = await genuinePage<Row>(sql, 'resource', count, (last) =>
    sql.query<Row>(PAGE, [...ownerColumns(owner), last?.name ?? after, prefix, count]),
  );
  return rows.map(storedOf);
}

interface Changed {
  readonly before: StoredResource | undefined;
  readonly after: StoredResource | undefined;
}

/**
 * Registers, replaces or removes an entry, with its record, in the caller's transaction. A row that was changed outside the service is
 * replaced. @param entry undefined: it is removed
 * @throws {ApiError} E2001 at {name} beyond the limit
 */
export async function putResource(
  sql: Sql,
  owner: Owner,
  { name, entry, keyId, nowMs }: { name: string; entry: ResourceEntry | undefined; keyId: string; nowMs: number },
): Promise<Changed> {
  await sql.query(LOCK, ownerColumns(owner));
  const row = await readRow(sql, owner, name);
  const before = inForce(sql, row);
  if (entry === undefined && (before === undefined || !isThere(row))) return { before, after: undefined };
  const at = new Date(nowMs);
  const columns = {
    entry: canonicalize(entry ?? {}),
    created_at: before?.createdAt ?? at,
    updated_at: at,
    removed_at: entry === undefined ? at : null,
  };
  if (isThere(row)) await updateSealed(sql, 'resource', row, columns);
  else {
    const [{ count } = { count: 0 }] = await sql.query<{ count: number }>(COUNT, ownerColumns(owner));
    if (count >= MAX_NAMES) throw invalidField('{name}', `is one more than the ${MAX_NAMES} that can be registered`);
    const { organisationId, environment } = owner;
    const version = (row.newest ?? 0) + 1;
    await insertSealed(sql, 'resource', { organisation_id: organisationId, environment, name, ...columns, version });
  }
  const change = entry === undefined ? 'removed' : before === undefined ? 'registered' : 'changed';
  const body = { change, name, ...entry, by: keyId };
  await writeServiceRecord(sql, { ...owner, event: 'custos.resource', body }, nowMs);
  return {
    before,
    after: entry && { name, entry, createdAt: columns.created_at, updatedAt: at },
  };
}
