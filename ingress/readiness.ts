// The checks of /ready: what ingress needs to answer, and what it can do without for a while (`degraded`).
import type { Database } from '../shared/platform/db/database.ts';
import { ensureWritable, whyNotWritable } from '../shared/platform/db/writable.ts';
import { readHalts } from '../shared/domain/decisions/halts.ts';
import { AHEAD_SECONDS, readBacklog } from '../shared/domain/installation/backlog.ts';
import type { ActivePolicySet } from '../shared/domain/policy-sets/active-set.ts';
import { placesText, processesAlive } from '../shared/platform/process/heartbeat.ts';
import { within } from '../shared/platform/queues/backend.ts';
import { readLateAudits } from '../shared/domain/ledger/audit-lag.ts';
import type { SecondReader } from '../shared/domain/second-reader/reader.ts';
import { logProblems } from '../shared/domain/ledger/log-states.ts';
import type { Environment } from '../shared/kernel/vocabulary.ts';

/** One part that /ready reports on. */
export interface ReadinessCheck {
  readonly name: string;
  /** `critical` (default): not ready when down. `degraded`: listed, and the service stays ready. */
  readonly severity?: 'critical' | 'degraded';
  /**
   * Where the state of the part is. `database`: it is unknown while the database does not work, whatever could still be read:
   * in a database that accepts no writes, for example, no worker has a recent heartbeat.
   */
  readonly state: 'database' | 'process';
  /** When it throws or is late, the state is unknown. */
  check(): Promise<{ readonly ok: boolean; readonly detail?: string }>;
}

/** An environment whose verdicts are all DENY. */
export interface HaltedEnvironment {
  readonly organisation: string;
  readonly environment: Environment;
  readonly reason: string;
}

export interface ReadinessDeps {
  readonly db: Database;
  readonly policies: ActivePolicySet;
  /** Whether Redis answers; undefined without one. */
  readonly redisOk: () => boolean | undefined;
  /** The problem of this machine's clock; undefined: none. */
  readonly clockProblem: () => string | undefined;
  /** Absent: not configured. */
  readonly secondReader?: Pick<SecondReader, 'problem'> | undefined;
}

/** The check of the database itself; its name, because the state of other parts is unknown when it fails. */
export const DATABASE = 'database';
/** Less than the deadline of all checks (routes/health.ts): a database that does not answer is down, and not unknown. */
const DATABASE_TIMEOUT_MS = 1_200;

/** Work that has waited longer is a backlog. The alerts in docs/operations have the same limits. */
const LATE_SECONDS = { intents: 30, trust: 30, proofs: 10, webhooks: 30, outbox: 10 } as const;

export function readinessChecks({
  db,
  policies,
  redisOk,
  clockProblem,
  secondReader,
}: ReadinessDeps): ReadinessCheck[] {
  const checks: ReadinessCheck[] = [
    {
      name: DATABASE,
      state: 'process',
      check: () =>
        within(ensureWritable(db), DATABASE_TIMEOUT_MS, 'the check of the database').then(
          () => ({ ok: true }),
          (error: unknown) => ({ ok: false, detail: whyNotWritable(error) }),
        ),
    },
    ...policyChecks(policies),
    ...workChecks(db),
    {
      name: 'clock',
      severity: 'degraded',
      state: 'process',
      async check() {
        const problem = clockProblem();
        return problem === undefined ? { ok: true } : { ok: false, detail: problem };
      },
    },
  ];
  if (secondReader !== undefined) {
    checks.push({
      name: 'second-reader',
      severity: 'degraded',
      state: 'process',
      async check() {
        const problem = secondReader.problem();
        if (problem === undefined) return { ok: true };
        return { ok: false, detail: `${problem}; what it would be asked about counts as not read (away)` };
      },
    });
  }
  if (redisOk() !== undefined) {
    checks.push({
      name: 'queue',
      severity: 'degraded',
      state: 'process',
      check: async () =>
        redisOk() === true
          ? { ok: true }
          : { ok: false, detail: 'Redis does not answer; accepted work waits in the outbox, limits count per process' },
    });
  }
  return checks;
}

