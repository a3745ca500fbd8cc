// The job `audit`: derives the logs again with another implementation and reports differences.
import { performance } from 'node:perf_hooks';
import type { KeyObject } from 'node:crypto';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import { type Auditor, createAuditor } from '../../shared/domain/ledger/audit.ts';
import { createAuthorityAudit } from '../../shared/domain/ledger/audit-authority.ts';
import type { CheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import { SECOND_MS, upkeepJob } from './definition.ts';

export interface WorkerAuditorDeps {
  readonly db: Database;
  /** The log key. */
  readonly key: KeyObject;
  readonly keeper: CheckpointKeeper;
  readonly nowMs: () => number;
  readonly logger: Logger;
  /** Version of this service. */
  readonly version: string;
}

/** The auditor of a worker process. It logs each finding once, as fatal; /ready and the metrics report it while it lasts. */
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
      logger.fatal({ origin, finding }, 'the audit found a difference: a log, or a row that it records, was altered'),
    onRight: (origin) =>
      logger.warn({ origin }, 'the audit agrees again with a log in which it had found a difference'),
  });
}

export interface AuditDeps {
  readonly auditor: Pick<Auditor, 'run'>;
  readonly logger: Logger;
}

export const audit = upkeepJob({
  name: 'audit',
  everyMs: 10 * SECOND_MS,
  run: async ({ auditor, logger }: AuditDeps) => {
    const audits = await auditor.run();
    logger.debug({ logs: audits.length }, 'audited the logs');
  },
});
