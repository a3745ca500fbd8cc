// The inbox of a log: rows that wait to become leaves, inserted in the transaction that creates the records, and the job that
// appends them. Decisions of one statement share a row: their ids are in `source_id` with spaces between them, their verdicts in
// the same order in `verdict`. A row for each was a tenth of the WAL of a decision. A space ends the ids: a worker of an older version, which
// would hash a packed record as it is stored, finds no decision with such an id and leaves the row to the others.
import { COUNTED_SECONDS } from '../../kernel/time-buckets.ts';
import { enqueueSql } from '../../platform/queues/outbox.ts';

/**
 * The end of a statement: one outbox row for each log among its rows. The relay coalesces such rows into one job.
 * @param rows a table or WITH member that has organisation_id and environment
 */
export const wakeLogs = (rows: string): string =>
  enqueueSql(
    'proofs',
    'append',
    { organisationId: 'organisation_id', environment: 'environment' },
    `(SELECT DISTINCT organisation_id, environment FROM ${rows}) AS log`,
  );

/** Rows of one time bucket only, so that waiting decisions are counted by the time of their row. */
const SECONDS = Math.min(...COUNTED_SECONDS);

/**
 * Inserts decisions into the inboxes of their logs, with their verdicts, so that waiting decisions are counted without a join.
 * @param rows a WITH member that has organisation_id, environment, decision_id, verdict and evaluated_at
 */
export const decisionsToLog = (
  rows: string,
): string => `INSERT INTO log_inbox (organisation_id, environment, source, source_id, verdict, evaluated_at)
      SELECT organisation_id, environment, 'decision', string_agg(decision_id, ' ' ORDER BY decision_id) || ' ', string_agg(verdict, ' ' ORDER BY decision_id), min(evaluated_at)
      FROM ${rows} GROUP BY organisation_id, environment, floor(extract(epoch FROM evaluated_at) / ${SECONDS})`;

/** The ids that wait in a row, as an array. The id of another record than a decision is the caller's, and may hold a space. */
export const waitingIds = (row: string): string =>
  `CASE WHEN ${row}.source = 'decision' THEN string_to_array(rtrim(${row}.source_id, ' '), ' ') ELSE ARRAY[${row}.source_id] END`;

/** How many decisions with a verdict wait in a row. */
export const waitingWith = (row: string, verdict: string): string =>
  `cardinality(array_positions(string_to_array(${row}.verdict, ' '), '${verdict}'))`;
