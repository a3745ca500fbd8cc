// The evidence of decisions from PostgreSQL: rows with their leaves, policy sets, and the records of trust, halts, approvals and keys.
import type { Database } from '../../platform/db/database.ts';
import { NO_PREVIOUS, sealRecord } from '../../core/proof/record.ts';
import { ENVIRONMENTS, type Environment } from '../../kernel/vocabulary.ts';
import type { DecisionEvidence } from '../../core/verification/decision.ts';
import type { LoggedRecord } from '../../core/verification/failures.ts';

/** The log of a decision, and the agent whose trust it used. */
export interface DecisionOwner {
  readonly organisationId: string;
  readonly environment: string;
  readonly agentId: string;
}

/** A stored decision with the part of its evidence from its own row. */
export interface FoundDecision {
  readonly decisionId: string;
  readonly owner: DecisionOwner;
  /** From the column. A record that names another one is a failure. */
  readonly policyDigest: string | null;
  readonly evidence: Pick<DecisionEvidence, 'record' | 'columns' | 'facts'>;
}

/** A range of ids, which sort by time, in one organisation and environment. */
export interface DecisionSpan {
  readonly organisationId: string;
  readonly environment: string;
  /** The newest at the start; later decisions are left for the next verification. */
  readonly lastId: string;
}

export interface DecisionRange {
  /** Undefined: all of them. */
  readonly organisationId?: string | undefined;
  readonly environment?: Environment | undefined;
  /** Inclusive; milliseconds since 1970. */
  readonly fromMs?: number | undefined;
}

export interface EvidenceStore {
  byId(decisionId: string): Promise<FoundDecision | undefined>;
  spans(range: DecisionRange): Promise<DecisionSpan[]>;
  /** Oldest first, only ids after this one. */
  page(span: DecisionSpan, afterId: string, limit: number): Promise<FoundDecision[]>;
  /** Those of one organisation and environment that have these ids. */
  some(owner: Omit<DecisionOwner, 'agentId'>, ids: readonly string[]): Promise<FoundDecision[]>;
  policySet(digest: string): Promise<string | undefined>;
  trustRecords(owner: DecisionOwner): Promise<LoggedRecord[]>;
  haltRecords(owner: Omit<DecisionOwner, 'agentId'>): Promise<LoggedRecord[]>;
  approvalRecords(owner: DecisionOwner): Promise<LoggedRecord[]>;
  keyRecords(owner: Omit<DecisionOwner, 'agentId'>): Promise<LoggedRecord[]>;
  /** The id of the ESCALATE that opened an approval, which may have no record yet. */
  openingOf(owner: DecisionOwner, approvalId: string): Promise<string | undefined>;
}

const COLUMNS = `SELECT decision.decision_id, decision.organisation_id, decision.environment, decision.agent_id, decision.key_id, decision.verdict,
    decision.evaluated_at, decision.policy_digest, decision.proof_id, decision.request_id, decision.tool_server, decision.tool_name, decision.record, decision.facts, decision.facts_salt,
    encode(leaf.previous_hash, 'hex') AS previous_hash, encode(leaf.event_hash, 'hex') AS event_hash, encode(leaf.leaf_hash, 'hex') AS leaf_hash`;
const LEAF =
  'LEFT JOIN leaf ON leaf.organisation_id = decision.organisation_id AND leaf.environment = decision.environment AND leaf.proof_id = decision.proof_id';

// The primary key begins with organisation and environment. There are few of them, so an id is searched in each.
const OWNERS = `(SELECT id AS organisation_id, environment FROM organisation, unnest(array['${ENVIRONMENTS.join("','")}']) AS environment) AS one`;
const OF_OWNER = 'decision.organisation_id = one.organisation_id AND decision.environment = one.environment';
const BY_ID = `${COLUMNS} FROM ${OWNERS} JOIN decision ON ${OF_OWNER} AND decision.decision_id = $1 ${LEAF}`;
const SPANS = `SELECT one.organisation_id, one.environment, newest.decision_id FROM ${OWNERS}
    CROSS JOIN LATERAL (SELECT decision_id FROM decision WHERE ${OF_OWNER} ORDER BY decision_id DESC LIMIT 1) AS newest
    WHERE ($1::text IS NULL OR one.organisation_id = $1) AND ($2::text IS NULL OR one.environment = $2) ORDER BY 1, 2`;
const PAGE = `${COLUMNS} FROM (
      SELECT * FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id > $3 AND decision_id <= $4
      ORDER BY decision_id LIMIT $5
    ) AS decision ${LEAF} ORDER BY decision.decision_id`;
const SOME = `${COLUMNS} FROM (
      SELECT found.* FROM unnest($3::text[]) AS asked (decision_id) CROSS JOIN LATERAL (
        SELECT * FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id >= asked.decision_id AND decision_id <= asked.decision_id
        ORDER BY organisation_id, environment, decision_id LIMIT 1
      ) AS found
    ) AS decision ${LEAF} ORDER BY decision.decision_id`;
