// The evidence of decisions from PostgreSQL: rows with their leaves, policy sets, and the records of trust, halts, approvals and keys.
import type { Database } from '../../platform/db/database.ts';
import { unpackRecord } from '../../core/decision/packed-record.ts';
import { unpackFacts } from '../../core/decision/packed-facts.ts';
import { NO_PREVIOUS, sealRecord } from '../../core/proof/record.ts';
import { readDecisionRecord } from '../../core/verification/record.ts';
import { sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import { leafOf, logsOf, proofOf } from '../../platform/db/leaf-sql.ts';
import type { TrustEntry, TrustPlace } from '../../core/verification/trust-reader.ts';
import { readDroppedBefore } from '../retention/dropped.ts';
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
  /** From the column of a row that has it, else from the record. A record that names another one than its column is a failure. */
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
  /** Whether retention dropped decisions of this age. */
  isDropped(owner: DecisionOwner, decisionId: string): Promise<boolean>;
  policySet(digest: string): Promise<string | undefined>;
  /** Whether the service had put a set into force when one of its decisions was made. Absent: it is not known. */
  wasInForce?(owner: DecisionOwner, digest: string, atMs: number): Promise<boolean>;
  /** The agent's trust records after a place, as `ReadTrustPage` says. */
  trustPage(owner: DecisionOwner, after: TrustPlace, limit: number): Promise<TrustEntry[]>;
  haltRecords(owner: Omit<DecisionOwner, 'agentId'>): Promise<LoggedRecord[]>;
  policyRecords(owner: Omit<DecisionOwner, 'agentId'>): Promise<LoggedRecord[]>;
  approvalRecords(owner: DecisionOwner): Promise<LoggedRecord[]>;
  keyRecords(owner: Omit<DecisionOwner, 'agentId'>): Promise<LoggedRecord[]>;
  /** The id of the ESCALATE that opened an approval, which may have no record yet. */
  openingOf(owner: DecisionOwner, approvalId: string): Promise<string | undefined>;
}

const HASHES = `encode(leaf.previous_hash, 'hex') AS "previousHash", encode(leaf.event_hash, 'hex') AS "eventHash", encode(leaf.leaf_hash, 'hex') AS "leafHash",
    leaf.log_id::float8 AS log, leaf.leaf_index::float8 AS "leafIndex"`;
/** Of a record in the inbox of its log, where `waiting` is its row. */
const NO_HASHES = 'NULL, NULL, NULL, NULL, waiting.seq::float8';
const COLUMNS = `SELECT decision.decision_id AS "decisionId", decision.organisation_id AS "organisationId", decision.environment, decision.agent_id AS "agentId",
    decision.key_id AS "keyId", decision.verdict, decision.evaluated_at AS "evaluatedAt", decision.policy_digest AS "policyDigest", coalesce(decision.proof_id, ${proofOf('decision')}) AS "proofId",
    decision.request_id AS "requestId", decision.tool_server AS "toolServer", decision.tool_name AS "toolName", decision.record, decision.facts,
    decision.facts_salt AS "factsSalt", ${HASHES}`;
const LEAF = `LEFT JOIN LATERAL ${leafOf('decision.organisation_id', 'decision.environment', proofOf('decision'))} AS leaf ON true`;

