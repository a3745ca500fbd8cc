// The auditor: derives logs again with another implementation, bit by bit and over and over, and names every difference.
// It repairs nothing. What is new, and the incomplete subtree at the end, is derived in every run; of the older subtrees as
// many as the time allows, in turn, so that an edit of any row is found when its turn comes.
import type { KeyObject } from 'node:crypto';
import type { Database, Sql, Statement } from '../db/database.ts';
import type { Finding } from '../proof/audit-findings.ts';
import { publishKey, trustKey } from '../proof/keys.ts';
import type { Environment } from '../vocabulary.ts';
import { auditLog } from './audit-log.ts';
import { forbidScans, readHead, readKeys } from './audit-rows.ts';
import { type AuditState, keepState, takeState } from './audit-state.ts';
import type { CheckpointKeeper } from './kept.ts';

export interface AuditorDeps {
  readonly db: Database;
  /** What was signed, kept outside the database; without it that comparison is left out. */
  readonly keeper?: CheckpointKeeper | undefined;
  /** The log key of this process: it may have signed a kept checkpoint that a crash kept from being published. */
  readonly key?: KeyObject | undefined;
  readonly nowMs: () => number;
  /** A clock that never jumps. */
  readonly monotonicMs: () => number;
  /** Told once of each difference, when it is found. */
  readonly onFinding?: (origin: string, finding: Finding) => void;
  /** Told when a log is right again. */
  readonly onRight?: (origin: string) => void;
  /** Time a run spends on what was audited before; at least one subtree of 1,024 leaves of each log is audited. Default: 400. */
  readonly budgetMs?: number;
  /** Time after which a run leaves what is new, and further logs, to the next one. Default: 500. */
  readonly runMs?: number;
}

export interface LogAudit {
  readonly logId: number;
  /** Slug of the organisation. */
  readonly organisation: string;
  readonly environment: Environment;
  readonly generation: number;
  readonly size: number;
  readonly auditedSize: number;
  readonly findings: readonly Finding[];
}

export interface Auditor {
  /**
   * Audits every log, those first that have waited longest; a log that another worker audits now is left out.
   * @param options `full`: each from its first leaf on, whatever time it takes
   * @throws {ApiError} E6002
   */
  run(options?: { readonly full?: boolean }): Promise<LogAudit[]>;
}

/**
 * A twentieth of one core at a run every 10 s, which is about 400 new leaves a second: under full load the audit falls
 * behind, and catches up when it is over.
 */
const RUN_MS = 500;
/** A twenty-fifth of one core at a run every 10 s: a million leaves have their turn within about half an hour. */
const BUDGET_MS = 400;

const LOGS: Statement = {
  name: 'audit-logs',
  text: `SELECT log.log_id, organisation.slug, log.environment, log.generation FROM log JOIN organisation ON organisation.id = log.organisation_id
    LEFT JOIN audit ON audit.log_id = log.log_id ORDER BY audit.audited_at NULLS FIRST, log.log_id`,
};

interface LogName {
  log_id: number;
  slug: string;
  environment: Environment;
  generation: number;
}

