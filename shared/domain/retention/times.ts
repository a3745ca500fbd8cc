// How long each kind of data is kept: the settings of the installation, and the times of single organisations and environments.
import { shortestKeepMs } from '../../core/proof/retention-record.ts';
import { parseDuration } from '../../kernel/durations.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { needsOf } from '../../platform/config/config.ts';
import type { Config } from '../../platform/config/table.ts';
import type { Sql } from '../../platform/db/database.ts';
import {
  type Changes,
  insertSealed,
  rowIdSql,
  sealedColumns,
  type SealedRow,
  updateSealed,
} from '../../platform/db/seals/rows.ts';

/** The kinds of data, with the settings of the installation. */
export const RETENTION_SETTINGS = {
  decisions: 'CUSTOS_KEEP_DECISIONS',
  facts: 'CUSTOS_KEEP_FACTS',
  texts: 'CUSTOS_KEEP_TEXTS',
  intents: 'CUSTOS_KEEP_INTENTS',
  signals: 'CUSTOS_KEEP_SIGNALS',
  jobs: 'CUSTOS_KEEP_JOBS',
  deliveries: 'CUSTOS_KEEP_DELIVERIES',
  approvals: 'CUSTOS_KEEP_APPROVALS',
  actions: 'CUSTOS_KEEP_ACTIONS',
} as const;
export type RetentionKind = keyof typeof RETENTION_SETTINGS;
export const RETENTION_KINDS = Object.keys(RETENTION_SETTINGS) as RetentionKind[];
/** What promises and open approvals refer to: kept at least as long as those may be open. */
export const REFERRED_KINDS: readonly RetentionKind[] = ['decisions', 'facts', 'texts'];

/** The settings of the installation, in milliseconds; undefined: for ever. */
export type KeepMs = Readonly<Record<RetentionKind, number | undefined>>;

export const FOREVER = 'forever';
/** An organisation without a time of its own. */
export const AS_INSTALLATION = 'installation';

/** What is stored about one kind of data of an organisation and environment. */
export interface OwnTime extends Owner {
  readonly kind: RetentionKind;
  /** A duration, FOREVER or AS_INSTALLATION. */
  readonly keep: string;
  readonly author: string;
  readonly changedAt: Date;
  /** Ids below it were deleted for this owner alone; '': none. */
  readonly droppedBefore: string;
  /** Changed or deleted outside the service: nothing is deleted until somebody sets it again. */
  readonly isForged: boolean;
  readonly row: SealedRow<'retention_time'> | undefined;
  /** The highest version that was ever written. */
  readonly newest: number;
}

interface Row extends Partial<SealedRow<'retention_time'>> {
  readonly row_id: readonly [string, Environment, RetentionKind] | null;
  readonly newest: number | null;
}

const VERSIONS = `FROM row_version WHERE table_name = 'retention_time'`;
const READ_ALL = `SELECT known.row_id, known.newest, ${sealedColumns('retention_time', 't')}
    FROM (SELECT row_id, max(version) AS newest ${VERSIONS} GROUP BY row_id) AS known
    FULL JOIN retention_time t ON known.row_id = ${rowIdSql('retention_time', 't')}
    ORDER BY coalesce(known.row_id, ${rowIdSql('retention_time', 't')})`;
/** Of one owner: each kind by its key, whether or not it has a row. */
const READ_OWN = `SELECT known.row_id, (SELECT max(version) ${VERSIONS} AND row_id = known.row_id) AS newest, ${sealedColumns('retention_time', 't')}
    FROM (SELECT ARRAY[$1::text, $2::text, kind] AS row_id FROM unnest($3::text[]) AS kind) AS known
    LEFT JOIN retention_time t ON t.organisation_id = $1 AND t.environment = $2 AND t.kind = known.row_id[3]`;

const isThere = (row: Partial<SealedRow<'retention_time'>>): row is SealedRow<'retention_time'> =>
  typeof row.kind === 'string';

function ownTimeOf(sql: Sql, found: Row): OwnTime {
  const row = isThere(found) ? found : undefined;
  const id = found.row_id ?? [found.organisation_id, found.environment, found.kind];
  // Rows and the ids of their versions are written for an owner and a kind.
  const [organisationId, environment, kind] = id as [string, Environment, RetentionKind];
  if (row === undefined) sql.seals.refuse('retention_time', `${id.join('/')} (its row was deleted)`);
  const isForged = row === undefined || !sql.seals.isGenuine('retention_time', row);
  return {
    organisationId,
    environment,
    kind,
    keep: isForged ? FOREVER : row.keep,
    author: row?.author ?? '',
    changedAt: row?.changed_at ?? new Date(0),
    droppedBefore: isForged ? '' : (row.dropped_before ?? ''),
    isForged,
    row,
    newest: found.newest ?? 0,
  };
}

/** Of all owners, in the order of their ids. @throws {ApiError} E6002 */
export async function readOwnTimes(sql: Sql): Promise<OwnTime[]> {
  const rows = await sql.query<Row>(READ_ALL, []);
  return rows.map((row) => ownTimeOf(sql, row)).filter(({ kind }) => kind in RETENTION_SETTINGS);
}

// Every log gets a record of each step of a deletion.
const OWNERS = `SELECT organisation_id AS "organisationId", environment FROM log UNION SELECT organisation_id, environment FROM retention_time ORDER BY 1, 2`;

