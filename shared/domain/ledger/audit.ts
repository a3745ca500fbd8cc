// The auditor: derives logs again with a second implementation and reports every difference; it repairs nothing. Each run derives new
// leaves and the incomplete subtree at the end, and older subtrees in turn as time allows, so that every edited row is found
// eventually. It also compares rows with their records: authority in each run, decisions and trust when new and then in turn.
import type { KeyObject } from 'node:crypto';
import type { Database, Sql } from '../../platform/db/database.ts';
import type { StoredVerifier } from '../verification/stored.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { EVALUATION } from '../../core/policy/evaluation-version.ts';
import { publishKey, trustKey, trustPublishedKeys } from '../../core/proof/keys.ts';
import type { Owner } from '../../kernel/owner.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import type { AuthorityAudit } from './audit-authority.ts';
import { auditDecisions } from './audit-decisions.ts';
import { auditIntents } from './audit-intents.ts';
import { auditLog, type AuditScope, limited } from './audit-log.ts';
import { forbidScansAndSorts, readHead } from './audit-rows.ts';
import { readKeysOfLog } from './published-keys.ts';
import {
  type AuditState,
  beginEvidence,
  endEvidence,
  keepState,
  openFindings,
  type PlacedFinding,
  takeState,
} from './audit-state.ts';
import { auditSignals } from './audit-signals.ts';
import { auditTrust } from './audit-trust.ts';
import { auditUnlogged, type UnloggedTurn } from './audit-unlogged.ts';
import type { CheckpointKeeper } from './kept.ts';
import { findAlteredSets, findForgedPromiseKeys, findLostLogs, keepInstallation } from './audit-installation.ts';
import { AUDIT_HALT } from './log-states.ts';

export interface AuditorDeps {
  readonly db: Database;
  /** Keeps signed checkpoints outside the database. Absent: no comparison with them. */
  readonly keeper?: CheckpointKeeper | undefined;
  /** The log key of this process: after a crash a kept checkpoint may be signed with it and not published. */
  readonly key?: KeyObject | undefined;
  /** Compares rows that give authority with their records. Absent: no comparison. */
  readonly authority?: AuthorityAudit | undefined;
  /** Evaluates decisions again. Absent: they are not verified. */
  readonly verifier?: Pick<StoredVerifier, 'some'> | undefined;
  /** The version of the evaluation of this service. Default: EVALUATION. */
  readonly evaluation?: number;
  readonly nowMs: () => number;
  /** A monotonic clock. */
  readonly monotonicMs: () => number;
  /** Called once for each new finding. */
  readonly onFinding?: (origin: string, finding: Finding) => void;
  /** Called when the last finding of a log has disappeared. */
  readonly onRight?: (origin: string) => void;
  /** Called for each agent with accepted signals that count nowhere, to queue them again. The auditor repairs nothing itself. */
  readonly onLostSignals?: (owner: Owner, agentId: string) => Promise<void>;
  /** Time in one run for leaves that were audited before; at least one subtree of 1,024 leaves of each log is audited. Default: 750. */
  readonly budgetMs?: number;
  /** Time after which a run leaves new leaves, and other logs, to the next one. Default: 500. */
  readonly runMs?: number;
  /** Time in one run for evaluating decisions again; at least a page of each log. Default: 250. */
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
  /** Leaves that this audit was the first to derive. */
  readonly newLeaves: number;
  readonly findings: readonly Finding[];
}

export interface Auditor {
  /**
   * Audits the logs, those that waited longest first. A log that another worker is auditing is left out.
   * @param options `full`: audits each log from its first leaf, without a time limit
   * @throws {ApiError} E6002
   */
  run(options?: { readonly full?: boolean }): Promise<LogAudit[]>;
  /**
   * Audits only leaves that no audit has derived yet, in the time of one run: for the time between two runs when a log grows fast.
   * @throws {ApiError} E6002
   */
  catchUp(): Promise<LogAudit[]>;
}

/** Thousands of new leaves. While a log is behind, the job continues with `catchUp` (workers/jobs/audit.ts). */
const RUN_MS = 500;
/**
 * For older leaves, at a run every 10 s: with DECISIONS_MS a tenth of one core. A leaf costs 70 microseconds of processor time, PostgreSQL's
 * included, so a cycle over a million leaves takes a quarter of an hour, and longer on a busy machine.
 */
