// How a record gets to its log: an inbox row in the transaction that makes it, and a job that wakes the log's worker.

/**
 * Ends a statement: one outbox row for each log among its rows. The relay makes one job of many such rows.
 * @param rows what stands behind FROM; has organisation_id and environment
 */
export const wakeLogs = (rows: string): string => `INSERT INTO outbox (queue, name, payload)
    SELECT 'proofs', 'append', json_build_object('v', 1, 'organisationId', organisation_id, 'environment', environment)::text
    FROM (SELECT DISTINCT organisation_id, environment FROM ${rows}) AS log`;
