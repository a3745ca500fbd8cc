// The checks of /ready: what ingress needs to answer, and what it can do without for a while (`degraded`).
import type { Database } from '../shared/platform/db/database.ts';
import { ensureWritable, whyNotWritable } from '../shared/platform/db/writable.ts';
import type { ActivePolicySet } from '../shared/domain/policy-sets/active-set.ts';
import { workersAlive, workersText } from '../shared/platform/process/heartbeat.ts';
import { logProblems } from '../shared/domain/ledger/log-states.ts';

/** One part that /ready reports on. */
export interface ReadinessCheck {
  readonly name: string;
  /** `critical` (default): not ready when down. `degraded`: listed, and the service stays ready. */
  readonly severity?: 'critical' | 'degraded';
  check(): Promise<{ readonly ok: boolean; readonly detail?: string }>;
}

export interface ReadinessDeps {
  readonly db: Database;
  readonly policies: ActivePolicySet;
  /** Whether Redis answers; undefined without one. */
  readonly redisOk: () => boolean | undefined;
  /** The problem of this machine's clock; undefined: none. */
  readonly clockProblem: () => string | undefined;
}

export function readinessChecks({ db, policies, redisOk, clockProblem }: ReadinessDeps): ReadinessCheck[] {
  const checks: ReadinessCheck[] = [
    {
      name: 'database',
      check: () =>
        ensureWritable(db).then(
          () => ({ ok: true }),
          (error: unknown) => ({ ok: false, detail: whyNotWritable(error) }),
        ),
    },
    {
      name: 'policy-set',
      async check() {
        const { activeDigest, loadError } = policies.status();
        if (activeDigest === undefined) return { ok: false, detail: loadError ?? 'no policy set is in force yet' };
        return { ok: true, detail: activeDigest };
      },
    },
    {
      name: 'policy-folder',
      severity: 'degraded',
      async check() {
        const { readOk, findings, loadError } = policies.status();
        if (loadError !== undefined)
          return { ok: false, detail: 'the activated set could not be loaded; the last valid set stays in force' };
        return readOk
          ? { ok: true }
          : { ok: false, detail: `refused; the last valid set stays in force: ${summary(findings)}` };
      },
    },
    {
      name: 'workers',
      severity: 'degraded',
      async check() {
        const alive = await workersAlive(db);
        return alive.length > 0
          ? { ok: true, detail: workersText(alive) }
          : { ok: false, detail: 'no worker process is alive; accepted work waits' };
      },
    },
    {
      name: 'audit',
      severity: 'degraded',
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
      name: 'clock',
      severity: 'degraded',
      async check() {
        const problem = clockProblem();
        return problem === undefined ? { ok: true } : { ok: false, detail: problem };
      },
    },
  ];
  if (redisOk() !== undefined) {
    checks.push({
      name: 'queue',
      severity: 'degraded',
      check: async () =>
        redisOk() === true
          ? { ok: true }
          : { ok: false, detail: 'Redis does not answer; accepted work waits in the outbox, limits count per process' },
    });
  }
  return checks;
}

function summary(findings: readonly unknown[]): string {
  const [first] = findings as { file?: string; line?: number; message?: string }[];
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
  return first === undefined ? 'no reason recorded' : `${first.file}:${first.line} ${first.message}${more}`;
}
