// For tests: the auditor of a worker process, over a service's database.
import { readFileSync } from 'node:fs';
import pino from 'pino';
import { loadPrivateKey } from '../../shared/core/proof/keys.ts';
import type { Auditor } from '../../shared/domain/ledger/audit.ts';
import { createCheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import { createWorkerAuditor } from '../../workers/jobs/audit.ts';
import { checkpointsOf, testKeyFiles } from './keys.ts';
import type { Service } from './service.ts';

export const auditorOf = ({ db, databaseUrl, nowMs }: Service): Auditor =>
  createWorkerAuditor({
    db,
    key: loadPrivateKey(readFileSync(testKeyFiles().CUSTOS_SIGNING_KEY_FILE, 'utf8')),
    keeper: createCheckpointKeeper(checkpointsOf(databaseUrl)),
    nowMs,
    logger: pino({ level: 'silent' }),
  });
