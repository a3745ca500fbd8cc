// Finds the organisation, and the agent, intent or webhook that dead jobs work for, from the ids in their payloads.
import { anyText, columnMap } from '../../shared/platform/db/columns.ts';
import type { DeadJobRecord } from '../../shared/platform/queues/dead-jobs.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import type { JobSubject } from './client/wire/jobs.ts';

interface NamedIntent {
  readonly organisationId: string;
  readonly environment: string;
  readonly intentId: string;
}

const NAMED = columnMap<NamedIntent>({
  organisation_id: anyText(({ organisationId }) => organisationId),
  environment: anyText(({ environment }) => environment),
  intent_id: anyText(({ intentId }) => intentId),
});
const INTENTS = `SELECT i.organisation_id, i.environment, i.intent_id AS id, i.agent_id, i.action, i.resource FROM intent i
    JOIN (${NAMED.rows()}) AS one USING (organisation_id, environment, intent_id)`;
const ORGANISATIONS = 'SELECT id, slug FROM organisation WHERE id = ANY ($1)';
const WEBHOOKS = 'SELECT endpoint_id AS id, url FROM webhook_endpoint WHERE endpoint_id = ANY ($1)';

interface IntentRow {
  readonly organisation_id: string;
  readonly environment: string;
  readonly id: string;
  readonly agent_id: string;
  readonly action: string;
  readonly resource: string;
}

/** A member of a payload, which may be anything: also what is not a job ends as a dead job. */
function memberOf({ payload }: DeadJobRecord, name: string): string | undefined {
  const value: unknown =
    typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The short names of the organisations of jobs, by id. */
export async function readOrganisations(db: Sql, jobs: readonly DeadJobRecord[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(jobs.flatMap(({ organisationId }) => organisationId ?? []))];
  const rows = ids.length === 0 ? [] : await db.query<{ id: string; slug: string }>(ORGANISATIONS, [ids]);
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

/** By the number of the dead job; jobs for everybody, such as folding signals, have none. Two queries for any number of jobs. */
export async function readSubjects(db: Sql, jobs: readonly DeadJobRecord[]): Promise<ReadonlyMap<string, JobSubject>> {
  const named = jobs.flatMap((job): NamedIntent[] => {
    const { organisationId, environment } = job;
    const intentId = memberOf(job, 'intentId');
    return organisationId === null || environment === null || intentId === undefined
      ? []
      : [{ organisationId, environment, intentId }];
  });
  const endpoints = jobs.flatMap((job) => memberOf(job, 'endpointId') ?? []);
  const [intents, webhooks] = await Promise.all([
    named.length === 0 ? [] : db.query<IntentRow>(INTENTS, NAMED.values(named)),
    endpoints.length === 0 ? [] : db.query<{ id: string; url: string }>(WEBHOOKS, [endpoints]),
  ]);
  const idOf = (organisationId: string | null, environment: string | null, id: string | undefined): string =>
    `${environment}\n${organisationId}\n${id}`;
  const byIntent = new Map(intents.map((row) => [idOf(row.organisation_id, row.environment, row.id), row]));
  const urls = new Map(webhooks.map(({ id, url }) => [id, url]));
  return new Map(
    jobs.map((job) => {
      const intent = byIntent.get(idOf(job.organisationId, job.environment, memberOf(job, 'intentId')));
      const webhookId = memberOf(job, 'endpointId');
      const url = webhookId === undefined ? undefined : urls.get(webhookId);
      return [
        job.deadJobId,
        {
          ...(intent && {
            intentId: intent.id,
            agentId: intent.agent_id,
            request: `${intent.action} ${intent.resource}`,
          }),
          ...(webhookId !== undefined && url !== undefined && { webhookId, url }),
        },
      ];
    }),
  );
}
