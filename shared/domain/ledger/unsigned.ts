// Logs with leaves that no checkpoint covers, as while their folder of kept checkpoints can't be used. Such leaves have no receipt yet.

/** SQL: the owner of each such log, and when its oldest such leaf was appended. Halted logs, and those that were forked, are not signed any more. */
export const UNSIGNED = `SELECT log.organisation_id, log.environment, first.appended_at AS created_at FROM log CROSS JOIN LATERAL (
      SELECT appended_at FROM leaf WHERE leaf.log_id = log.log_id AND leaf_index >= coalesce(
        (SELECT checkpoint.size FROM checkpoint WHERE checkpoint.log_id = log.log_id ORDER BY checkpoint.size DESC LIMIT 1), 0)
      ORDER BY leaf.log_id, leaf_index LIMIT 1
    ) AS first WHERE log.halted_reason IS NULL AND NOT EXISTS (
      SELECT FROM log AS later WHERE later.organisation_id = log.organisation_id AND later.environment = log.environment
        AND later.generation > log.generation
    )`;
