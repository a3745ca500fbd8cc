// The seals of submitted intents (table intent): who can write to the database must not submit one in the name of a key. Rows from before
// migration 0060 have none; its triggers let nobody make others.
import type { Seals } from './seals.ts';

/** What was submitted, as its seal covers it. */
export interface SubmissionRow {
  readonly organisation_id: string;
  readonly environment: string;
  readonly intent_id: string;
  readonly agent_id: string;
  readonly key_id: string;
  readonly action: string;
  readonly resource: string;
  /** JSON text of the tool call. */
  readonly tool: string | null;
  /** JSON text. */
  readonly context: string | null;
  readonly traceparent: string | null;
  /** X-Request-Id of the submission; null in rows older than this column. */
  readonly request_id: string | null;
  /** Of the client that submitted it; null in rows older than this column. */
  readonly client_address: string | null;
  readonly submitted_at: Date;
}

/** These columns as a SELECT list, with the seal. */
export const SUBMISSION =
  'organisation_id, environment, intent_id, agent_id, key_id, action, resource, tool, context, traceparent, request_id, client_address, submitted_at, submission_seal';

const submissionText = (row: SubmissionRow): string =>
  JSON.stringify([
    row.organisation_id,
    row.environment,
    row.intent_id,
    row.agent_id,
    row.key_id,
    row.action,
    row.resource,
    row.tool,
    row.context,
    row.traceparent,
    row.request_id,
    row.client_address,
    row.submitted_at.toISOString(),
  ]);

export const submissionSeal = (seals: Pick<Seals, 'sealOfText'>, row: SubmissionRow): Buffer =>
  seals.sealOfText('submission', submissionText(row));

export const isSubmissionGenuine = (
  seals: Pick<Seals, 'isSealOfText'>,
  row: SubmissionRow & { readonly submission_seal: Buffer | null },
): boolean =>
  row.submission_seal === null || seals.isSealOfText('submission', submissionText(row), row.submission_seal);