export function createAuditor(deps: AuditorDeps): Auditor {
  const { db, keeper, key, nowMs, monotonicMs, onFinding, onRight, budgetMs = BUDGET_MS, runMs = RUN_MS } = deps;

  const auditOne = async (sql: Sql, logId: number, full: boolean, startedMs: number) => {
    const before = await takeState(sql, logId);
    if (before === undefined) return undefined;
    await forbidScans(sql);
    const { origin } = await readHead(sql, logId);
    // Before the head that it is compared with: the log may grow meanwhile, but never shrink.
    const kept = origin === null ? undefined : await keeper?.read(origin);
    const head = await readHead(sql, logId);
    const keys = await readKeys(sql, logId);
    const own = key === undefined || origin === null ? [] : [trustKey(publishKey(key, { origin, use: 'log' }).vkey)];
    const isTimeLeft = (): boolean => monotonicMs() - startedMs < budgetMs;
    const isRunOver = (): boolean => monotonicMs() - startedMs >= runMs;
    const log = { sql, logId, head, keys, kept, keptKeys: [...keys, ...own], isTimeLeft, isRunOver, full };
    const after = await auditLog(log, before);
    await keepState(sql, logId, after, nowMs());
    return { before, after, head };
  };

  const tell = (origin: string, before: AuditState, after: AuditState): void => {
    const told = new Set(before.findings.map(({ sentence }) => sentence));
    for (const finding of after.findings) if (!told.has(finding.sentence)) onFinding?.(origin, finding);
    if (before.findings.length > 0 && after.findings.length === 0) onRight?.(origin);
  };

  return {
    async run({ full = false } = {}) {
      const startedMs = monotonicMs();
      const audits: LogAudit[] = [];
      for (const name of await db.query<LogName>(LOGS, [])) {
        if (!full && audits.length > 0 && monotonicMs() - startedMs > runMs) break;
        const done = await db.transaction((sql) => auditOne(sql, name.log_id, full, startedMs));
        if (done === undefined) continue;
        const { before, after, head } = done;
        tell(head.origin ?? `${name.slug}/${name.environment}`, before, after);
        audits.push({
          logId: name.log_id,
          organisation: name.slug,
          environment: name.environment,
          generation: name.generation,
          size: head.size,
          auditedSize: after.auditedSize,
          findings: after.findings.map(({ kind, leafIndex, proofId, sentence }) => ({
            kind,
            leafIndex,
            proofId,
            sentence,
          })),
        });
      }
      return audits;
    },
  };
}

const STATES: Statement = {
  name: 'audit-states',
  text: `SELECT organisation.slug, log.environment, log.generation, log.size::text AS size, log.halted_reason,
      audit.audited_size::text AS audited_size, audit.ok, audit.findings, audit.audited_at
    FROM log JOIN organisation ON organisation.id = log.organisation_id LEFT JOIN audit ON audit.log_id = log.log_id
    ORDER BY organisation.slug, log.environment, log.generation`,
};

/** What is known of a log without auditing it. */
export interface LogState {
  readonly organisation: string;
  readonly environment: Environment;
  readonly generation: number;
  readonly size: number;
  /** Why nothing is signed any more. */
  readonly haltedReason: string | undefined;
  /** Undefined before the first audit. */
  readonly audit:
    | { readonly size: number; readonly ok: boolean; readonly findings: readonly Finding[]; readonly at: Date }
    | undefined;
}

/** Every log with its last audit, by organisation, environment and generation. */
export async function readLogStates(sql: Sql): Promise<LogState[]> {
  const rows = await sql.query<{
    slug: string;
    environment: Environment;
    generation: number;
    size: string;
    halted_reason: string | null;
    audited_size: string;
    ok: boolean;
    findings: string;
    audited_at: Date | null;
  }>(STATES, []);
  return rows.map((row) => ({
    organisation: row.slug,
    environment: row.environment,
    generation: row.generation,
    size: Number(row.size),
    haltedReason: row.halted_reason ?? undefined,
    audit:
      row.audited_at === null
        ? undefined
        : {
            size: Number(row.audited_size),
            ok: row.ok,
            findings: JSON.parse(row.findings) as Finding[],
            at: row.audited_at,
          },
  }));
}

/** What is wrong with the logs, as sentences for a person; none when all is right. */
export async function logProblems(sql: Sql): Promise<string[]> {
  const states = await readLogStates(sql);
  const newest = new Map(states.map((state) => [`${state.organisation}/${state.environment}`, state.generation]));
  return states.flatMap(({ organisation, environment, generation, haltedReason, audit }) => {
    const name = `the log ${organisation}/${environment}${generation > 1 ? `/${generation}` : ''}`;
    const isHalted = haltedReason !== undefined && newest.get(`${organisation}/${environment}`) === generation;
    const [first] = audit?.findings ?? [];
    return [
      ...(isHalted ? [`${name} is halted: ${haltedReason}`] : []),
      ...(first === undefined
        ? []
        : [
            `the audit of ${name} found ${audit?.findings.length === 1 ? 'a difference' : `${audit?.findings.length} differences, first`}: ${first.sentence}`,
          ]),
    ];
  });
}