const BUDGET_MS = 750;
/** A fortieth of one core, some hundred decisions a run. */
const DECISIONS_MS = 250;
/** A page of decisions ends early this long after that time: the trust of each may take seconds, and progress is stored after the page. */
const LATE_MS = 2_000;
/** The share of it for the comparison of submitted intents. */
const INTENTS_SHARE = 0.05;
/** The share of it for decisions and records without a leaf: some thousand in a run. */
const UNLOGGED_SHARE = 0.1;
/** The share of it for counting signals. */
const SIGNALS_SHARE = 0.05;
/** An agent with very many signals takes longer. The next count is this many times later, so that it takes a fiftieth of a core. */
const SIGNALS_REST = 50;
/** The share of it for the comparison of trust. */
const TRUST_SHARE = 0.3;

const LOGS = `SELECT log.log_id, log.organisation_id, organisation.slug, log.environment, log.generation,
      log.generation = max(log.generation) OVER (PARTITION BY log.organisation_id, log.environment) AS is_newest,
      log.size > coalesce(audit.audited_size, 0) AS is_behind
    FROM log JOIN organisation ON organisation.id = log.organisation_id
    LEFT JOIN audit ON audit.log_id = log.log_id ORDER BY audit.audited_at NULLS FIRST, log.log_id`;

/** Owners of keys that have no log, so that no record created their keys. */
const OWNERS_WITHOUT_LOG = `SELECT DISTINCT organisation_id, environment FROM api_key
    WHERE NOT EXISTS (SELECT FROM log WHERE log.organisation_id = api_key.organisation_id AND log.environment = api_key.environment)`;
const HALT = 'UPDATE log SET halted_reason = $2 WHERE log_id = $1 AND halted_reason IS NULL';

interface LogName {
  log_id: number;
  organisation_id: string;
  /** Whether this is the current generation of the log. */
  is_newest: boolean;
  /** Whether it has leaves that were never audited. */
  is_behind: boolean;
  slug: string;
  environment: Environment;
  generation: number;
}

/** Rows beside the log with a finding that are compared again in each run. */
const MOST_AGAIN = 10;

interface BesideTurn {
  /** The last submitted intent that was compared; '' at the start of a cycle. */
  readonly intentId: string;
  /** The last agent whose signals were counted. */
  readonly agentId: string;
  readonly signalsDueMs: number;
  /** Decisions and records without a leaf. */
  readonly unlogged: UnloggedTurn;
}

const FIRST_TURN: BesideTurn = {
  intentId: '',
  agentId: '',
  signalsDueMs: Number.NEGATIVE_INFINITY,
  unlogged: { oldId: '', recordId: '' },
};

/** The ids of rows with a finding. */
const idsAt = ({ findings }: AuditState, kind: 'decision' | 'signals' | 'unlogged' | 'intent'): string[] =>
  findings.flatMap(({ place }) => (place.startsWith(`${kind} `) ? [place.slice(kind.length + 1)] : []));

const placedAt = (
  kind: 'decision' | 'trust' | 'signals' | 'unlogged' | 'intent',
  findings: ReadonlyMap<string, Finding | undefined>,
): PlacedFinding[] =>
  [...findings].flatMap(([id, finding]) => (finding === undefined ? [] : [{ ...finding, place: `${kind} ${id}` }]));

