// What /ready of ingress looks at: what it cannot work without, and what it goes on without for a while.
import type { Database } from '../shared/platform/db/database.ts';
import { ensureWritable, whyNotWritable } from '../shared/platform/db/writable.ts';
import type { ActivePolicySet } from '../shared/domain/policy-sets/active-set.ts';
import { workersAlive } from '../shared/platform/process/heartbeat.ts';
import { logProblems } from '../shared/domain/ledger/audit.ts';
import type { ReadinessCheck } from './ports.ts';

export interface ReadinessDeps {
  readonly db: Database;
  readonly policies: ActivePolicySet;
  /** Whether Redis answers; undefined without one. */
  readonly redisOk: () => boolean | undefined;
  /** What is wrong with this machine's clock; undefined: nothing. */
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
          return { ok: false, detail: 'the activated set could not be loaded; the last good one is in force' };
        return readOk
          ? { ok: true }
          : { ok: false, detail: `refused, the last good set stays in force: ${summary(findings)}` };
      },
    },
    {
      name: 'workers',
      severity: 'degraded',
      async check() {
        const alive = await workersAlive(db);
        return alive > 0
          ? { ok: true, detail: `${alive} alive` }
          : { ok: false, detail: 'no worker process is alive; what is accepted waits' };
      },
    },
    {
      name: 'audit',
      severity: 'degraded',
      async check() {
        // The sentences name organisations, and anybody may ask.
        const { length } = await logProblems(db);
        return length === 0
          ? { ok: true }
          : {
              ok: false,
              detail: `${length === 1 ? 'something is' : `${length} things are`} wrong with the logs (halted or altered); custos log list and the dashboard say what`,
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
