// The auditor: derives logs again with another implementation, bit by bit and over and over, and names every difference.
// It repairs nothing. What is new, and the incomplete subtree at the end, is derived in every run; of the older subtrees as
// many as the time allows, in turn, so that an edit of any row is found when its turn comes. Beside the logs it compares
// what rows say with what their records say: who may do what (each run), decisions and trust (new ones, and in turn).
import type { KeyObject } from 'node:crypto';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import type { StoredVerifier } from '../verification/stored.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { publishKey, trustKey } from '../../core/proof/keys.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { readAccepted } from './audit-accepted.ts';
import type { AuthorityAudit } from './audit-authority.ts';
import { auditDecisions } from './audit-decisions.ts';
import { auditLog, limited } from './audit-log.ts';
import { forbidScans, readHead, readKeys } from './audit-rows.ts';
import { type AuditState, keepState, openFindings, type PlacedFinding, takeState } from './audit-state.ts';
import { auditTrust } from './audit-trust.ts';
import type { CheckpointKeeper } from './kept.ts';
import { findAlteredSets, findLostLogs, installationFindings, keepInstallation } from './audit-installation.ts';

export interface AuditorDeps {
  readonly db: Database;
  /** What was signed, kept outside the database; without it that comparison is left out. */
  readonly keeper?: CheckpointKeeper | undefined;
  /** The log key of this process: it may have signed a kept checkpoint that a crash kept from being published. */
  readonly key?: KeyObject | undefined;
  /** Compares rows that have authority with their records; without it that is left out. */
  readonly authority?: AuthorityAudit | undefined;
  /** Evaluates decisions again; without it that is left out. */
  readonly verifier?: Pick<StoredVerifier, 'some'> | undefined;
  /** Of this service. Default: ''. */
  readonly version?: string;
  readonly nowMs: () => number;
  /** A clock that never jumps. */
  readonly monotonicMs: () => number;
  /** Told once of each difference, when it is found. */
  readonly onFinding?: (origin: string, finding: Finding) => void;
  /** Told when a log is right again. */
  readonly onRight?: (origin: string) => void;
  /** Time a run spends on what was audited before; at least one subtree of 1,024 leaves of each log is audited. Default: 500. */
  readonly budgetMs?: number;
  /** Time after which a run leaves what is new, and further logs, to the next one. Default: 500. */
  readonly runMs?: number;
  /** Time a run spends on evaluating decisions again; at least a page of each log. Default: 250. */
  readonly decisionsMs?: number;
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
/** The same twentieth, for what is old when nothing is new: a million leaves have their turn within about half an hour. */
const BUDGET_MS = 500;
/** A fortieth of one core: about a hundred decisions a run, so that ten thousand have their turn within a quarter of an hour. */
const DECISIONS_MS = 250;
/** What comparing trust may take of it. */
const TRUST_SHARE = 0.4;

const LOGS: Statement = {
  name: 'audit-logs',
  text: `SELECT log.log_id, log.organisation_id, organisation.slug, log.environment, log.generation,
      log.generation = max(log.generation) OVER (PARTITION BY log.organisation_id, log.environment) AS is_newest
    FROM log JOIN organisation ON organisation.id = log.organisation_id
    LEFT JOIN audit ON audit.log_id = log.log_id ORDER BY audit.audited_at NULLS FIRST, log.log_id`,
};

/** Keys without a log: whoever was given one, was given it by no record. */
const OWNERS_WITHOUT_LOG: Statement = {
  name: 'audit-owners-without-log',
  text: `SELECT DISTINCT organisation_id, environment FROM api_key
    WHERE NOT EXISTS (SELECT FROM log WHERE log.organisation_id = api_key.organisation_id AND log.environment = api_key.environment)`,
};
const HALT: Statement = {
  name: 'audit-halt',
  text: 'UPDATE log SET halted_reason = $2 WHERE log_id = $1 AND halted_reason IS NULL',
};

interface LogName {
  log_id: number;
  organisation_id: string;
  /** Whether this generation is the one that grows. */
  is_newest: boolean;
  slug: string;
  environment: Environment;
  generation: number;
}

/** Why the signer stops, for the log's own row. */
export const AUDIT_HALT = 'the audit found a difference';

export function createAuditor(deps: AuditorDeps): Auditor {
  const { db, keeper, key, nowMs, monotonicMs, onFinding, onRight, budgetMs = BUDGET_MS, runMs = RUN_MS } = deps;
  const { authority, verifier, version = '', decisionsMs = DECISIONS_MS } = deps;
  /** Which policy set is looked at next. */
  let nextSet = '';

  const tell = (origin: string, before: readonly Finding[], after: readonly Finding[]): void => {
    const told = new Set(before.map(({ sentence }) => sentence));
    for (const finding of after) if (!told.has(finding.sentence)) onFinding?.(origin, finding);
    if (before.length > 0 && after.length === 0) onRight?.(origin);
  };

  /**
   * Changes what is remembered of a log, and stops its signer when there is something that nobody has accepted.
   * @returns undefined when another worker audits it now
   */
  const change = async (
    name: LogName,
    work: (sql: Sql, before: AuditState) => Promise<AuditState>,
  ): Promise<{ readonly state: AuditState; readonly origin: string } | undefined> => {
    const changed = await db.transaction(async (sql) => {
      const before = await takeState(sql, name.log_id);
      if (before === undefined) return undefined;
      const after = await work(sql, before);
      if (after !== before) await keepState(sql, name.log_id, after, nowMs());
      const [first, ...more] = openFindings(after.findings, after.accepted);
      const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
      if (first !== undefined && name.is_newest)
        await sql.query(HALT, [name.log_id, `${AUDIT_HALT}: ${first.sentence}${others}`]);
      const { origin } = await readHead(sql, name.log_id);
      return { before, state: after, origin: origin ?? `${name.slug}/${name.environment}` };
    });
    if (changed === undefined) return undefined;
    tell(changed.origin, changed.before.findings, changed.state.findings);
    return changed;
  };

  const auditOne = async (sql: Sql, before: AuditState, logId: number, full: boolean, startedMs: number) => {
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
    // A log that nobody has audited yet begins with this version of the service.
    const isFirst = before.auditedSize === 0 && before.decisions.by === '';
    return { ...after, decisions: isFirst ? { ...before.decisions, by: version } : after.decisions };
  };

  /** Who may do what, of every organisation and environment whose turn it is. */
  const auditAuthority = async (names: readonly LogName[], now: boolean): Promise<Finding[]> => {
    if (authority === undefined) return [];
    for (const name of names.filter((one) => one.is_newest)) {
      const owner = { organisationId: name.organisation_id, environment: name.environment };
      const found = await authority.compare(owner, { now });
      if (found === undefined) continue;
      const placed = found.map((finding): PlacedFinding => ({ ...finding, place: 'authority' }));
      await change(name, async (_, before) => {
        const others = before.findings.filter(({ place }) => place !== 'authority');
        if (others.length === before.findings.length && placed.length === 0) return before;
        return { ...before, findings: limited([...others, ...placed]) };
      });
    }
    const found: Finding[] = [];
    const without = await db.query<{ organisation_id: string; environment: Environment }>(OWNERS_WITHOUT_LOG, []);
    for (const { organisation_id: organisationId, environment } of without)
      found.push(...((await authority.compare({ organisationId, environment }, { now: true })) ?? []));
    return found;
  };

  /** What belongs to no log: logs that are gone, sets of policies, keys of those that have no log. */
  const auditInstallation = async (withoutLog: readonly Finding[]): Promise<void> => {
    const lost = keeper === undefined ? [] : await findLostLogs(db, keeper);
    const sets = await findAlteredSets(db, nextSet);
    nextSet = sets.next;
    const found = await db.transaction((sql) =>
      keepInstallation(sql, { found: [...lost, ...withoutLog], sets }, nowMs()),
    );
    for (const finding of found ?? []) onFinding?.('', finding);
  };

  /** Decisions and trust of one log. */
  const auditEvidence = async (name: LogName, before: AuditState, size: number, endMs: number): Promise<AuditState> => {
    const owner = { organisationId: name.organisation_id, environment: name.environment };
    const trustEndMs = monotonicMs() + decisionsMs * TRUST_SHARE;
    const trust = await auditTrust(db, [owner.organisationId, owner.environment], {
      after: before.decisions.agentId,
      nowMs: nowMs(),
      isTimeLeft: () => monotonicMs() < trustEndMs,
    });
    const again = before.findings.flatMap(({ place }) => (place.startsWith('decision ') ? [place.slice(9)] : []));
    const decided =
      verifier === undefined
        ? { turns: before.decisions, verified: new Map<string, Finding | undefined>() }
        : await auditDecisions({ db, verifier, version }, { ...owner, logId: name.log_id, size }, before.decisions, {
            again: again.slice(0, 10),
            isTimeLeft: () => monotonicMs() < endMs,
          });
    const seen = new Set([
      ...[...decided.verified.keys()].map((id) => `decision ${id}`),
      ...trust.compared.map((id) => `trust ${id}`),
    ]);
    const found: PlacedFinding[] = [
      ...[...decided.verified].flatMap(([id, finding]) =>
        finding === undefined ? [] : [{ ...finding, place: `decision ${id}` as const }],
      ),
      ...[...trust.findings].map(([id, finding]) => ({ ...finding, place: `trust ${id}` as const })),
    ];
    const done = await change(name, async (_, state) => ({
      ...state,
      decisions: { ...decided.turns, agentId: trust.agentId },
      findings: limited([...state.findings.filter(({ place }) => !seen.has(place)), ...found]),
    }));
    return done?.state ?? before;
  };

  return {
    async run({ full = false } = {}) {
      const names = await db.query<LogName>(LOGS, []);
      await auditInstallation(await auditAuthority(names, full));
      const startedMs = monotonicMs();
      const audits: LogAudit[] = [];
      for (const name of names) {
        if (!full && audits.length > 0 && monotonicMs() - startedMs > runMs) break;
        const done = await change(name, (sql, before) => auditOne(sql, before, name.log_id, full, startedMs));
        if (done === undefined) continue;
        const { size } = await readHead(db, name.log_id);
        const audited = Math.min(size, done.state.auditedSize);
        const state = name.is_newest
          ? await auditEvidence(name, done.state, audited, monotonicMs() + decisionsMs)
          : done.state;
        audits.push({
          logId: name.log_id,
          organisation: name.slug,
          environment: name.environment,
          generation: name.generation,
          size,
          auditedSize: state.auditedSize,
          findings: state.findings.map(({ kind, leafIndex, proofId, sentence }) => ({
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
  text: `SELECT log.log_id, organisation.slug, log.environment, log.generation, log.size::text AS size, log.halted_reason,
      audit.audited_size::text AS audited_size, audit.ok, audit.findings, audit.accepted, audit.audited_at
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
    | {
        readonly size: number;
        /** Nothing was found that nobody has accepted. */
        readonly ok: boolean;
        readonly findings: readonly Finding[];
        /** Those that nobody has accepted. */
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
    size: string;
    halted_reason: string | null;
    audited_size: string;
    ok: boolean;
    findings: string;
    accepted: string;
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
            open: openFindings(
              JSON.parse(row.findings) as Finding[],
              readAccepted(sql, `log ${row.log_id}`, row.accepted),
            ),
            at: row.audited_at,
          },
  }));
}

/** What is wrong with the logs, as sentences for a person; none when all is right. */
export async function logProblems(sql: Sql): Promise<string[]> {
  const states = await readLogStates(sql);
  const newest = new Map(states.map((state) => [`${state.organisation}/${state.environment}`, state.generation]));
  const beside = await installationFindings(sql);
  return [
    ...beside.map(({ sentence }) => sentence),
    ...states.flatMap(({ organisation, environment, generation, haltedReason, audit }) => {
      const name = `the log ${organisation}/${environment}${generation > 1 ? `/${generation}` : ''}`;
      const isHalted = haltedReason !== undefined && newest.get(`${organisation}/${environment}`) === generation;
      // The reason of a halt that the audit made names what it found.
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
