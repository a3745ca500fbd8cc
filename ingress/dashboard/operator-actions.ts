// Reads the operator trail for the audit page: the newest actions that a key may see.
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import { HIGHEST_SEQ } from '../../shared/platform/db/plans.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { RecordedChange } from '../../shared/kernel/recorded-change.ts';
import type { OperatorAction } from './client/wire/operator-trail.ts';
import type { Outcome } from './operator-trail.ts';

// A row `begun` is listed only while its end is missing. The end is written within a few rows after it.
const ENDED = `EXISTS (SELECT FROM dashboard_audit e
    WHERE e.request_id = a.request_id AND e.seq > a.seq AND e.seq < a.seq + 10000 AND e.outcome <> 'begun')`;
/** Actions without an end are searched among this many newest rows: nearly all have one, so a search could read everything. */
const MAX_SEARCHED = 50_000;
/** The outcome is part of the statement's text, so that each list is a range scan of one index. */
const CHOSEN: Readonly<Record<Outcome | 'any', string>> = {
  any: `(a.outcome <> 'begun' OR NOT ${ENDED})`,
  begun: `a.outcome = 'begun' AND a.seq > (SELECT coalesce(max(seq), 0) - ${MAX_SEARCHED} FROM dashboard_audit) AND NOT ${ENDED}`,
  done: "a.outcome = 'done'",
  refused: "a.outcome = 'refused'",
  failed: "a.outcome = 'failed'",
};
const COLUMNS = `SELECT a.seq::float8 AS seq, a.at, a.request_id AS "requestId", a.key_id AS "keyId", a.address, a.action, a.subject, a.outcome, a.status, a.code, a.change,
    k.name AS "keyName", k.organisation_id IS NOT DISTINCT FROM $1 AND k.environment IS NOT DISTINCT FROM $2 AS own FROM dashboard_audit a LEFT JOIN api_key k ON k.key_id = a.key_id`;

/** The operator sees all attempts to sign in; an organisation, those with its own keys; a bound key, its own. */
type Sight = 'all' | 'own' | 'bound';

/** The newest actions before row `$3`, at most `$4`; `$5` is the reading key when it is bound. A test checks the plans. */
export function actionsStatement(outcome: Outcome | undefined, sight: Sight): Statement {
  const page = (owner: string): string =>
    `(${COLUMNS} WHERE ${owner} AND a.seq < $3 AND ${CHOSEN[outcome ?? 'any']} ORDER BY a.seq DESC LIMIT $4)`;
  const actions = 'a.organisation_id = $1 AND a.environment = $2';
  const attempts = 'a.organisation_id IS NULL AND a.environment IS NULL';
  const parts: Readonly<Record<Sight, readonly string[]>> = {
    all: [page(actions), page(attempts)],
    own: [
      page(actions),
      // One index range for each key.
      `SELECT part.* FROM api_key AS one CROSS JOIN LATERAL ${page(`${attempts} AND a.key_id = one.key_id`)} AS part WHERE one.organisation_id = $1 AND one.environment = $2`,
    ],
    // Actions of other keys name agents that a bound key may not see.
    bound: [page(`${actions} AND a.key_id = $5`), page(`${attempts} AND a.key_id = $5`)],
  };
  return `SELECT * FROM (${parts[sight].join(' UNION ALL ')}) AS found ORDER BY seq DESC LIMIT $4`;
}

type ActionRow = Omit<OperatorAction, 'at' | 'change'> & {
  readonly at: Date;
  readonly own: boolean;
  readonly change: string | null;
};

/** Newest first. @param query `before`: only rows with a lower seq @throws {ApiError} E6002 */
export async function listActions(
  db: Sql,
  key: AuthenticatedKey,
  query: { readonly before: string | undefined; readonly outcome: Outcome | undefined },
  limit: number,
): Promise<OperatorAction[]> {
  const { organisationId, environment, keyId, agentIds } = key;
  const sight: Sight = agentIds !== null ? 'bound' : isOperatorsKey(key) ? 'all' : 'own';
  const values = [organisationId, environment, query.before ?? HIGHEST_SEQ, limit];
  const rows = await db.query<ActionRow>(
    actionsStatement(query.outcome, sight),
    sight === 'bound' ? [...values, keyId] : values,
  );
  return rows.map(({ own, keyName, at, change, ...row }) => ({
    ...row,
    at: at.toISOString(),
    // Written by operator-trail.ts.
    change: change === null ? null : (JSON.parse(change) as RecordedChange),
    // The operator sees the ids of other organisations' keys, not their names.
    keyName: own ? keyName : null,
  }));
}
