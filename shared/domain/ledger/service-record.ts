// Records of the service itself, such as changes of keys. Each is written in the transaction of the change that it records.
import type { Owner } from '../../kernel/owner.ts';
import type { Sql } from '../../platform/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { recordPrefix } from '../../core/proof/record.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { wakeLogs } from './inbox.ts';

/** Entities of the service's records. Callers' ids cannot begin with `custos:`. */
const SERVICE_ENTITIES = {
  'custos.policy_set': 'custos:policies',
  'custos.key': 'custos:keys',
  'custos.halt': 'custos:halt',
  'custos.resource': 'custos:resources',
  'custos.session': 'custos:sessions',
  'custos.fork': 'custos:log',
  'custos.log': 'custos:log',
  'custos.dashboard': 'custos:dashboard',
  'custos.retention': 'custos:retention',
  'custos.retention_time': 'custos:retention',
} as const;
export type ServiceEvent = keyof typeof SERVICE_ENTITIES;

/** Events of the service's records on the chain of the agent concerned. */
const AGENT_EVENTS = ['custos.approval', 'custos.agent', 'custos.outcome'] as const;
export type AgentEvent = (typeof AGENT_EVENTS)[number];

interface RecordOwner extends Owner {
  /** Plain JSON, included unchanged. */
  readonly body: object;
}

export type ServiceRecord = RecordOwner &
  ({ readonly event: ServiceEvent } | { readonly event: AgentEvent; readonly agentId: string });

const SLUG = 'SELECT slug FROM organisation WHERE id = $1';
const ALL_LOGS = 'SELECT DISTINCT organisation_id, environment FROM log ORDER BY organisation_id, environment';
const LOGS_OF = "SELECT environment FROM log WHERE organisation_id = $1 UNION SELECT 'live' ORDER BY environment";
const INSERT = `WITH made AS (
      INSERT INTO record (organisation_id, environment, proof_id, entity_id, event, occurred_at, record)
      VALUES ($1, $2, $3, $4, $5, $6, convert_to($7, 'UTF8')) RETURNING organisation_id, environment, proof_id
    ), waiting AS (
      INSERT INTO log_inbox (organisation_id, environment, source, source_id) SELECT organisation_id, environment, 'record', proof_id FROM made
    ) ${wakeLogs('made')}`;

/** Stores a record and its inbox row. It reaches its log if, and only if, the caller's transaction commits. */
export async function writeServiceRecord(sql: Sql, record: ServiceRecord, nowMs: number): Promise<void> {
  const { organisationId, environment, event, body } = record;
  const entityId = 'agentId' in record ? record.agentId : SERVICE_ENTITIES[record.event];
  const [organisation] = await sql.query<{ slug: string }>(SLUG, [organisationId]);
  if (organisation === undefined) throw new Error('a record of an organisation that does not exist');
  const proofId = newId('prf', nowMs);
  const occurredAt = new Date(nowMs).toISOString();
  const prefix = recordPrefix({
    entityId,
    event,
    occurredAt,
    body: canonicalize(body),
    environment,
    organisationSlug: organisation.slug,
    proofId,
  });
  await sql.query(INSERT, [organisationId, environment, proofId, entityId, event, occurredAt, prefix]);
}

/**
 * Stores a record for every log, for changes of the whole installation.
 * @param body the same for all, or made for each organisation
 */
export async function writeToAllLogs(
  sql: Sql,
  event: ServiceEvent,
  body: object | ((organisationId: string) => object),
  nowMs: number,
): Promise<void> {
  const bodyFor = (organisationId: string): object =>
    // A body is plain JSON, so a function makes one.
    typeof body === 'function' ? (body as (organisationId: string) => object)(organisationId) : body;
  const logs = await sql.query<{ organisation_id: string; environment: Environment }>(ALL_LOGS, []);
  for (const { organisation_id: organisationId, environment } of logs)
    await writeServiceRecord(sql, { organisationId, environment, event, body: bodyFor(organisationId) }, nowMs);
}

/** Stores a record for all logs of one organisation; for its live log also before it has one. */
export async function writeToLogsOf(
  sql: Sql,
  organisationId: string,
  { event, body }: { readonly event: ServiceEvent; readonly body: object },
  nowMs: number,
): Promise<void> {
  const logs = await sql.query<{ environment: Environment }>(LOGS_OF, [organisationId]);
  for (const { environment } of logs)
    await writeServiceRecord(sql, { organisationId, environment, event, body }, nowMs);
}
