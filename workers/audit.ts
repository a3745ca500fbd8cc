// The audit job: what the auditor finds is said as loudly as a log can, once, and stays in /ready and in the metrics.
import { performance } from 'node:perf_hooks';
import type { KeyObject } from 'node:crypto';
import type { Database } from '../shared/db/database.ts';
import type { Logger } from '../shared/log.ts';
import { createStoredVerifier } from '../shared/decide/verify-stored.ts';
import { createEvidenceStore } from '../shared/decide/verify-store.ts';
import { compileLexicon } from '../shared/intent/lexicon.ts';
import { type Auditor, createAuditor } from '../shared/log/audit.ts';
import { createAuthorityAudit } from '../shared/log/audit-authority.ts';
import type { CheckpointKeeper } from '../shared/log/kept.ts';

export interface WorkerAuditorDeps {
  readonly db: Database;
  /** The log key. */
  readonly key: KeyObject;
  readonly keeper: CheckpointKeeper;
  readonly nowMs: () => number;
  readonly log: Logger;
  /** Of this service. */
  readonly version: string;
}

export function createWorkerAuditor({ db, key, keeper, nowMs, log, version }: WorkerAuditorDeps): Auditor {
  return createAuditor({
    db,
    key,
    keeper,
    version,
    authority: createAuthorityAudit({ db, nowMs, monotonicMs: () => performance.now() }),
    verifier: createStoredVerifier({ store: createEvidenceStore({ db }), compileLexicon }),
    nowMs,
    monotonicMs: () => performance.now(),
    onFinding: (origin, finding) =>
      log.fatal({ origin, finding }, 'the audit found a difference: a log, or what it says, was altered'),
    onRight: (origin) => log.warn({ origin }, 'the audit finds a log right again that was altered'),
  });
}

/** The handler of the audit job. */
export function auditHandler({ auditor, log }: { auditor: Pick<Auditor, 'run'>; log: Logger }): () => Promise<void> {
  return async () => {
    const audits = await auditor.run();
    log.debug({ logs: audits.length }, 'audited the logs');
  };
}
