// The state of every log: size, halt and last audit, and the problems in sentences for a person.
import type { Finding } from '../../core/proof/audit-findings.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import type { Sql } from '../../platform/db/database.ts';
import { readAccepted } from './audit-accepted.ts';
import { installationFindings } from './audit-installation.ts';
import { openFindings } from './audit-state.ts';

/** The beginning of the reason of a halt by the auditor. */
export const AUDIT_HALT = 'the audit found a difference';

const STATES = `SELECT log.log_id, organisation.slug, log.environment, log.generation, log.size::float8 AS size, log.halted_reason,
      audit.audited_size::float8 AS audited_size, audit.ok, audit.findings, audit.accepted, audit.audited_at,
      (SELECT signed_at FROM checkpoint WHERE checkpoint.log_id = log.log_id ORDER BY checkpoint.size DESC LIMIT 1) AS signed_at
    FROM log JOIN organisation ON organisation.id = log.organisation_id LEFT JOIN audit ON audit.log_id = log.log_id
    ORDER BY organisation.slug, log.environment, log.generation`;

/** A log and the result of its last audit. */
export interface LogState {
  readonly organisation: string;
  readonly environment: Environment;
  readonly generation: number;
  readonly size: number;
  /** Why signing has stopped. */
  readonly haltedReason: string | undefined;
  /** When the newest checkpoint was signed. */
  readonly signedAt: Date | undefined;
  /** Undefined before the first audit. */
  readonly audit:
    | {
        readonly size: number;
        /** No finding is open. */
        readonly ok: boolean;
        readonly findings: readonly Finding[];
        /** Findings that no operator has accepted. */
        readonly open: readonly Finding[];
        readonly at: Date;
      }
    | undefined;
}

/** Every log with its last audit, by organisation, environment and generation. */
export async function readLogStates(sql: Sql): Promise<LogState[]> {
  const rows = await sql.query<{
    log_id: number;
    slug: string;
    environment: Environment;
    generation: number;
    size: number;
    halted_reason: string | null;
    audited_size: number;
    ok: boolean;
    findings: string;
    accepted: string;
    audited_at: Date | null;
    signed_at: Date | null;
  }>(STATES, []);
  return rows.map((row) => {
    const { environment, generation, size, audited_at: at, audited_size: auditedSize, ok } = row;
    // Written by keepState alone.
    const findings = at === null ? [] : (JSON.parse(row.findings) as Finding[]);
    const accepted = at === null ? [] : readAccepted(sql, `log ${row.log_id}`, row.accepted);
    return {
      organisation: row.slug,
      environment,
      generation,
      size,
      haltedReason: row.halted_reason ?? undefined,
      signedAt: row.signed_at ?? undefined,
      audit: at === null ? undefined : { size: auditedSize, ok, findings, open: openFindings(findings, accepted), at },
    };
  });
}

/** Problems of the logs, as sentences for a person. */
export async function logProblems(sql: Sql): Promise<string[]> {
  const states = await readLogStates(sql);
  const newest = new Map(states.map((state) => [`${state.organisation}/${state.environment}`, state.generation]));
  const installation = await installationFindings(sql);
  return [
    ...installation.map(({ sentence }) => sentence),
    ...states.flatMap(({ organisation, environment, generation, haltedReason, audit }) => {
      const name = `the log ${organisation}/${environment}${generation > 1 ? `/${generation}` : ''}`;
      const isHalted = haltedReason !== undefined && newest.get(`${organisation}/${environment}`) === generation;
      // The reason of a halt by the auditor contains its finding.
      const open = haltedReason?.startsWith(AUDIT_HALT) ? [] : (audit?.open ?? []);
      const [first] = open;
      return [
        ...(isHalted ? [`${name} is halted: ${haltedReason}`] : []),
        ...(first === undefined
          ? []
          : [
              `the audit of ${name} found ${open.length === 1 ? 'a difference' : `${open.length} differences, first`}: ${first.sentence}`,
            ]),
      ];
    }),
  ];
}
