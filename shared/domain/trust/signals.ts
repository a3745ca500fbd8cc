// Accepts trust signals: group commit of signals and inbox rows; a signalId is used once, forever.
import { columnMap, numeric, optionalText, text } from '../../platform/db/columns.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import { ApiError, type FieldError } from '../../kernel/errors.ts';
import type { SignalType } from '../../core/trust/beta.ts';
import type { Owner } from '../../kernel/owner.ts';
import { enqueueSql } from '../../platform/queues/outbox.ts';

export interface SignalRow extends Owner {
  readonly signalId: string;
  readonly agentId: string;
  readonly keyId: string;
  readonly type: SignalType;
  /** Thousandths, 1..1000. */
  readonly weight: number;
  /** RFC 3339; equal to `receivedAt` when the caller gave none. */
  readonly occurredAt: string;
  readonly receivedAt: string;
  /** Not empty. */
  readonly source: string | undefined;
  /** JSON text. */
  readonly evidence: string | undefined;
}

export interface SignalStore {
  /**
   * Accepts all of them or none; resolves when they are durable. A repeated signal counts once.
   * @param pointerOf the JSON pointer of the member with this index
   * @throws {ApiError} E2010 (422) at a signalId that was used for another signal; E6002
   */
  accept(rows: readonly SignalRow[], pointerOf: (index: number) => string): Promise<void>;
  /** `accept` within the transaction that `commit` runs. */
  acceptWith<T>(
    rows: readonly SignalRow[],
    pointerOf: (index: number) => string,
    commit: (insert: (sql: Sql) => Promise<void>) => Promise<T>,
  ): Promise<T>;
  idle(): Promise<void>;
}

const SIGNALS = columnMap<SignalRow>({
  organisation_id: text((r) => r.organisationId),
  environment: text((r) => r.environment),
  signal_id: text((r) => r.signalId),
  agent_id: text((r) => r.agentId),
  key_id: text((r) => r.keyId),
  type: text((r) => r.type),
  weight: numeric('smallint', (r) => r.weight),
  occurred_at: text((r) => r.occurredAt, 'timestamptz'),
  received_at: text((r) => r.receivedAt, 'timestamptz'),
  source: optionalText((r) => r.source),
  evidence: optionalText((r) => r.evidence),
});

// A repeat changes nothing. Another signal under a known id sets an invalid weight, whose CHECK refuses the statement.
// Sorted by key: two processes that insert the same ids wait for each other without a deadlock.
const ACCEPT = `WITH made AS (
      ${SIGNALS.insertInto('trust_signal AS known', `(${SIGNALS.rows()}) AS given`)}
      ORDER BY organisation_id COLLATE "C", environment COLLATE "C", signal_id COLLATE "C"
      ON CONFLICT (organisation_id, environment, signal_id) DO UPDATE SET weight = 0
      WHERE (known.agent_id, known.type, known.weight, known.source, known.evidence)
          IS DISTINCT FROM (excluded.agent_id, excluded.type, excluded.weight, excluded.source, excluded.evidence)
        OR (excluded.occurred_at <> excluded.received_at AND excluded.occurred_at <> known.occurred_at)
      RETURNING organisation_id, environment, signal_id
    ), waiting AS (
      INSERT INTO trust_inbox (organisation_id, environment, signal_id) SELECT organisation_id, environment, signal_id FROM made
    )
    ${enqueueSql('trust', 'fold', {}, '(SELECT FROM made LIMIT 1) AS accepted')}`;

const READ = `SELECT signal_id AS "signalId", agent_id AS "agentId", type, weight, occurred_at AS "occurredAt", source, evidence FROM trust_signal
    WHERE organisation_id = $1 AND environment = $2 AND signal_id = ANY ($3::text[])`;

/** An accepted signal: of the same request, or as it is stored. */
interface EarlierSignal extends Pick<SignalRow, 'signalId' | 'agentId' | 'type' | 'weight'> {
  readonly occurredAt: string | Date;
  readonly source: string | null | undefined;
  readonly evidence: string | null | undefined;
}

