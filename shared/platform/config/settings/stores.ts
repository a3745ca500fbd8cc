// Settings of the stores, and of the secrets and keys that belong to what they keep.
import {
  connectionString,
  databaseAddress,
  filePath,
  integer,
  keepingApprovalsMs,
  keepingMs,
  longSecret,
  readBootstrapKey,
} from '../forms.ts';
import type { Setting } from '../setting.ts';

const newKeyFile = (file: string): string => `This makes one: openssl genpkey -algorithm ed25519 -out ${file}`;

export const STORE_SETTINGS = {
  bootstrapKey: {
    name: 'CUSTOS_BOOTSTRAP_KEY',
    unit: 'API key',
    description: 'admin key of the first organisation; absent: the first start generates one',
    secret: true,
    read: readBootstrapKey,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    unit: 'postgres:// address',
    description:
      'PostgreSQL 14 or later; absent: the embedded one is used. Of several servers (postgres://user@first:5432,second:5432/custos) the one that accepts writes is used',
    secret: true,
    missing: 'is needed by this process; "custos start" runs the whole service without it.',
    read: databaseAddress,
  },
  migrationDatabaseUrl: {
    name: 'CUSTOS_MIGRATION_DATABASE_URL',
    unit: 'postgres:// address',
    description:
      'address of the same database for the role that owns the tables. Only "custos migrate" and "custos start" use it; they also create the role of DATABASE_URL and grant its rights. Absent: DATABASE_URL is used for migrations',
    secret: true,
    read: databaseAddress,
  },
  databasePool: {
    name: 'CUSTOS_DATABASE_POOL',
    unit: 'connections',
    fallback: '10',
    description: 'maximum database connections of one process',
    read: integer(2, 200),
  },
  redisUrl: {
    name: 'REDIS_URL',
    unit: 'redis:// address',
    description:
      'Redis 6.2 or later for queues and rate limits; several installations may share one; absent: the queues are in PostgreSQL',
    secret: true,
    read: connectionString('redis', 'rediss'),
  },
  pepper: {
    name: 'CUSTOS_PEPPER',
    unit: 'secret of 32 characters or more',
    description:
      'key of the HMAC with which API keys are stored; with the embedded PostgreSQL it is generated in the data folder',
    secret: true,
    missing:
      'is needed with DATABASE_URL, the same for every process: API keys are stored with it. This makes one: openssl rand -base64 32',
    read: longSecret,
  },
  pepperPrevious: {
    name: 'CUSTOS_PEPPER_PREVIOUS',
    unit: 'secret of 32 characters or more',
    description:
      'the pepper before the last "custos pepper rotate": keys that are stored with it still work, and each is stored again with the new one at its next use; remove it when "custos doctor" reports that none is left',
    secret: true,
    read: longSecret,
  },
  signingKeyFile: {
    name: 'CUSTOS_SIGNING_KEY_FILE',
    unit: 'file',
    description:
      "Ed25519 private key (PKCS 8, PEM) that signs the logs' checkpoints; with the embedded PostgreSQL it is generated in the data folder",
    missing: `is needed by workers with DATABASE_URL, the same key for each: it signs the logs' checkpoints. ${newKeyFile('log.pem')}`,
    read: filePath,
  },
  promiseKeyFile: {
    name: 'CUSTOS_PROMISE_KEY_FILE',
    unit: 'file',
    description:
      'Ed25519 private key (PKCS 8, PEM) that signs promises; with the embedded PostgreSQL it is generated in the data folder',
    missing: `is needed by ingress with DATABASE_URL, the same key for each: it signs promises. ${newKeyFile('promise.pem')}`,
    read: filePath,
  },
  maxMergeDelaySeconds: {
    name: 'CUSTOS_MAX_MERGE_DELAY',
    unit: 'seconds',
    fallback: '3600',
    description: 'time within which a record is in its log: the deadline of promises',
    read: integer(10, 86_400),
  },
  checkpointDir: {
    name: 'CUSTOS_CHECKPOINT_DIR',
    unit: 'folder',
    description:
      'folder for copies of signed checkpoints outside the database, shared by all workers; absent: the folder checkpoints of the data folder',
    read: filePath,
  },
  keepDecisionsMs: {
    name: 'CUSTOS_KEEP_DECISIONS',
    unit: 'duration (36h, 90d, 52w)',
    description:
      'how long decisions are kept, with their records and facts; older ones are dropped from the database in whole partitions, up to an eighth of the time later, and receipts that were given out still verify. For every organisation without a time of its own (custos retention set); the same for every worker. Absent: for ever',
    read: keepingMs,
  },
  keepTextsMs: {
    name: 'CUSTOS_KEEP_TEXTS',
    unit: 'duration (36h, 90d, 52w)',
    description:
      'how long the texts of parsed intents are kept, with their parses; as CUSTOS_KEEP_DECISIONS. Absent: for ever',
    read: keepingMs,
  },
  keepFactsMs: {
    name: 'CUSTOS_KEEP_FACTS',
    unit: 'duration (36h, 90d, 52w)',
    description:
      'how long the facts of decisions are kept; the decisions stay with their records, but can not be evaluated again. As CUSTOS_KEEP_DECISIONS. Absent: as long as the decisions',
    read: keepingMs,
  },
  keepIntentsMs: {
    name: 'CUSTOS_KEEP_INTENTS',
    unit: 'duration (36h, 90d, 52w)',
    description:
      'how long submitted intents are kept after their submission, once they are decided; their decisions stay. Absent: for ever',
    read: keepingMs,
  },
  keepSignalsMs: {
    name: 'CUSTOS_KEEP_SIGNALS',
    unit: 'duration (36h, 90d, 52w)',
    description:
      'how long source and evidence of trust signals are kept; ids and weights stay, so that a signal counts once. A repeat with an evidence that was forgotten is refused (E2010). Absent: for ever',
    read: keepingMs,
  },
  keepJobsMs: {
    name: 'CUSTOS_KEEP_JOBS',
    unit: 'duration (36h, 90d, 52w)',
    description: 'how long dead jobs are kept after somebody has retried or discarded them; absent: for ever',
    read: keepingMs,
  },
  keepDeliveriesMs: {
    name: 'CUSTOS_KEEP_DELIVERIES',
    unit: 'duration (36h, 90d, 52w)',
    fallback: '7d',
    description: 'how long deliveries of webhooks are kept; one that is still tried stays',
    read: keepingMs,
  },
  keepApprovalsMs: {
    name: 'CUSTOS_KEEP_APPROVALS',
    unit: 'duration (36h, 90d, 52w)',
    description:
      'how long approvals are kept after they were opened, with their votes and reasons, at least 8d; open ones stay. They go up to an eighth of the time later, and the log keeps the records of them. Stop workers of a version without this setting first. Absent: for ever',
    read: keepingApprovalsMs,
  },
  keepActionsMs: {
    name: 'CUSTOS_KEEP_ACTIONS',
    unit: 'duration (36h, 90d, 52w)',
    description:
      "how long operators' actions on the dashboard are kept, with addresses and changes; the log keeps a record of each, with hashes of these. They go up to an eighth of the time later. Absent: for ever",
    read: keepingMs,
  },
} as const satisfies Record<string, Setting>;
