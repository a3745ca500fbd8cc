// The audit job: what the auditor finds is said as loudly as a log can, once, and stays in /ready and in the metrics.
import { performance } from 'node:perf_hooks';
import type { KeyObject } from 'node:crypto';
import type { Database } from '../shared/platform/db/database.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import { createStoredVerifier } from '../shared/domain/verification/stored.ts';
import { createEvidenceStore } from '../shared/domain/verification/store.ts';
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import { type Auditor, createAuditor } from '../shared/domain/ledger/audit.ts';
import { createAuthorityAudit } from '../shared/domain/ledger/audit-authority.ts';
import type { CheckpointKeeper } from '../shared/domain/ledger/kept.ts';

export interface WorkerAuditorDeps {
  readonly db: Database;
  /** The log key. */
  readonly key: KeyObject;
  readonly keeper: CheckpointKeeper;
  readonly nowMs: () => number;
  readonly logger: Logger;
  /** Of this service. */
  readonly version: string;
}

export function createWorkerAuditor({ db, key, keeper, nowMs, logger, version }: WorkerAuditorDeps): Auditor {
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
      logger.fatal({ origin, finding }, 'the audit found a difference: a log, or what it says, was altered'),
    onRight: (origin) => logger.warn({ origin }, 'the audit finds a log right again that was altered'),
  });
}

/** The handler of the audit job. */
export function auditHandler({
  auditor,
  logger,
}: {
  auditor: Pick<Auditor, 'run'>;
  logger: Logger;
}): () => Promise<void> {
  return async () => {
    const audits = await auditor.run();
    logger.debug({ logs: audits.length }, 'audited the logs');
  };
}