/** Whether a signal equals an earlier one with its id. A time that the caller did not give is not compared. */
function repeats(earlier: EarlierSignal, row: SignalRow): boolean {
  return (
    earlier.agentId === row.agentId &&
    earlier.type === row.type &&
    earlier.weight === row.weight &&
    (earlier.source ?? undefined) === row.source &&
    (earlier.evidence ?? undefined) === row.evidence &&
    (row.occurredAt === row.receivedAt || Date.parse(row.occurredAt) === new Date(earlier.occurredAt).getTime())
  );
}

function idOf(row: SignalRow): string {
  return `${row.organisationId}\n${row.environment}\n${row.signalId}`;
}

/** Removes repeats: one statement can't upsert a row twice. @param differ the error when an id is used for two signals */
function distinct(rows: readonly SignalRow[], differ: (index: number) => Error): SignalRow[] {
  const first = new Map<string, SignalRow>();
  rows.forEach((row, index) => {
    const id = idOf(row);
    const known = first.get(id);
    if (known === undefined) first.set(id, row);
    else if (!repeats(known, row)) throw differ(index);
  });
  return first.size === rows.length ? [...rows] : [...first.values()];
}

// The error makes the group commit insert the requests one by one, so that only the later one is refused.
const columns = (requests: readonly (readonly SignalRow[])[]): unknown[] =>
  SIGNALS.values(distinct(requests.flat(), () => new Error('two requests use one signalId for two signals')));

/** Whether the statement found another signal under a known id. */
function isReuse(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23514' && constraint === 'trust_signal_weight_check';
}

const REUSED = 'was used for another signal';

function reused(errors: readonly FieldError[]): ApiError {
  return new ApiError('E2010', 'A signalId was used for another signal; nothing of the request was accepted.', {
    status: 422,
    errors,
  });
}

/** Requests per statement, each with up to 1,000 signals: a statement must end well within a second. */
const MAX_REQUESTS = 16;
const MAX_WAITING = 1_000;

export function createSignalStore({ db }: { readonly db: Database }): SignalStore {
  const group = createGroupCommit<readonly SignalRow[]>({
    db,
    statement: ACCEPT,
    columns,
    result: () => undefined,
    sizeOf: (rows) => rows.reduce((size, row) => size + (row.evidence?.length ?? 0), 0),
    maxRows: MAX_REQUESTS,
    maxWaiting: MAX_WAITING,
  });

  /**
   * The error with the members whose ids are taken, from the stored signals: PostgreSQL reports only that there is one.
   */
  const explain = async (rows: readonly SignalRow[], pointerOf: (index: number) => string): Promise<ApiError> => {
    const [any] = rows;
    const ids = rows.map((row) => row.signalId);
    const stored = await db.query<EarlierSignal>(READ, [any?.organisationId, any?.environment, ids]);
    const known = new Map(stored.map((signal) => [signal.signalId, signal]));
    const errors = rows.flatMap((row, index) => {
      const earlier = known.get(row.signalId);
      return earlier === undefined || repeats(earlier, row)
        ? []
        : [{ pointer: `${pointerOf(index)}/signalId`, message: REUSED }];
    });
    return reused(errors.slice(0, 20));
  };

  const store: SignalStore = {
    accept: (rows, pointerOf) => store.acceptWith(rows, pointerOf, () => group.add(rows)),
    async acceptWith(rows, pointerOf, commit) {
      distinct(rows, (index) => reused([{ pointer: `${pointerOf(index)}/signalId`, message: REUSED }]));
      try {
        return await commit(async (sql) => void (await sql.query(ACCEPT, columns([rows]))));
      } catch (error) {
        throw isReuse(error) ? await explain(rows, pointerOf) : error;
      }
    },
    idle: () => group.idle(),
  };
  return store;
}
