// What retention dropped, as the log records it: the auditor and the API learn from the record which decisions are missing rightly.
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { leafOf } from '../../platform/db/leaf-sql.ts';
import { bodyOfPrefix } from '../../core/proof/record.ts';
import { type DropRow, dropSeal, isDropSeal } from '../../platform/db/seals/retention-drop.ts';
import { type PartedKind, type RetentionBody, shortestKeepMs } from '../../core/proof/retention-record.ts';
import { readTimesOf } from './times.ts';

/** Kinds of rows that are missing rightly below a bound, with the prefix of its ids. */
const BOUNDED = { decisions: 'dec', approvals: 'apr', actions: 'act' } as const;
export type BoundedKind = keyof typeof BOUNDED;

/** SQL: whether a record is of data of one organisation alone. */
const IS_OWN = `position('"scope":"organisation"' IN convert_from(record, 'UTF8')) > 0`;
const of = (
  what: BoundedKind,
): string => `record.organisation_id = $1 AND record.environment = $2 AND record.event = 'custos.retention'
        AND position('"what":"${what}"' IN convert_from(record, 'UTF8')) > 0 AND (${IS_OWN}) = wanted.own`;
const NEWEST_FIRST =
  'ORDER BY record.organisation_id, record.environment, record.occurred_at DESC, record.proof_id DESC LIMIT 1';
/** Partitions are dropped for all; what has none goes for each owner alone. */
const scopesOf = (what: BoundedKind): string =>
  `(VALUES ${what === 'decisions' ? '(false), ' : ''}(true)) AS wanted (own)`;
const secondsOf = (what: BoundedKind): number => shortestKeepMs(what) / 1_000;
// The newest record of either scope: each goes further than those before it. A record counts from the commit that dropped the rows, so
// also while it waits for its log. One that is in neither place was not written by the service.
const newestOf = (
  what: BoundedKind,
): Statement => `SELECT found.record, wanted.own, custos_id_at('${BOUNDED[what]}', now() - interval '${secondsOf(what)} seconds') AS youngest FROM ${scopesOf(what)},
      LATERAL (SELECT proof_id, record FROM record WHERE ${of(what)} ${NEWEST_FIRST}) AS found
    WHERE EXISTS (SELECT FROM ${leafOf('$1', '$2', 'found.proof_id')} AS logged)
      OR EXISTS (SELECT FROM log_inbox WHERE log_inbox.organisation_id = $1 AND log_inbox.environment = $2 AND source = 'record' AND source_id = found.proof_id)`;
const NEWEST: Readonly<Record<BoundedKind, Statement>> = {
  decisions: newestOf('decisions'),
  approvals: newestOf('approvals'),
  actions: newestOf('actions'),
};
const STATED = `SELECT found.record FROM ${scopesOf('decisions')},
      LATERAL (SELECT record FROM record JOIN leaf ON leaf.log_id = $3 AND leaf.proof_id = record.proof_id
        WHERE ${of('decisions')} AND leaf_index < (SELECT size FROM checkpoint WHERE log_id = $3 ORDER BY size DESC LIMIT 1) ${NEWEST_FIRST}) AS found`;

const beforeIdOf = (record: Buffer): string => (bodyOfPrefix(record) as RetentionBody).beforeId;
const lower = (a: string, b: string): string => (a < b ? a : b);
const highest = (ids: readonly string[]): string => ids.reduce((high, id) => (id > high ? id : high), '');

/** As readDroppedBefore, by records that a signed tree of the log covers. @throws {ApiError} E6002 */
export async function readStatedBefore(sql: Sql, log: Owner & { readonly logId: number }): Promise<string> {
  const rows = await sql.query<{ record: Buffer }>(STATED, [...ownerColumns(log), log.logId]);
  return highest(rows.map(({ record }) => beforeIdOf(record)));
}

