// How a record gets to its log: an inbox row in the transaction that makes it, and a job that wakes the log's worker.

/**
 * Ends a statement whose rows have organisation_id and environment: one outbox row for each log among them. Append
 * `FROM <rows>`. The relay makes one job of many such rows.
 */
export const WAKE_LOG = `INSERT INTO outbox (queue, name, payload)
    SELECT DISTINCT 'proofs', 'append', json_build_object('v', 1, 'organisationId', organisation_id, 'environment', environment)::text`;
