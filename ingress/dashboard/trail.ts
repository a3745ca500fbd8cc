// What auditors look at: what the audit of the log found, and what was done on the operators' pages.
import type { Database, Statement } from '../../shared/platform/db/database.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { type Finding, FINDINGS } from '../../shared/core/proof/audit-findings.ts';
import type { AuditedLog, OperatorAction } from './client/wire.ts';
import type { Outcome } from './audit.ts';
import type { Tenant } from './overview/tenant.ts';

/** Where counting what waits stops. */
const MANY = 10_000;
/** A damaged log may have a finding for each leaf. */
const MAX_FINDINGS = 200;

const LOGS: Statement = {
  name: 'dashboard-audited-logs',
  text: `SELECT log.generation, log.origin, log.size::float8 AS size, log.halted_reason, signed.size::float8 AS signed_size, signed.signed_at,
      audit.ok, audit.audited_size::float8 AS audited_size, audit.audited_at, audit.findings,
      (SELECT count(*)::int FROM (SELECT FROM log_inbox i WHERE i.organisation_id = $1 AND i.environment = $2 LIMIT ${MANY}) waiting) AS waiting
    FROM log LEFT JOIN audit USING (log_id)
      LEFT JOIN LATERAL (SELECT size, signed_at FROM checkpoint c WHERE c.log_id = log.log_id ORDER BY size DESC LIMIT 1) signed ON true
    WHERE log.organisation_id = $1 AND log.environment = $2 ORDER BY log.generation DESC LIMIT 100`,
};

// A row that has begun is shown only while its end is missing; the end follows within a few rows.
const ENDED = `EXISTS (SELECT FROM dashboard_audit e
    WHERE e.request_id = a.request_id AND e.seq > a.seq AND e.seq < a.seq + 10000 AND e.outcome <> 'begun')`;
/** Rows, the newest, among which actions without an end are looked for: nearly all that began have ended. */
const LOOKED_BACK = 50_000;
/** Outcomes stand in the text: each question is then a range of an index. */
const CHOSEN: Readonly<Record<Outcome | 'any', string>> = {
  any: `(a.outcome <> 'begun' OR NOT ${ENDED})`,
  begun: `a.outcome = 'begun' AND a.seq > (SELECT coalesce(max(seq), 0) - ${LOOKED_BACK} FROM dashboard_audit) AND NOT ${ENDED}`,
  done: "a.outcome = 'done'",
  refused: "a.outcome = 'refused'",
  failed: "a.outcome = 'failed'",
};
const COLUMNS = `SELECT a.seq::float8 AS seq, a.at, a.request_id, a.key_id, a.address, a.action, a.subject, a.outcome, a.status, a.code, k.name AS key_name,
    k.organisation_id IS NOT DISTINCT FROM $1 AND k.environment IS NOT DISTINCT FROM $2 AS own FROM dashboard_audit a LEFT JOIN api_key k ON k.key_id = a.key_id`;

/** The operator sees all attempts to sign in, a tenant those with a key of its own, and a bound key its own. */
type Sight = 'all' | 'own' | 'bound';

/** The newest actions before row `$3`, `$4` of them; `$5` is the key that asks, when it is bound. A test looks at the plans. */
export function actionsStatement(outcome: Outcome | undefined, sight: Sight): Statement {
  const page = (whose: string): string =>
    `(${COLUMNS} WHERE ${whose} AND a.seq < $3 AND ${CHOSEN[outcome ?? 'any']} ORDER BY a.seq DESC LIMIT $4)`;
  const [actions, attempts] = [
    'a.organisation_id = $1 AND a.environment = $2',
    'a.organisation_id IS NULL AND a.environment IS NULL',
  ];
  const parts: Readonly<Record<Sight, readonly string[]>> = {
    all: [page(actions), page(attempts)],
    own: [
      page(actions),
      // A key each: its attempts are a range of the index.
      `SELECT part.* FROM api_key AS one CROSS JOIN LATERAL ${page(`${attempts} AND a.key_id = one.key_id`)} AS part WHERE one.organisation_id = $1 AND one.environment = $2`,
    ],
    // What others did names agents that it may not name.
    bound: [page(`${actions} AND a.key_id = $5`), page(`${attempts} AND a.key_id = $5`)],
  };
  return {
    name: `dashboard-actions-${outcome ?? 'any'}-${sight}`,
    text: `SELECT * FROM (${parts[sight].join(' UNION ALL ')}) AS found ORDER BY seq DESC LIMIT $4`,
  };
}

interface LogRow {
  generation: number;
  origin: string | null;
  size: number;
  halted_reason: string | null;
  signed_size: number | null;
  signed_at: Date | null;
  ok: boolean | null;
  audited_size: number | null;
  audited_at: Date | null;
  findings: string | null;
  waiting: number;
}

interface ActionRow {
  seq: number;
  at: Date;
  request_id: string;
  key_id: string | null;
  key_name: string | null;
  own: boolean;
  address: string;
  action: string;
  subject: string;
  outcome: Outcome;
  status: number | null;
  code: string | null;
}

export interface Trail {
  /** The newest log first. @throws {ApiError} E6002 */
  logs(tenant: Tenant): Promise<AuditedLog[]>;
  /** Newest first. @throws {ApiError} E6002 */
  actions(
    key: Pick<AuthenticatedKey, 'organisationId' | 'environment' | 'isOperator' | 'keyId' | 'agentIds'>,
    query: { readonly before: string | undefined; readonly outcome: Outcome | undefined },
    limit: number,
  ): Promise<OperatorAction[]>;
}

function auditOf(row: LogRow): AuditedLog['audit'] {
  if (row.ok === null) return null;
  // Written by the auditor alone (shared/domain/ledger/audit-state.ts).
  const findings = JSON.parse(row.findings ?? '[]') as Finding[];
  return {
    ok: row.ok,
    auditedSize: row.audited_size ?? 0,
    at: row.audited_at?.toISOString() ?? null,
    findings: findings.slice(0, MAX_FINDINGS).map(({ kind, leafIndex, proofId, sentence }) => ({
      kind,
      meaning: FINDINGS[kind],
      leafIndex,
      proofId,
      sentence,
    })),
    total: findings.length,
  };
}

export function createTrail({ db }: { readonly db: Database }): Trail {
  return {
    async logs({ organisationId, environment }) {
      const rows = await db.query<LogRow>(LOGS, [organisationId, environment]);
      return rows.map((row, i) => ({
        generation: row.generation,
        origin: row.origin,
        size: row.size,
        // Only the newest log grows.
        waiting: i === 0 ? row.waiting : 0,
        haltedReason: row.halted_reason,
        checkpoint:
          row.signed_size === null || row.signed_at === null
            ? null
            : { size: row.signed_size, signedAt: row.signed_at.toISOString() },
        audit: auditOf(row),
      }));
    },
    async actions({ organisationId, environment, isOperator, keyId, agentIds }, { before, outcome }, limit) {
      const sight: Sight = agentIds !== null ? 'bound' : isOperator && environment === 'live' ? 'all' : 'own';
      const values = [organisationId, environment, before ?? '9223372036854775807', limit];
      const rows = await db.query<ActionRow>(
        actionsStatement(outcome, sight),
        sight === 'bound' ? [...values, keyId] : values,
      );
      return rows.map(({ at, request_id, key_id, key_name, own, ...row }) => ({
        ...row,
        at: at.toISOString(),
        requestId: request_id,
        keyId: key_id,
        // The operator sees that a key of another organisation was tried, not how that one calls it.
        keyName: own ? key_name : null,
      }));
    },
  };
}
