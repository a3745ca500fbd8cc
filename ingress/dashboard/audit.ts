// What was done on the operators' pages: a row before an action and one after it, each also a record of the log, and a line
// in the log of the process.
import { createHash } from 'node:crypto';
import type { Database, Sql, Statement } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { operatorOrganisation } from '../../shared/domain/keys/organisations.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import type { Environment } from '../../shared/kernel/vocabulary.ts';
import type { EdgeLog } from '../ports.ts';
import type { Reply, RequestContext, Route } from '../route.ts';

export type Outcome = 'begun' | 'done' | 'refused' | 'failed';

export interface Action {
  readonly requestId: string;
  /** Null: nothing was shown that has the form of a key. */
  readonly keyId: string | null;
  readonly organisationId: string | null;
  readonly environment: Environment | null;
  readonly address: string;
  /** `sign-in`, `sign-out`, or method and path template. */
  readonly action: string;
  /** The path. */
  readonly subject: string;
}

const INSERT: Statement = {
  name: 'dashboard-audit-insert',
  text: `INSERT INTO dashboard_audit (at, request_id, key_id, organisation_id, environment, address, action, subject, outcome, status, code)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING seq::text AS seq`,
};

/** A row of the audit. */
export interface AuditRow extends Action {
  readonly seq: number;
  readonly atMs: number;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly code: string | null;
}

/**
 * What the log holds of a row. Whoever may read the log need not learn from where operators work, so the address is
 * hashed with what no other row has; the hash shows when it was changed.
 */
export function recordedRow({ atMs, address, ...row }: AuditRow): object {
  return {
    ...row,
    at: new Date(atMs).toISOString(),
    addressHash: createHash('sha256').update(`${row.requestId}\n${row.seq}\n${address}`).digest('hex'),
  };
}

/** Whose log: that of the key that acted; attempts to sign in with a key that is not known are the operator's concern. */
async function ownerOf(
  sql: Sql,
  { organisationId, environment }: Action,
): Promise<{ organisationId: string; environment: Environment }> {
  if (organisationId !== null && environment !== null) return { organisationId, environment };
  const operator = await operatorOrganisation(sql);
  if (operator === undefined) throw new Error('the database has no organisation of the operator');
  return { organisationId: operator.id, environment: 'live' };
}

export interface Audit {
  /** A line in the log of the process, and no row: for what anybody could repeat without end. */
  note(action: Action, outcome: Outcome, status?: number, code?: string): void;
  /**
   * Runs an action between its two rows. Without the first one nothing is done; when only the second one cannot be
   * written, the answer stands, the row `begun` says that something happened, and the log of the process says what.
   */
  around(action: Action, work: () => Promise<Reply>): Promise<Reply>;
  /** A route whose runs are audited. */
  audited(route: Route): Route;
}

function outcomeOf(status: number): Outcome {
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'done';
}

export interface AuditDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly logger: EdgeLog;
}

export function createAudit({ db, nowMs, logger }: AuditDeps): Audit {
  const note: Audit['note'] = (action, outcome, status, code) =>
    logger.info({ ...action, outcome, status, code }, 'dashboard action');
  const write = async (action: Action, outcome: Outcome, status?: number, code?: string): Promise<void> => {
    note(action, outcome, status, code);
    const atMs = nowMs();
    await db.transaction(async (sql) => {
      const [row] = await sql.query<{ seq: string }>(INSERT, [
        new Date(atMs),
        action.requestId,
        action.keyId,
        action.organisationId,
        action.environment,
        action.address,
        action.action,
        action.subject,
        outcome,
        status ?? null,
        code ?? null,
      ]);
      const body = recordedRow({
        ...action,
        seq: Number(row?.seq),
        atMs,
        outcome,
        status: status ?? null,
        code: code ?? null,
      });
      await writeServiceRecord(sql, { ...(await ownerOf(sql, action)), event: 'custos.dashboard', body }, atMs);
    });
  };
  const finish = (action: Action, outcome: Outcome, status: number, code?: string): Promise<void> =>
    write(action, outcome, status, code).catch((error: unknown) =>
      logger.error({ ...action, outcome, status, err: error }, 'the end of a dashboard action could not be recorded'),
    );
  const around: Audit['around'] = async (action, work) => {
    await write(action, 'begun');
    try {
      const reply = await work();
      await finish(action, outcomeOf(reply.status), reply.status);
      return reply;
    } catch (error) {
      const { status, code } = error instanceof ApiError ? error : new ApiError('E6001', '');
      await finish(action, outcomeOf(status), status, code);
      throw error;
    }
  };
  return {
    note,
    around,
    audited: (route) => ({
      ...route,
      handler: (context) =>
        around(actionOf(context, context.key, `${route.method} ${route.path}`), async () => route.handler(context)),
    }),
  };
}

/** Who does what, from a request. */
export function actionOf(
  context: Pick<RequestContext<unknown, unknown, unknown>, 'requestId' | 'address' | 'path'>,
  key: AuthenticatedKey | undefined,
  action: string,
): Action {
  return {
    requestId: context.requestId,
    keyId: key?.keyId ?? null,
    organisationId: key?.organisationId ?? null,
    environment: key?.environment ?? null,
    address: context.address,
    action,
    subject: context.path,
  };
}