// The primary key begins with organisation and environment. There are few of them, so an id is searched in each.
const OWNERS = `(SELECT id AS organisation_id, environment FROM organisation, unnest(array['${ENVIRONMENTS.join("','")}']) AS environment) AS one`;
const OF_OWNER = 'decision.organisation_id = one.organisation_id AND decision.environment = one.environment';
const BY_ID = `${COLUMNS} FROM ${OWNERS} JOIN decision ON ${OF_OWNER} AND decision.decision_id = $1 ${LEAF}`;
const SPANS = `SELECT one.organisation_id AS "organisationId", one.environment, newest.decision_id AS "lastId" FROM ${OWNERS}
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
const POLICY_SET = 'SELECT canonical FROM policy_set_text WHERE digest = $1';
/** The activations of a set, or of sets with the same part of it, and when the next one replaced each. */
const ACTIVATIONS = `SELECT ${sealedColumns('policy_activation', 'a')}, a.next_at FROM (
      SELECT *, lead(activated_at) OVER (PARTITION BY organisation_id ORDER BY seq) AS next_at FROM policy_activation
      WHERE organisation_id IS NULL OR organisation_id = $2
    ) AS a LEFT JOIN policy_set AS s ON s.digest = a.digest WHERE $1 IN (a.digest, s.installation, s.own)`;
const PARTS = 'SELECT installation, own FROM policy_set WHERE digest = $1';
/** Processes may decide by the set before for a while, and clocks differ. */
const LATE_MS = 3_600_000;
const OPENING = 'SELECT decision_id FROM approval WHERE organisation_id = $1 AND environment = $2 AND approval_id = $3';
/** Records of one entity: those in the log, then those in its inbox. */
const RECORDS = `SELECT record.record, ${HASHES}
    FROM ${logsOf('$1', '$2')} AS own CROSS JOIN LATERAL (
      SELECT * FROM leaf WHERE leaf.log_id = own.log_id AND leaf.entity_id = $3 AND leaf.event = $4 ORDER BY leaf.chain_index
    ) AS leaf
    LEFT JOIN record ON record.organisation_id = $1 AND record.environment = $2 AND record.proof_id = leaf.proof_id
    UNION ALL
    SELECT record.record, ${NO_HASHES}
    FROM log_inbox AS waiting JOIN record ON record.organisation_id = $1 AND record.environment = $2 AND record.proof_id = waiting.source_id
    WHERE waiting.organisation_id = $1 AND waiting.environment = $2 AND waiting.source = 'record' AND record.entity_id = $3 AND record.event = $4
    ORDER BY log NULLS LAST, "leafIndex"`;

/**
 * The same in pages: those after a leaf ($4, $5), then those after a row of the inbox ($6). One statement, because a record that the log
 * takes meanwhile would be in neither of two.
 */
const TRUST_PAGE = `WITH logged AS MATERIALIZED (
      SELECT leaf.* FROM ${logsOf('$1', '$2')} AS own CROSS JOIN LATERAL (
        SELECT * FROM leaf WHERE leaf.log_id = own.log_id AND leaf.entity_id = $3 AND leaf.event = 'custos.trust'
          AND leaf.chain_index > CASE WHEN own.log_id = $4::bigint THEN $5::bigint ELSE -1 END
        ORDER BY leaf.log_id, leaf.entity_id, leaf.chain_index LIMIT $7
      ) AS leaf
      WHERE own.log_id >= $4::bigint ORDER BY leaf.log_id, leaf.chain_index LIMIT $7
    )
    SELECT record.record, ${HASHES}, leaf.chain_index::float8 AS chain
    FROM logged AS leaf LEFT JOIN record ON record.organisation_id = $1 AND record.environment = $2 AND record.proof_id = leaf.proof_id
    UNION ALL
    (SELECT record.record, ${NO_HASHES}, NULL
    FROM log_inbox AS waiting JOIN record ON record.organisation_id = $1 AND record.environment = $2 AND record.proof_id = waiting.source_id
    WHERE (SELECT count(*) FROM logged) < $7 AND waiting.organisation_id = $1 AND waiting.environment = $2 AND waiting.seq > $6::bigint
      AND waiting.source = 'record' AND record.entity_id = $3 AND record.event = 'custos.trust'
    ORDER BY waiting.seq LIMIT $7)
    ORDER BY log NULLS LAST, "leafIndex" LIMIT $7`;

interface RecordRow {
  readonly previousHash: string | null;
  readonly eventHash: string | null;
  readonly leafHash: string | null;
  /** Null: it waits in its inbox. */
  readonly log: number | null;
  /** For a record that waits, its number in the inbox. */
  readonly leafIndex: number | null;
  /** Null: the leaf exists without its record. */
  readonly record: Buffer | null;
}

type TrustRow = RecordRow & { readonly leafIndex: number } & (
    | { readonly log: number; readonly chain: number }
    | { readonly log: null }
  );

type Activated = SealedRow<'policy_activation'> & { readonly next_at: Date | null };

type Columns = NonNullable<DecisionEvidence['columns']>;

interface DecisionRow extends RecordRow, Omit<Columns, 'evaluatedAt'> {
  readonly organisationId: string;
  readonly evaluatedAt: Date;
  readonly facts: Buffer | null;
  readonly factsSalt: Buffer | null;
}

const GONE = Buffer.alloc(0);

function loggedOf({ record, previousHash, eventHash, leafHash, log, leafIndex }: RecordRow): LoggedRecord {
  const { bytes } = sealRecord(unpackRecord(record ?? GONE), previousHash ?? NO_PREVIOUS);
  // The inbox of a log is behind its leaves. Of a decision that waits it was not read where.
  const place = leafIndex === null ? undefined : { log: log ?? Infinity, index: leafIndex };
  return eventHash === null || leafHash === null ? { bytes, place } : { bytes, place, leaf: { eventHash, leafHash } };
}

function foundOf({
  organisationId,
  facts,
  factsSalt,
  record,
  previousHash,
  eventHash,
  leafHash,
  log,
  leafIndex,
  ...columns
}: DecisionRow) {
  const { decisionId, environment, agentId, policyDigest, evaluatedAt } = columns;
  const logged = loggedOf({ record, previousHash, eventHash, leafHash, log, leafIndex });
  const read = policyDigest === null ? readDecisionRecord(logged) : undefined;
  return {
    decisionId,
    owner: { organisationId, environment, agentId },
    policyDigest: read !== undefined && 'body' in read ? read.body.policy_set.digest : policyDigest,
    evidence: {
      record: logged,
      columns: { ...columns, evaluatedAt: evaluatedAt.toISOString() },
      // Retention erases both. One without the other is damage.
      facts:
        facts === null && factsSalt === null
          ? undefined
          : { text: unpackFacts(facts ?? GONE), salt: factsSalt ?? GONE },
    },
  } satisfies FoundDecision;
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
      return db.query<DecisionSpan>(SPANS, [organisationId ?? null, environment ?? null]);
    },
    async page({ organisationId, environment, lastId }, afterId, limit) {
      return (await db.query<DecisionRow>(PAGE, [organisationId, environment, afterId, lastId, limit])).map(foundOf);
    },
    async some({ organisationId, environment }, ids) {
      return (await db.query<DecisionRow>(SOME, [organisationId, environment, ids])).map(foundOf);
    },
    async isDropped({ organisationId, environment }, decisionId) {
      // The columns of a row have only known environments.
      const owner = { organisationId, environment: environment as Environment };
      return decisionId < (await readDroppedBefore(db, owner));
    },
    async policySet(digest) {
      const [row] = await db.query<{ canonical: Buffer }>(POLICY_SET, [digest]);
      return row?.canonical.toString('utf8');
    },
    async wasInForce({ organisationId }, digest, atMs) {
      const [row] = await db.query<{ installation: string | null; own: string | null }>(PARTS, [digest]);
      const { installation = null, own = null } = row ?? {};
      const parts = installation === null || own === null ? [digest] : [installation, own];
      for (const part of parts) {
        const rows = await db.query<Activated>(ACTIVATIONS, [part, organisationId]);
        const wasThen = rows.some(
          ({ next_at: nextAt, ...activation }) =>
            db.seals.isGenuine('policy_activation', activation) &&
            activation.activated_at.getTime() - LATE_MS <= atMs &&
            atMs <= (nextAt?.getTime() ?? atMs) + LATE_MS,
        );
        if (!wasThen) return false;
      }
      return true;
    },
    async trustPage({ organisationId, environment, agentId }, after, limit) {
      const { log, chain, waiting } = after;
      let place = after;
      const given = [organisationId, environment, agentId, log, chain, waiting, limit];
      return (await db.query<TrustRow>(TRUST_PAGE, given)).map((row) => {
        // A row of the inbox is after the leaves of its page.
        place =
          row.log === null ? { ...place, waiting: row.leafIndex } : { log: row.log, chain: row.chain, waiting: 0 };
        return { logged: loggedOf(row), place };
      });
    },
    haltRecords: (owner) => records(owner, 'custos:halt', 'custos.halt'),
    policyRecords: (owner) => records(owner, 'custos:policies', 'custos.policy_set'),
    async keyRecords(owner) {
      const own = await records(owner, 'custos:keys', 'custos.key');
      // A live key may decide in the other environments.
      if (owner.environment === 'live') return own;
      return [...(await records({ ...owner, environment: 'live' }, 'custos:keys', 'custos.key')), ...own];
    },
    approvalRecords: (owner) => records(owner, owner.agentId, 'custos.approval'),
    async openingOf({ organisationId, environment }, approvalId) {
      const [row] = await db.query<{ decision_id: string }>(OPENING, [organisationId, environment, approvalId]);
      return row?.decision_id;
    },
  };
}
