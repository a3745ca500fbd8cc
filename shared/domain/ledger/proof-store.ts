// Accepts proofs: inserts them in groups with their inbox rows; a repeated proofId gets the first answer.
import { columnMap, hex, optionalText, text, utf8 } from '../../platform/db/columns.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { recordDigest } from '../../core/proof/record.ts';
import type { Owner } from '../../kernel/owner.ts';
import { wakeLogs } from './inbox.ts';
import { leafOf } from '../../platform/db/leaf-sql.ts';

export interface ProofRow extends Owner {
  readonly proofId: string;
  readonly entityId: string;
  readonly event: string;
  /** RFC 3339. */
  readonly occurredAt: string;
  /** Canonical record without its previousHash. */
  readonly record: string;
  /** SHA-256 of JCS of the request, lower-case hex. */
  readonly requestDigest: string;
  readonly keyId: string;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
}

export interface AcceptedProof {
  readonly proofId: string;
  readonly status: 'pending' | 'anchored';
  /** SHA-256 of JCS of the record's members other than previousHash, lower-case hex. */
  readonly recordDigest: string;
  /** When it was accepted first. */
  readonly occurredAtMs: number;
}

export interface ProofStore {
  /**
   * Accepts all or none; resolves when they are durable. Idempotent: a repeated proofId with the same request gets the first answer.
   * @throws {ApiError} E2010 (422) at the pointer of a proofId that was used for a different request; E6002
   */
  accept(rows: readonly ProofRow[], pointerOf: (index: number) => string): Promise<AcceptedProof[]>;
  /** The same within the caller's transaction. */
  acceptIn(sql: Sql, rows: readonly ProofRow[], pointerOf: (index: number) => string): Promise<AcceptedProof[]>;
  idle(): Promise<void>;
}

interface ProofGroup {
  readonly rows: readonly ProofRow[];
}

interface Inserted {
  organisation_id: string;
  environment: string;
  proof_id: string;
  request_digest: string;
  record_digest: string;
  occurred_at: Date;
}

const PROOFS = columnMap<ProofRow>({
  organisation_id: text((r) => r.organisationId),
  environment: text((r) => r.environment),
  proof_id: text((r) => r.proofId),
  entity_id: text((r) => r.entityId),
  event: text((r) => r.event),
  occurred_at: text((r) => r.occurredAt, 'timestamptz'),
  record: utf8((r) => r.record),
  request_digest: hex((r) => r.requestDigest),
  key_id: text((r) => r.keyId),
  traceparent: optionalText((r) => r.traceparent),
});

// Rows are inserted in the order of their ids, so that two statements with the same ids cannot deadlock. Inbox rows have the order of
// the request, found by grouping in n log n with any plan; the planner might run a join of two short lists in n * n.
const INSERT = `WITH given AS (${PROOFS.rows()}), made AS (
      ${PROOFS.insertInto('record', 'given')}
      ORDER BY organisation_id COLLATE "C", environment COLLATE "C", proof_id COLLATE "C", ordinal
      ON CONFLICT (organisation_id, environment, proof_id) DO NOTHING
      RETURNING organisation_id, environment, proof_id, request_digest, occurred_at, sha256(record || '\\x7d'::bytea) AS record_digest
    ), waiting AS (
      INSERT INTO log_inbox (organisation_id, environment, source, source_id)
      SELECT organisation_id, environment, 'record', proof_id FROM (
        SELECT organisation_id, environment, proof_id, ordinal FROM given
        UNION ALL SELECT organisation_id, environment, proof_id, NULL FROM made
      ) AS either GROUP BY organisation_id, environment, proof_id HAVING count(*) > count(ordinal) ORDER BY min(ordinal)
    ), woken AS (${wakeLogs('made')})
    SELECT organisation_id, environment, proof_id, encode(request_digest, 'hex') AS request_digest, encode(record_digest, 'hex') AS record_digest, occurred_at FROM made`;

const READ_EARLIER = `SELECT record.proof_id, encode(record.request_digest, 'hex') AS request_digest, record.record, record.occurred_at, leaf.leaf_index IS NOT NULL AS anchored
    FROM record LEFT JOIN LATERAL ${leafOf('$1', '$2', 'record.proof_id')} AS leaf ON true
    WHERE record.organisation_id = $1 AND record.environment = $2 AND record.proof_id = ANY ($3::text[])`;