/** All that may have data. @throws {ApiError} E6002 */
export const readOwners = (sql: Sql): Promise<Owner[]> => sql.query<Owner>(OWNERS, []);

/** Of one owner, where there is or was any. @throws {ApiError} E6002 */
export async function readTimesOf(sql: Sql, owner: Owner): Promise<ReadonlyMap<RetentionKind, OwnTime>> {
  const rows = await sql.query<Row>(READ_OWN, [...ownerColumns(owner), RETENTION_KINDS]);
  const known = rows.filter((row) => isThere(row) || row.newest !== null).map((row) => ownTimeOf(sql, row));
  return new Map(known.map((time) => [time.kind, time]));
}

export interface KeptTimes {
  /** Milliseconds; Infinity: for ever. */
  of(owner: Owner, kind: RetentionKind): number;
  /** The setting of the installation. */
  ofAll(kind: RetentionKind): number;
  /** The longest of the installation and of all organisations: what all of them share goes after that time. */
  longest(kind: RetentionKind): number;
  /** The names of the setting or command that the time of this length is from. */
  settingOf(kind: RetentionKind, ms: number): string;
  own(owner: Owner, kind: RetentionKind): OwnTime | undefined;
  /** As `of`, for what was just read of an owner. */
  ofOwn(time: OwnTime | undefined, kind: RetentionKind): number;
  /** Those of organisations that have their own. */
  owned(kind: RetentionKind): (Owner & { readonly ms: number })[];
}

export interface KeepSettings {
  readonly keepMs: KeepMs;
  /** What REFERRED_KINDS are kept at least, whatever an organisation's time says: the settings may have changed after it was set. */
  readonly leastKeepMs: number;
}

export const keepSettings = (config: Config): KeepSettings => ({
  keepMs: {
    decisions: config.keepDecisionsMs,
    facts: config.keepFactsMs,
    texts: config.keepTextsMs,
    intents: config.keepIntentsMs,
    signals: config.keepSignalsMs,
    jobs: config.keepJobsMs,
    deliveries: config.keepDeliveriesMs,
    approvals: config.keepApprovalsMs,
    actions: config.keepActionsMs,
  },
  leastKeepMs: Math.max(...needsOf(config).map(([ms]) => ms)),
});

/** In force now. @throws {ApiError} E6002 */
export async function readKeptTimes(sql: Sql, { keepMs, leastKeepMs }: KeepSettings): Promise<KeptTimes> {
  const times = await readOwnTimes(sql);
  const keyOf = (owner: Owner, kind: RetentionKind): string => [...ownerColumns(owner), kind].join(' ');
  const byKey = new Map(times.map((time) => [keyOf(time, time.kind), time]));
  const ofAll = (kind: RetentionKind): number => keepMs[kind] ?? Infinity;
  const msOf = ({ keep, kind }: OwnTime): number => {
    if (keep === AS_INSTALLATION) return ofAll(kind);
    const ms = parseDuration(keep) ?? Infinity;
    return Math.max(ms, REFERRED_KINDS.includes(kind) ? leastKeepMs : shortestKeepMs(kind));
  };
  const own: KeptTimes['own'] = (owner, kind) => byKey.get(keyOf(owner, kind));
  const owned: KeptTimes['owned'] = (kind) =>
    times
      .filter((time) => time.kind === kind && time.keep !== AS_INSTALLATION)
      .map((time) => ({ organisationId: time.organisationId, environment: time.environment, ms: msOf(time) }));
  const ofOwn: KeptTimes['ofOwn'] = (time, kind) => (time === undefined ? ofAll(kind) : msOf(time));
  return {
    of: (owner, kind) => ofOwn(own(owner, kind), kind),
    ofOwn,
    ofAll,
    longest: (kind) => Math.max(ofAll(kind), ...owned(kind).map(({ ms }) => ms)),
    settingOf: (kind, ms) => (ms === ofAll(kind) ? RETENTION_SETTINGS[kind] : 'custos retention'),
    own,
    owned,
  };
}

/** Stores the time of an owner for a kind. @param known as it was read in this transaction, behind the lock `partitions` */
export async function writeOwnTime(
  sql: Sql,
  owner: Owner,
  kind: RetentionKind,
  known: OwnTime | undefined,
  changes: Pick<SealedRow<'retention_time'>, 'keep' | 'author' | 'changed_at' | 'dropped_before'>,
): Promise<void> {
  const columns: Changes<'retention_time'> = changes;
  if (known?.row !== undefined) return void (await updateSealed(sql, 'retention_time', known.row, columns));
  const [organisation_id, environment] = ownerColumns(owner);
  const version = (known?.newest ?? 0) + 1;
  await insertSealed(sql, 'retention_time', { organisation_id, environment, kind, ...changes, version });
}

/** Stores how far data of one owner was deleted, in the caller's transaction. */
export async function writeOwnDrop(
  sql: Sql,
  owner: Owner,
  kind: RetentionKind,
  known: OwnTime | undefined,
  { beforeId, nowMs }: { readonly beforeId: string; readonly nowMs: number },
): Promise<void> {
  const { keep = AS_INSTALLATION, author = 'custos', changedAt = new Date(nowMs) } = known ?? {};
  await writeOwnTime(sql, owner, kind, known, { keep, author, changed_at: changedAt, dropped_before: beforeId });
}
