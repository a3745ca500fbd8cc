// How a record gets to its log: an inbox row in the transaction that makes it, and a job that wakes the log's worker.
import { enqueueSql } from '../../platform/queues/outbox.ts';

/**
 * Ends a statement: one outbox row for each log among its rows. The relay makes one job of many such rows.
 * @param rows a table or WITH member that has organisation_id and environment
 */
export const wakeLogs = (rows: string): string =>
  enqueueSql(
    'proofs',
    'append',
    { organisationId: 'organisation_id', environment: 'environment' },
    `(SELECT DISTINCT organisation_id, environment FROM ${rows}) AS log`,
  );
