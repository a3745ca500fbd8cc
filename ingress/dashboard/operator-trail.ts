// The operator trail: what operators did on the dashboard. Each action is a row before it begins and one after it ends, with
// what it changed; each row is also a record in the ledger and a line in the process log.
import { digestInTrail } from '../../shared/core/proof/trail-digest.ts';
import type { Database, EntitySql } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { type RecordedChange, stored } from '../../shared/kernel/recorded-change.ts';
import { operatorOrganisation } from '../../shared/domain/keys/organisations.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import type { Environment } from '../../shared/kernel/vocabulary.ts';
import type { EdgeLog } from '../request/exchange.ts';
import type { Reply, RequestContext, Route } from '../route.ts';
import type { OperatorAction } from './client/wire/operator-trail.ts';

export type Outcome = OperatorAction['outcome'];

export interface Action {
  readonly requestId: string;
  /** Null: the client showed nothing in the form of a key. */
  readonly keyId: string | null;
  readonly organisationId: string | null;
  readonly environment: Environment | null;
  readonly address: string;
  /** `sign-in`, `sign-out`, `switch-environment`, or method and path template. */
  readonly action: string;
  /** The path; of `switch-environment`, the environment. */
  readonly subject: string;
}

const INSERT = `INSERT INTO dashboard_audit (at, request_id, key_id, organisation_id, environment, address, action, subject, outcome, status, code, change)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING seq::text AS seq`;

interface TrailRow extends Action {
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly code: string | null;
  /** JSON of a RecordedChange; null: the action changed nothing, was refused, or has not ended. */
  readonly change: string | null;
}

/**
 * The body of a row's record. Readers of the ledger need not learn the addresses of operators, nor the URLs and descriptions
 * that they changed, and records can't be erased. So both are hashed, with the request id and the number of the row as a
 * salt. The hashes still show when the row was changed. Records of rows without a change have no such member.
 */
function recordBody({ address, change, ...row }: TrailRow, seq: number, at: Date): object {
  const digest = (text: string): string => digestInTrail({ requestId: row.requestId, seq }, text);
  const hashes = { addressHash: digest(address), ...(change === null ? {} : { changeHash: digest(change) }) };
  return { ...row, seq, at: at.toISOString(), ...hashes };
}

/** The owner of the log: the organisation of the key; for sign-ins with unknown keys, the operator's. */
async function ownerOf(
  sql: EntitySql,
  { organisationId, environment }: Action,
): Promise<{ organisationId: string; environment: Environment }> {
  if (organisationId !== null && environment !== null) return { organisationId, environment };
  const operator = await operatorOrganisation(sql);
  if (operator === undefined) throw new Error('the database has no organisation of the operator');
  return { organisationId: operator.id, environment: 'live' };
}

export interface OperatorTrail {
  /** Writes a line to the process log and no row: for actions that anybody could repeat without limit. */
  note(action: Action, outcome: Outcome, status?: number, code?: string): void;
  /**
   * Runs an action between its two rows. When the first row cannot be written, the action is not run. When the second one
   * cannot be written, the answer still goes out: the row `begun` remains, and the outcome is in the process log.
   */
  around(action: Action, work: () => Promise<Reply>): Promise<Reply>;
  /** The route with each of its runs on the trail, unless it only reads. */
  recorded(route: Route): Route;
}

function outcomeOf(status: number): Outcome {
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'done';
}

/** What a reply says that its request changed. */
function changeOf({ status, change, logged }: Reply): RecordedChange | undefined {
  if (status >= 400) return undefined;
  if (change !== undefined || logged === undefined) return change;
  const ids = 'decisionId' in logged ? [logged.decisionId] : logged.decisionIds;
  return ids.length === 0 ? undefined : stored('decision', ids);
}

/** How an action ended. */
interface End {
  readonly status: number;
  readonly code?: string;
  readonly change?: RecordedChange | undefined;
}

export interface OperatorTrailDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly logger: EdgeLog;
}

export function createOperatorTrail({ db, nowMs, logger }: OperatorTrailDeps): OperatorTrail {
  const note: OperatorTrail['note'] = (action, outcome, status, code) =>
    logger.info({ ...action, outcome, status, code }, 'dashboard action');
  const write = async (action: Action, outcome: Outcome, end?: End): Promise<void> => {
    note(action, outcome, end?.status, end?.code);
    const at = new Date(nowMs());
    const { status = null, code = null } = end ?? {};
    const change = end?.change === undefined ? null : JSON.stringify(end.change);
    const row: TrailRow = { ...action, outcome, status, code, change };
    await db.transaction(async (sql) => {
      const { requestId, keyId, organisationId, environment, address, subject } = row;
      const who = [at, requestId, keyId, organisationId, environment, address];
      const what = [row.action, subject, outcome, status, code, change];
      const [inserted] = await sql.query<{ seq: string }>(INSERT, [...who, ...what]);
      const body = recordBody(row, Number(inserted?.seq), at);
      await writeServiceRecord(sql, { ...(await ownerOf(sql, action)), event: 'custos.dashboard', body }, at.getTime());
    });
  };
  const finish = (action: Action, end: End): Promise<void> => {
    const outcome = outcomeOf(end.status);
    return write(action, outcome, end).catch((error: unknown) =>
      logger.error({ ...action, outcome, ...end, err: error }, 'the end of a dashboard action could not be recorded'),
    );
  };
  const around: OperatorTrail['around'] = async (action, work) => {
    await write(action, 'begun');
    try {
      const reply = await work();
      await finish(action, { status: reply.status, change: changeOf(reply) });
      return reply;
    } catch (error) {
      const { status, code } = error instanceof ApiError ? error : new ApiError('E6001', '');
      await finish(action, { status, code });
      throw error;
    }
  };
  return {
    note,
    around,
    recorded: (route) =>
      route.method === 'GET' || route.changesNothing === true
        ? route
        : {
            ...route,
            handler: (context) =>
              around(actionOf(context, context.key, `${route.method} ${route.path}`), async () =>
                route.handler(context),
              ),
          },
  };
}

/** The action of a request. @param key undefined before sign-in */
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