export function createAuditor(deps: AuditorDeps): Auditor {
  const { db, keeper, key, nowMs, monotonicMs, onFinding, onRight, budgetMs = BUDGET_MS, runMs = RUN_MS } = deps;
  const { authority, verifier, evaluation = EVALUATION, decisionsMs = DECISIONS_MS, onLostSignals } = deps;
  /** The next policy set to check. */
  let nextSet = '';
  // What this process has stored about each log: an older state that it reads was put back, or its row was deleted.
  const remembered = new Map<number, AuditState>();
  const evidenceEndedMs = new Map<number, number>();
  const lastTurns = new Map<number, number>();
  let turns = 0;
  /** Where the next turn of rows beside a log begins. Not in the database, where it could be moved past an altered row. */
  const besideTurns = new Map<number, BesideTurn>();

  const report = (origin: string, before: readonly Finding[], after: readonly Finding[]): void => {
    const known = new Set(before.map(({ sentence }) => sentence));
    for (const finding of after) if (!known.has(finding.sentence)) onFinding?.(origin, finding);
    if (before.length > 0 && after.length === 0) onRight?.(origin);
  };

  /**
   * Changes the state of a log, and stops its signer when a finding is open.
   * @returns undefined when another worker is auditing it
   */
  const change = async (
    name: LogName,
    work: (sql: Sql, before: AuditState) => Promise<AuditState>,
    isTurn = true,
  ): Promise<{ readonly before: AuditState; readonly state: AuditState; readonly origin: string } | undefined> => {
    const changed = await db.transaction(async (sql) => {
      const before = await takeState(sql, name.log_id, remembered.get(name.log_id));
      if (before === undefined) return undefined;
      const worked = await work(sql, before);
      const after =
        worked === before
          ? before
          : await keepState(sql, name.log_id, { before, after: worked }, { nowMs: nowMs(), isTurn });
      const [first, ...more] = openFindings(after.findings, after.accepted);
      const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
      if (first !== undefined && name.is_newest)
        await sql.query(HALT, [name.log_id, `${AUDIT_HALT}: ${first.sentence}${others}`]);
      const { origin } = await readHead(sql, name.log_id);
      return { before, state: after, origin: origin ?? `${name.slug}/${name.environment}` };
    });
    if (changed === undefined) return undefined;
    remembered.set(name.log_id, changed.state);
    report(changed.origin, changed.before.findings, changed.state.findings);
    return changed;
  };

  const auditOne = async (sql: Sql, before: AuditState, logId: number, scope: AuditScope, startedMs: number) => {
    await forbidScansAndSorts(sql);
    const { origin } = await readHead(sql, logId);
    // Read before the head with which it is compared: meanwhile the log may grow, but never shrink.
    const kept = origin === null ? undefined : await keeper?.read(origin);
    const head = await readHead(sql, logId);
    const { published, forged: forgedKeys } = await readKeysOfLog(sql, logId);
    const keys = trustPublishedKeys(published);
    const own = key === undefined || origin === null ? [] : [trustKey(publishKey(key, { origin, use: 'log' }).vkey)];
    const isTimeLeft = (): boolean => monotonicMs() - startedMs < budgetMs;
    const isRunOver = (): boolean => monotonicMs() - startedMs >= runMs;
    const log = { sql, logId, head, keys, forgedKeys, kept, keptKeys: [...keys, ...own], isTimeLeft, isRunOver, scope };
    return auditLog(log, before);
  };

  /** Audits the authority in every organisation and environment that is due. @returns findings of those without a log */
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
        return { ...before, findings: limited([...others, ...placed], before.accepted) };
      });
    }
    const found: Finding[] = [];
    const without = await db.query<{ organisation_id: string; environment: Environment }>(OWNERS_WITHOUT_LOG, []);
    for (const { organisation_id: organisationId, environment } of without)
      found.push(...((await authority.compare({ organisationId, environment }, { now: true })) ?? []));
    return found;
  };

  /** Audits what belongs to no log: missing logs, policy sets, keys of promises, keys without a log. */
  const auditInstallation = async (withoutLog: readonly Finding[]): Promise<void> => {
    const lost = keeper === undefined ? [] : await findLostLogs(db, keeper);
    const forged = await findForgedPromiseKeys(db);
    const sets = await findAlteredSets(db, nextSet);
    nextSet = sets.next;
    const found = await db.transaction((sql) =>
      keepInstallation(sql, { found: [...lost, ...forged, ...withoutLog], sets }, nowMs()),
    );
    for (const finding of found ?? []) onFinding?.('', finding);
  };

  /** Counts the signals of the next agents. */
  const auditSignalsIfDue = async (owner: Owner, before: AuditState, turn: BesideTurn) => {
    const startedMs = monotonicMs();
    if (startedMs < turn.signalsDueMs) return { turn: {}, counted: new Map<string, Finding | undefined>(), lost: [] };
    const endMs = startedMs + decisionsMs * SIGNALS_SHARE;
    const { agentId, counted, lost } = await auditSignals(db, [owner.organisationId, owner.environment], {
      after: turn.agentId,
      again: idsAt(before, 'signals').slice(0, MOST_AGAIN),
      isTimeLeft: () => monotonicMs() < endMs,
    });
    const endedMs = monotonicMs();
    return { turn: { agentId, signalsDueMs: endedMs + SIGNALS_REST * (endedMs - startedMs) }, counted, lost };
  };

  /** Audits submitted intents, signals, decisions and trust of one log. */
  const auditEvidence = async (name: LogName, before: AuditState, size: number, endMs: number): Promise<AuditState> => {
    const owner = { organisationId: name.organisation_id, environment: name.environment };
    const turn = besideTurns.get(name.log_id) ?? FIRST_TURN;
    const intentsEndMs = monotonicMs() + decisionsMs * INTENTS_SHARE;
    const intents = await auditIntents(db, owner, {
      after: turn.intentId,
      again: idsAt(before, 'intent').slice(0, MOST_AGAIN),
      isTimeLeft: () => monotonicMs() < intentsEndMs,
    });
    const signals = await auditSignalsIfDue(owner, before, turn);
    const unloggedEndMs = monotonicMs() + decisionsMs * UNLOGGED_SHARE;
    const unlogged = await auditUnlogged(db, [owner.organisationId, owner.environment], turn.unlogged, {
      again: idsAt(before, 'unlogged').slice(0, MOST_AGAIN),
      nowMs: nowMs(),
      isTimeLeft: () => monotonicMs() < unloggedEndMs,
    });
    besideTurns.set(name.log_id, { ...turn, ...signals.turn, intentId: intents.intentId, unlogged: unlogged.turn });
    const trustEndMs = monotonicMs() + decisionsMs * TRUST_SHARE;
    const trust = await auditTrust(db, [owner.organisationId, owner.environment], {
      after: before.decisions.agentId,
      nowMs: nowMs(),
      isTimeLeft: () => monotonicMs() < trustEndMs,
    });
    const decided =
      verifier === undefined
        ? { turns: before.decisions, verified: new Map<string, Finding | undefined>() }
        : await auditDecisions(
            { db, verifier, evaluation, nowMs },
            { ...owner, logId: name.log_id, size },
            before.decisions,
            {
              versions: before.versions,
              again: idsAt(before, 'decision').slice(0, MOST_AGAIN),
              isTimeLeft: () => monotonicMs() < endMs,
              isLate: () => monotonicMs() >= endMs + LATE_MS,
            },
          );
    const seen = new Set([
      ...[...decided.verified.keys()].map((id) => `decision ${id}`),
      ...trust.compared.map((id) => `trust ${id}`),
      ...[...intents.compared.keys()].map((id) => `intent ${id}`),
      ...[...signals.counted.keys()].map((id) => `signals ${id}`),
      ...[...unlogged.compared.keys()].map((id) => `unlogged ${id}`),
    ]);
    const found = [
      ...placedAt('decision', decided.verified),
      ...placedAt('trust', trust.findings),
      ...placedAt('intent', intents.compared),
      ...placedAt('signals', signals.counted),
      ...placedAt('unlogged', unlogged.compared),
    ];
    const done = await change(name, async (_, state) => ({
      ...state,
      decisions: { ...decided.turns, agentId: trust.agentId },
      findings: limited([...state.findings.filter(({ place }) => !seen.has(place)), ...found], state.accepted),
    }));
    for (const agentId of signals.lost) await onLostSignals?.(owner, agentId);
    return done?.state ?? before;
  };

  /** The same, unless it may have ended the process a short time ago. @param now in any case */
  const auditEvidenceOnce = async (name: LogName, before: AuditState, size: number, now: boolean) => {
    const begunMs = nowMs();
    const endedMs = evidenceEndedMs.get(name.log_id);
    if (!(await beginEvidence(db, name.log_id, { nowMs: begunMs, endedMs, now }))) return before;
    try {
      return await auditEvidence(name, before, size, monotonicMs() + decisionsMs);
    } finally {
      evidenceEndedMs.set(name.log_id, begunMs);
      // Without a database the next one waits.
      await endEvidence(db, name.log_id, begunMs).catch(() => undefined);
    }
  };

  /** Those that this process left out for longest come first, whatever the database says about their last audits. */
  const inTurn = (names: readonly LogName[]): LogName[] =>
    names.toSorted((a, b) => (lastTurns.get(a.log_id) ?? 0) - (lastTurns.get(b.log_id) ?? 0));

  /** Audits these logs until the time of a run is over. */
  const auditLogs = async (names: readonly LogName[], scope: AuditScope): Promise<LogAudit[]> => {
    const startedMs = monotonicMs();
    const audits: LogAudit[] = [];
    for (const name of inTurn(names)) {
      if (scope !== 'all' && audits.length > 0 && monotonicMs() - startedMs > runMs) break;
      if (scope !== 'new') lastTurns.set(name.log_id, (turns += 1));
      const audit = (sql: Sql, before: AuditState) => auditOne(sql, before, name.log_id, scope, startedMs);
      const done = await change(name, audit, scope !== 'new');
      if (done === undefined) continue;
      const { size } = await readHead(db, name.log_id);
      const audited = Math.min(size, done.state.auditedSize);
      const state =
        name.is_newest && scope !== 'new'
          ? await auditEvidenceOnce(name, done.state, audited, scope === 'all')
          : done.state;
      const { log_id: logId, slug: organisation, environment, generation } = name;
      const findings = state.findings.map((placed): Finding => {
        const { place: _, ...finding } = placed;
        return finding;
      });
      const { auditedSize } = state;
      const newLeaves = auditedSize - done.before.auditedSize;
      audits.push({ logId, organisation, environment, generation, size, auditedSize, newLeaves, findings });
    }
    return audits;
  };

  return {
    async run({ full = false } = {}) {
      const names = await db.query<LogName>(LOGS, []);
      await auditInstallation(await auditAuthority(names, full));
      return auditLogs(names, full ? 'all' : 'turn');
    },
    async catchUp() {
      const names = await db.query<LogName>(LOGS, []);
      return auditLogs(
        names.filter((name) => name.is_behind),
        'new',
      );
    },
  };
}