const POLICY_SET = 'SELECT canonical FROM policy_set WHERE digest = $1';
const OPENING = 'SELECT decision_id FROM approval WHERE organisation_id = $1 AND environment = $2 AND approval_id = $3';
/** Records of one entity: those in the log, then those in its inbox. */
const RECORDS = `SELECT record.record, encode(leaf.previous_hash, 'hex') AS previous_hash, encode(leaf.event_hash, 'hex') AS event_hash, encode(leaf.leaf_hash, 'hex') AS leaf_hash,
      leaf.chain_index AS place, 0::bigint AS seq
    FROM leaf LEFT JOIN record ON record.organisation_id = leaf.organisation_id AND record.environment = leaf.environment AND record.proof_id = leaf.source_id
    WHERE leaf.organisation_id = $1 AND leaf.environment = $2 AND leaf.entity_id = $3 AND leaf.event = $4
    UNION ALL
    SELECT record.record, NULL, NULL, NULL, NULL, waiting.seq
    FROM log_inbox AS waiting JOIN record ON record.organisation_id = $1 AND record.environment = $2 AND record.proof_id = waiting.source_id
    WHERE waiting.organisation_id = $1 AND waiting.environment = $2 AND waiting.source = 'record' AND record.entity_id = $3 AND record.event = $4
    ORDER BY place NULLS LAST, seq`;

interface LeafColumns {
  previous_hash: string | null;
  event_hash: string | null;
  leaf_hash: string | null;
}

interface DecisionRow extends LeafColumns {
  decision_id: string;
  organisation_id: string;
  environment: string;
  agent_id: string;
  key_id: string;
  verdict: string;
  evaluated_at: Date;
  policy_digest: string | null;
  proof_id: string;
  request_id: string | null;
  tool_server: string | null;
  tool_name: string | null;
  record: Buffer;
  facts: Buffer | null;
  facts_salt: Buffer | null;
}

interface RecordRow extends LeafColumns {
  /** Null: the leaf exists without its record. */
  record: Buffer | null;
}

const GONE = Buffer.alloc(0);

function loggedOf({
  record,
  previous_hash: previousHash,
  event_hash: eventHash,
  leaf_hash: leafHash,
}: RecordRow): LoggedRecord {
  const { bytes } = sealRecord(record ?? GONE, previousHash ?? NO_PREVIOUS);
  return eventHash === null || leafHash === null ? { bytes } : { bytes, leaf: { eventHash, leafHash } };
}

function foundOf(row: DecisionRow): FoundDecision {
  return {
    decisionId: row.decision_id,
    owner: { organisationId: row.organisation_id, environment: row.environment, agentId: row.agent_id },
    policyDigest: row.policy_digest,
    evidence: {
      record: loggedOf(row),
      columns: {
        decisionId: row.decision_id,
        environment: row.environment,
        agentId: row.agent_id,
        keyId: row.key_id,
        verdict: row.verdict,
        evaluatedAt: row.evaluated_at.toISOString(),
        policyDigest: row.policy_digest,
        proofId: row.proof_id,
        requestId: row.request_id,
        toolServer: row.tool_server,
        toolName: row.tool_name,
      },
      // Retention erases both. One without the other is damage.
      facts:
        row.facts === null && row.facts_salt === null
          ? undefined
          : { text: row.facts ?? GONE, salt: row.facts_salt ?? GONE },
    },
  };
}

export function createEvidenceStore(deps: { readonly db: Database }): EvidenceStore {
  const { db } = deps;
  const records = async (
    { organisationId, environment }: Omit<DecisionOwner, 'agentId'>,
    entityId: string,
    event: string,
  ): Promise<LoggedRecord[]> =>
    (await db.query<RecordRow>(RECORDS, [organisationId, environment, entityId, event])).map(loggedOf);
  return {
    async byId(decisionId) {
      const [row] = await db.query<DecisionRow>(BY_ID, [decisionId]);
      return row === undefined ? undefined : foundOf(row);
    },
    async spans({ organisationId, environment }) {
      const rows = await db.query<Pick<DecisionRow, 'organisation_id' | 'environment' | 'decision_id'>>(SPANS, [
        organisationId ?? null,
        environment ?? null,
      ]);
      return rows.map((row) => ({
        organisationId: row.organisation_id,
        environment: row.environment,
        lastId: row.decision_id,
      }));
    },
    async page({ organisationId, environment, lastId }, afterId, limit) {
      return (await db.query<DecisionRow>(PAGE, [organisationId, environment, afterId, lastId, limit])).map(foundOf);
    },
    async some({ organisationId, environment }, ids) {
      return (await db.query<DecisionRow>(SOME, [organisationId, environment, ids])).map(foundOf);
    },
    async policySet(digest) {
      const [row] = await db.query<{ canonical: Buffer }>(POLICY_SET, [digest]);
      return row?.canonical.toString('utf8');
    },
    trustRecords: (owner) => records(owner, owner.agentId, 'custos.trust'),
    haltRecords: (owner) => records(owner, 'custos:halt', 'custos.halt'),
    keyRecords: (owner) => records(owner, 'custos:keys', 'custos.key'),
    approvalRecords: (owner) => records(owner, owner.agentId, 'custos.approval'),
    async openingOf({ organisationId, environment }, approvalId) {
      const [row] = await db.query<{ decision_id: string }>(OPENING, [organisationId, environment, approvalId]);
      return row?.decision_id;
    },
  };
}
