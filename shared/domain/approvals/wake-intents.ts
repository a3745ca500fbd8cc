// Queues the job that evaluates the submitted intents of one organisation and environment. Their rows are written by the same statement.
import { enqueueSql } from '../../platform/queues/outbox.ts';

/**
 * The end of a statement: one outbox row for each organisation and environment among its rows. The relay coalesces such rows into one job.
 * @param rows a table or WITH member that has organisation_id and environment
 */
export const wakeIntents = (rows: string): string =>
  enqueueSql(
    'intents',
    'evaluate',
    { organisationId: 'organisation_id', environment: 'environment' },
    `(SELECT DISTINCT organisation_id, environment FROM ${rows}) AS owner`,
  );
