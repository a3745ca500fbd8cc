// Webhook endpoints: stored, listed, changed and deleted by administrators.
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Environment, Verdict } from '../../kernel/vocabulary.ts';
import { type DisabledReason, MAX_ENDPOINTS, type WebhookEventType } from '../../kernel/webhook-events.ts';
import type { Sql } from '../../platform/db/database.ts';
import { type StoredSigningKey, storeSecret, validKeys } from './signing-keys.ts';

/** A row of webhook_endpoint. */
export interface EndpointRow {
  readonly endpoint_id: string;
  readonly organisation_id: string;
  readonly environment: Environment;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly WebhookEventType[];
  readonly verdicts: readonly Verdict[] | null;
  readonly agent_ids: readonly string[] | null;
  /** JSON of StoredSigningKey[]. */
  readonly signing_keys: string;
  readonly created_at: Date;
  readonly created_by: string;
  readonly disabled_at: Date | null;
  readonly disabled_reason: DisabledReason | null;
  readonly failing_since: Date | null;
}

export const ENDPOINT_COLUMNS =
  'endpoint_id, organisation_id, environment, url, description, events, verdicts, agent_ids, signing_keys, created_at, created_by, disabled_at, disabled_reason, failing_since';
const OF_OWNER = 'organisation_id = $1 AND environment = $2';
const LIST = `SELECT ${ENDPOINT_COLUMNS} FROM webhook_endpoint WHERE ${OF_OWNER} ORDER BY endpoint_id DESC`;
const READ = `SELECT ${ENDPOINT_COLUMNS} FROM webhook_endpoint WHERE ${OF_OWNER} AND endpoint_id = $3`;
const HOLD = `${READ} FOR UPDATE`;
const COUNT = `SELECT count(*)::int AS n FROM webhook_endpoint WHERE ${OF_OWNER}`;
// Two requests at once must not both find room. The lock is of the organisation's row, which always exists.
const LOCK_OWNER = 'SELECT FROM organisation WHERE id = $1 FOR NO KEY UPDATE';
const INSERT = `INSERT INTO webhook_endpoint (organisation_id, environment, endpoint_id, url, description, events, verdicts, agent_ids, signing_keys, created_at, created_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${ENDPOINT_COLUMNS}`;
// An endpoint gets what is appended from now on. A log that does not exist yet is read from its beginning.
const START = `INSERT INTO webhook_cursor (endpoint_id, log_id, stream, next_index)
    SELECT $3, log_id, stream, size FROM log CROSS JOIN unnest(ARRAY['records', 'proofs']) AS stream WHERE ${OF_OWNER}`;
const UPDATE = `UPDATE webhook_endpoint SET url = $2, description = $3, events = $4, verdicts = $5, agent_ids = $6, signing_keys = $7,
      disabled_at = $8, disabled_reason = $9, failing_since = $10, leased_until = CASE WHEN $11 THEN '-infinity' ELSE leased_until END
    WHERE endpoint_id = $1 RETURNING ${ENDPOINT_COLUMNS}`;
const DELETE = 'DELETE FROM webhook_endpoint WHERE endpoint_id = $1';

export interface EndpointSettings {
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly WebhookEventType[];
  readonly verdicts: readonly Verdict[] | null;
  readonly agentIds: readonly string[] | null;
}

const first = <T>(rows: readonly T[]): T => {
  const [row] = rows;
  if (row === undefined) throw new Error('a row that was just written was not returned');
  return row;
};

export function endpointNotFound(): ApiError {
  return new ApiError('E4001', 'There is no such webhook in this organisation and environment.');
}

export const keysOf = ({ signing_keys: text }: Pick<EndpointRow, 'signing_keys'>): StoredSigningKey[] =>
  // Only this file and the rotation of the pepper write the column.
  JSON.parse(text) as StoredSigningKey[];

export function listEndpoints(sql: Sql, owner: Owner): Promise<EndpointRow[]> {
  return sql.query<EndpointRow>(LIST, ownerColumns(owner));
}

export async function readEndpoint(sql: Sql, owner: Owner, endpointId: string): Promise<EndpointRow> {
  const [row] = await sql.query<EndpointRow>(READ, [...ownerColumns(owner), endpointId]);
  if (row === undefined) throw endpointNotFound();
  return row;
}

/** Locks the row until the transaction ends. The fan-out and the delivery of messages hold the same lock. */
export async function holdEndpoint(sql: Sql, owner: Owner, endpointId: string): Promise<EndpointRow> {
  const [row] = await sql.query<EndpointRow>(HOLD, [...ownerColumns(owner), endpointId]);
  if (row === undefined) throw endpointNotFound();
  return row;
}