function policyChecks(policies: ActivePolicySet): ReadinessCheck[] {
  return [
    {
      name: 'policy-set',
      state: 'process',
      async check() {
        const { activeDigest, loadError } = policies.status();
        if (activeDigest === undefined) return { ok: false, detail: loadError ?? 'no policy set is in force yet' };
        return { ok: true, detail: activeDigest };
      },
    },
    {
      name: 'policy-folder',
      severity: 'degraded',
      // Workers read the folder and report it in the database.
      state: 'database',
      async check() {
        const { readOk, findings, loadError, inForce, activeDigest, folderDigest } = policies.status();
        if (loadError !== undefined)
          return {
            ok: false,
            detail: `the activated set could not be loaded; ${activeDigest === undefined ? 'none is in force here' : 'the last valid set stays in force'}`,
          };
        const isPinned = inForce !== undefined && inForce.source !== 'folder';
        if (readOk && isPinned && folderDigest !== activeDigest)
          return { ok: true, detail: 'not followed: the set in force was pushed, and the folder has another set' };
        return readOk
          ? { ok: true }
          : { ok: false, detail: `refused; the last valid set stays in force: ${summary(findings)}` };
      },
    },
  ];
}

/** The checks of the work that workers do. */
function workChecks(db: Database): ReadinessCheck[] {
  const shared = { severity: 'degraded', state: 'database' } as const;
  return [
    {
      ...shared,
      name: 'ingress',
      // This process answers, so one is alive.
      check: async () => ({ ok: true, detail: placesText(await processesAlive(db, 'ingress')) }),
    },
    {
      ...shared,
      name: 'workers',
      async check() {
        const alive = await processesAlive(db, 'workers');
        return alive.length > 0
          ? { ok: true, detail: placesText(alive) }
          : { ok: false, detail: 'no worker process is alive; accepted work waits' };
      },
    },
    {
      ...shared,
      name: 'backlog',
      async check() {
        const { queues, outbox, ahead } = await readBacklog(db);
        const late = Object.entries({ ...queues, outbox }).filter(
          // The limits name each queue with rows.
          ([name, seconds]) => seconds > LATE_SECONDS[name as keyof typeof LATE_SECONDS],
        );
        const problems = late.map(([name, seconds]) => `${name} for ${Math.round(seconds)} s`);
        if (ahead > AHEAD_SECONDS)
          problems.push(`since a time ${Math.round(ahead)} s ahead: the database's clock was set back`);
        if (problems.length === 0) return { ok: true };
        return { ok: false, detail: `accepted work waits: ${problems.join(', ')}` };
      },
    },
    {
      ...shared,
      name: 'audit',
      async check() {
        // Only their number: the sentences name organisations.
        const { length } = await logProblems(db);
        return length === 0
          ? { ok: true }
          : {
              ok: false,
              detail: `${length} log ${length === 1 ? 'problem' : 'problems'} (halted or altered); see custos log list or the dashboard`,
            };
      },
    },
    {
      ...shared,
      name: 'audit-lag',
      async check() {
        const detail = await readLateAudits(db);
        return detail === undefined ? { ok: true } : { ok: false, detail };
      },
    },
  ];
}

/** The environments that an operator has halted. @throws {ApiError} E6002 */
export async function readHalted(db: Database): Promise<HaltedEnvironment[]> {
  const states = await readHalts(db);
  return states.flatMap(({ organisation, environment, halt }) =>
    halt === undefined ? [] : [{ organisation, environment, reason: halt.reason }],
  );
}

function summary(findings: readonly unknown[]): string {
  const [first] = findings as { file?: string; line?: number; message?: string }[];
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
  return first === undefined ? 'no reason recorded' : `${first.file}:${first.line} ${first.message}${more}`;
}