interface Earlier {
  proof_id: string;
  request_digest: string | null;
  record: Buffer;
  occurred_at: Date;
  anchored: boolean;
}

const MAX_REQUESTS = 200;
const MAX_WAITING = 20_000;
/** A request with more rows, or longer records, gets a separate statement. */
const LARGE_ROWS = 50;
const LARGE_CHARACTERS = 65_536;

function sizeOf(rows: readonly ProofRow[]): number {
  return rows.reduce((sum, row) => sum + row.record.length, 0);
}

const columns = (groups: readonly ProofGroup[]): unknown[] => PROOFS.values(groups.flatMap(({ rows }) => rows));

function idOf(organisationId: string, environment: string, proofId: string): string {
  return `${organisationId}\n${environment}\n${proofId}`;
}

/** The rows that were inserted, by id. */
function insertedBy(rows: readonly object[]): ReadonlyMap<string, Inserted> {
  // The columns of the statement above.
  return new Map((rows as Inserted[]).map((row) => [idOf(row.organisation_id, row.environment, row.proof_id), row]));
}

/** Whether an id has the form of the service's own records, which callers may not choose. */
export function isOwnId(proofId: string): boolean {
  return /^prf_[0-9a-z]{26}$/.test(proofId);
}

export function createProofStore(deps: { db: Database }): ProofStore {
  const { db } = deps;
  const group = createGroupCommit<ProofGroup, ReadonlyMap<string, Inserted>>({
    db,
    statement: INSERT,
    columns,
    result: insertedBy,
    sizeOf: ({ rows }) => rows.reduce((size, row) => size + row.record.length, 0),
    maxRows: MAX_REQUESTS,
    maxWaiting: MAX_WAITING,
  });

  const settle = async (
    sql: Sql,
    rows: readonly ProofRow[],
    inserted: ReadonlyMap<string, Inserted>,
    pointerOf: (index: number) => string,
  ): Promise<AcceptedProof[]> => {
    /** The row that was inserted for this one: itself, or an equal one of the same statement. */
    const insertedOf = (row: ProofRow): Inserted | undefined => {
      const made = inserted.get(idOf(row.organisationId, row.environment, row.proofId));
      return made?.request_digest === row.requestDigest ? made : undefined;
    };
    const repeated = rows.filter((row) => insertedOf(row) === undefined);
    const [first] = repeated;
    const earlier = new Map<string, Earlier>();
    if (first !== undefined) {
      const found = await sql.query<Earlier>(READ_EARLIER, [
        first.organisationId,
        first.environment,
        repeated.map((row) => row.proofId),
      ]);
      for (const row of found) earlier.set(row.proof_id, row);
    }
    return rows.map((row, index) => {
      const made = insertedOf(row);
      if (made !== undefined) {
        return {
          proofId: row.proofId,
          status: 'pending',
          recordDigest: made.record_digest,
          occurredAtMs: made.occurred_at.getTime(),
        };
      }
      const known = earlier.get(row.proofId);
      if (known === undefined) throw new Error(`the proof ${row.proofId} is neither new nor known`);
      if (known.request_digest !== row.requestDigest) {
        throw new ApiError('E2010', 'This proofId was used for another proof.', {
          status: 422,
          errors: [{ pointer: pointerOf(index), message: 'was used for another proof' }],
        });
      }
      return {
        proofId: row.proofId,
        status: known.anchored ? 'anchored' : 'pending',
        recordDigest: recordDigest(known.record),
        occurredAtMs: known.occurred_at.getTime(),
      };
    });
  };

  return {
    async accept(rows, pointerOf) {
      // A refusal of one of several needs a rollback of all. A single proof, and ids of the service itself, need none.
      const mayRefuse = rows.length > 1 && rows.some((row) => !isOwnId(row.proofId));
      if (mayRefuse) return db.transaction((sql) => this.acceptIn(sql, rows, pointerOf));
      // Large requests gain nothing from grouping, and many together would not fit one statement.
      const isLarge = rows.length > LARGE_ROWS || sizeOf(rows) > LARGE_CHARACTERS;
      const inserted = isLarge ? insertedBy(await db.query(INSERT, columns([{ rows }]))) : await group.add({ rows });
      return settle(db, rows, inserted, pointerOf);
    },
    async acceptIn(sql, rows, pointerOf) {
      return settle(sql, rows, insertedBy(await sql.query(INSERT, columns([{ rows }]))), pointerOf);
    },
    idle: () => group.idle(),
  };
}