/** @throws {ApiError} E5002 when the environment has MAX_ENDPOINTS */
export async function createEndpoint(
  sql: Sql,
  owner: Owner,
  settings: EndpointSettings,
  made: { readonly secret: string; readonly by: string; readonly nowMs: number },
): Promise<EndpointRow> {
  await sql.query(LOCK_OWNER, [owner.organisationId]);
  const [count] = await sql.query<{ n: number }>(COUNT, ownerColumns(owner));
  if (count === undefined || count.n >= MAX_ENDPOINTS)
    throw new ApiError('E5002', `An environment can have ${MAX_ENDPOINTS} webhooks; delete one first.`);
  const endpointId = newId('whk', made.nowMs);
  const { url, description, events, verdicts, agentIds } = settings;
  const keys = JSON.stringify([storeSecret(sql.seals, endpointId, made.secret)]);
  const at = new Date(made.nowMs);
  const values = [endpointId, url, description, events, verdicts, agentIds, keys, at, made.by];
  const rows = await sql.query<EndpointRow>(INSERT, [...ownerColumns(owner), ...values]);
  await sql.query(START, [...ownerColumns(owner), endpointId]);
  return first(rows);
}

async function update(sql: Sql, row: EndpointRow, isReleased: boolean): Promise<EndpointRow> {
  const rows = await sql.query<EndpointRow>(UPDATE, [
    row.endpoint_id,
    row.url,
    row.description,
    row.events,
    row.verdicts,
    row.agent_ids,
    row.signing_keys,
    row.disabled_at,
    row.disabled_reason,
    row.failing_since,
    isReleased,
  ]);
  return first(rows);
}

/** @param row a row that this transaction holds */
export function changeEndpoint(
  sql: Sql,
  row: EndpointRow,
  { enabled, ...patch }: Partial<EndpointSettings> & { readonly enabled?: boolean },
  nowMs: number,
): Promise<EndpointRow> {
  const { verdicts = row.verdicts, agentIds = row.agent_ids, description = row.description } = patch;
  const isEnabling = enabled === true && row.disabled_at !== null;
  const isDisabling = enabled === false && row.disabled_at === null;
  const state: Pick<EndpointRow, 'disabled_at' | 'disabled_reason' | 'failing_since'> = isEnabling
    ? { disabled_at: null, disabled_reason: null, failing_since: null }
    : isDisabling
      ? { disabled_at: new Date(nowMs), disabled_reason: 'operator', failing_since: row.failing_since }
      : row;
  const { disabled_at, disabled_reason } = state;
  const { url = row.url, events = row.events } = patch;
  // Another address has not failed yet.
  const failing_since = url === row.url ? state.failing_since : null;
  const changed = {
    url,
    events,
    description,
    verdicts,
    agent_ids: agentIds,
    disabled_at,
    disabled_reason,
    failing_since,
  };
  return update(sql, { ...row, ...changed }, isEnabling);
}

/** Keys that may sign at once: each adds a signature to every message. */
const MAX_KEYS = 5;

/**
 * Adds a key. The others sign until the overlap ends, or their own overlap does.
 * @param row a row that this transaction holds
 * @throws {ApiError} E5002 when too many rotations overlap
 */
export function rotateKeys(
  sql: Sql,
  row: EndpointRow,
  { secret, overlapMs, nowMs }: { readonly secret: string; readonly overlapMs: number; readonly nowMs: number },
): Promise<EndpointRow> {
  const endMs = nowMs + overlapMs;
  const others = validKeys(keysOf(row), nowMs).map((key) => {
    const untilMs = key.until === undefined ? endMs : Math.min(endMs, Date.parse(key.until));
    return { ...key, until: new Date(untilMs).toISOString() };
  });
  const kept = validKeys(others, nowMs);
  if (kept.length >= MAX_KEYS)
    throw new ApiError(
      'E5002',
      `${kept.length} keys sign at the moment; wait until the overlap of one ends, or rotate with overlap 0m.`,
    );
  const keys = [storeSecret(sql.seals, row.endpoint_id, secret), ...kept];
  return update(sql, { ...row, signing_keys: JSON.stringify(keys) }, false);
}

/** Its deliveries are removed by the job forget-deliveries. */
export async function deleteEndpoint(sql: Sql, { endpoint_id: endpointId }: EndpointRow): Promise<void> {
  await sql.query(DELETE, [endpointId]);
}