const SEALED = 'SELECT what, before_id, seal FROM retention_drop';
const SEAL = `INSERT INTO retention_drop (what, before_id, seal) VALUES ($1, $2, $3)
    ON CONFLICT (what) DO UPDATE SET before_id = excluded.before_id, seal = excluded.seal`;

async function readGenuineDrops(sql: Sql): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<DropRow>(SEALED, []);
  return new Map(rows.filter((row) => isDropSeal(sql.seals, row)).map((row) => [row.what, row.before_id]));
}

/** Up to which id partitions were dropped; undefined: none was. @throws {ApiError} E6002 */
export const readDropOfAll = async (sql: Sql, what: PartedKind): Promise<string | undefined> =>
  (await readGenuineDrops(sql)).get(what);

/** How far retention has dropped what a record is about, by rows that only a process with the pepper can write; '': nothing. */
export async function readSealedDrops(
  sql: Sql,
  owner: Owner,
): Promise<(body: Pick<RetentionBody, 'what' | 'scope'>) => string> {
  const genuine = await readGenuineDrops(sql);
  const own = await readTimesOf(sql, owner);
  return ({ what, scope }) => (scope === undefined ? genuine.get(what) : own.get(what)?.droppedBefore) ?? '';
}

/** What a sealed row is about: a drop for all, or facts that are being erased for one owner. */
type Sealed = PartedKind | `facts ${string}`;

/** Seals a drop, in its transaction. Partitions are dropped oldest first, so it never goes back. */
export async function writeSealedDrop(
  sql: Sql,
  { what, beforeId }: { readonly what: Sealed; readonly beforeId: string },
): Promise<void> {
  await sql.query(SEAL, [what, beforeId, dropSeal(sql.seals, what, beforeId)]);
}

const factsOf = ({ organisationId, environment }: Owner) => `facts ${organisationId} ${environment}` as const;

/** Seals how far facts of one owner will have been erased, before the first of them is: their record comes last. */
export async function writeErasing(sql: Sql, owner: Owner, beforeId: string): Promise<void> {
  const known = (await readGenuineDrops(sql)).get(factsOf(owner)) ?? '';
  if (known < beforeId) await writeSealedDrop(sql, { what: factsOf(owner), beforeId });
}

/**
 * Decisions with lower ids may lack their facts, by rows that only a process with the pepper can write; '': none. Read it after a row that
 * lacks them.
 * @throws {ApiError} E6002
 */
export async function readErasedBefore(sql: Sql, owner: Owner): Promise<string> {
  const sealedBefore = await readSealedDrops(sql, owner);
  const erasing = (await readGenuineDrops(sql)).get(factsOf(owner)) ?? '';
  return highest([erasing, sealedBefore({ what: 'facts' }), sealedBefore({ what: 'facts', scope: 'organisation' })]);
}

/**
 * Rows with lower ids were dropped; '': none were. Read it after a row was found missing: the record commits with the drop, or before it.
 * @throws {ApiError} E6002
 */
export async function readDroppedBefore(sql: Sql, owner: Owner, what: BoundedKind = 'decisions'): Promise<string> {
  const sealedBefore = await readSealedDrops(sql, owner);
  const sealedOf = (own: boolean): string => sealedBefore({ what, ...(own && { scope: 'organisation' }) });
  // Where nothing was ever dropped, no record is looked for.
  if (highest([sealedOf(false), sealedOf(true)]) === '') return '';
  const rows = await sql.query<{ record: Buffer; own: boolean; youngest: string }>(NEWEST[what], ownerColumns(owner));
  return highest(
    // Written by the job `retain`; an edit is the auditor's finding at the record's own leaf. A record can be forged, so it counts only as
    // far as the sealed row. Nothing younger is dropped (custos_drop_partition, custos_forget_decisions and the like).
    rows.map(({ record, own, youngest }) => lower(lower(beforeIdOf(record), sealedOf(own)), youngest)),
  );
}
