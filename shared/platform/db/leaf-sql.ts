// SQL about leaves. A leaf names its log, and not what its log says of it: the organisation and the environment. Its event and its proof id
// tell in which table its record is, and under which id.

/** The event of records of decisions, which callers may not use. */
export const DECISION_EVENT = 'custos.decision';

/** The logs of an owner, one for each generation. */
export const logsOf = (organisationId: string, environment: string): string =>
  `(SELECT log_id FROM log WHERE log.organisation_id = ${organisationId} AND log.environment = ${environment})`;

/**
 * The leaf of a proof, as a subquery of one row or none. A range from the id to the id with an ORDER BY, because only one index has this
 * order: before the first ANALYZE the planner also chose the primary key, and read all leaves of the log.
 * @param proofId SQL of its id
 */
export const leafOf = (organisationId: string, environment: string, proofId: string): string => `(
      SELECT found.* FROM ${logsOf(organisationId, environment)} AS own CROSS JOIN LATERAL (
        SELECT * FROM leaf WHERE leaf.log_id = own.log_id AND leaf.proof_id >= ${proofId} AND leaf.proof_id <= ${proofId}
        ORDER BY leaf.log_id, leaf.proof_id LIMIT 1
      ) AS found LIMIT 1
    )`;

/** Whether the record of a leaf is in its row of decision; otherwise it is in record, under the id of the proof. */
export const isDecision = (leaf: string): string => `${leaf}.event = '${DECISION_EVENT}'`;

/** The id of the decision of such a leaf. */
export const decisionIdOf = (leaf: string): string => `'dec' || substr(${leaf}.proof_id, 4)`;

/** The id of a decision's proof. Rows of earlier versions have it in a column, too, which the auditor compares. */
export const proofOf = (decision: string): string => `'prf' || substr(${decision}.decision_id, 4)`;
