// The table of settings: each with its variable, unit, default, meaning and reader. Everything else about settings derives from it.
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_DAILY_CAP } from '../../core/trust/beta.ts';
import { RATE_LIMIT_TABLE } from '../../kernel/vocabulary.ts';
import {
  bearerToken,
  connectionString,
  filePath,
  folderToKeep,
  hostName,
  integer,
  longSecret,
  modelName,
  onOff,
  oneOrZero,
  processCount,
  publicAddress,
  type Places,
  readAddressRanges,
  readBootstrapKey,
  readKeysAndTags,
  readHost,
  readRateLimits,
  readTrustProxy,
  secondsAsMs,
  secretAddress,
  share,
  word,
} from './forms.ts';

/** One environment variable. */
export interface Setting {
  readonly name: string;
  /** The unit of a number, or the form of the text. */
  readonly unit: string;
  /** Read when the variable is unset or empty. Absent: the setting may be undefined. */
  readonly fallback?: string;
  /** The absolute path that `fallback` stands for. */
  readonly locate?: (places: Places) => string;
  readonly description: string;
  /** Never printed, and may be given as a file (`NAME_FILE`). */
  readonly secret?: true;
  /** Completes the sentence "NAME ..." for a process that needs the setting and does not have it. */
  readonly missing?: string;
  /** @throws {Error} whose message completes the sentence "NAME ..." */
  readonly read: (text: string, places: Places) => unknown;
}

const POLICIES = 'policies';

/** The policies that the package contains. An update of the package replaces them. */
export function shippedPolicies({ root }: Pick<Places, 'root'>): string {
  return path.join(root, POLICIES);
}

/** The user's policies where they exist, even as a file or a broken link: their loss must be an error, not a change of policies. */
function findPolicies(places: Places): string {
  const own = path.join(places.home, POLICIES);
  return lstatSync(own, { throwIfNoEntry: false }) === undefined ? shippedPolicies(places) : own;
}

const newKeyFile = (file: string): string => `This makes one: openssl genpkey -algorithm ed25519 -out ${file}`;

export const SETTINGS = {
  host: {
    name: 'HOST',
    unit: 'address',
    fallback: '127.0.0.1',
    description: 'address that ingress listens on; any but a loopback address needs TLS or a proxy in front',
    read: readHost,
  },
  port: {
    name: 'PORT',
    unit: 'TCP port',
    fallback: '3000',
    description: 'port that ingress listens on; 0 chooses a free port and prints it',
    read: integer(0, 65_535),
  },
  ingressCount: {
    name: 'CUSTOS_INGRESS',
    unit: 'auto or 1 to 16',
    fallback: 'auto',
    description:
      'ingress processes that "custos start" runs for one port; auto: one for each core but one, at least 1, at most 8. Without REDIS_URL each counts rate limits for itself',
    read: processCount(16),
  },
  ingressPort: {
    name: 'CUSTOS_INGRESS_PORT',
    unit: 'TCP port',
    description:
      'first of the ports on which several ingress processes answer by themselves, for their metrics; 0 chooses free ports. Absent: 3101 and the following ones, or free ports in place of those in use',
    read: integer(0, 65_535),
  },
  workersCount: {
    name: 'CUSTOS_WORKERS',
    unit: 'auto or 1 to 8',
    fallback: 'auto',
    description: 'worker processes that "custos start" runs; auto: one, with eight cores or more two',
    read: processCount(8),
  },
  dataDir: {
    name: 'CUSTOS_DATA_DIR',
    unit: 'folder',
    fallback: '.custos',
    description:
      'folder of the embedded database and its secrets; the default is in the folder in which the command is started, or in the checkout',
    locate: ({ home }) => path.join(home, '.custos'),
    read: folderToKeep,
  },
  policyDir: {
    name: 'CUSTOS_POLICY_DIR',
    unit: 'folder',
    fallback: POLICIES,
    description:
      'policy files; the default is in the folder in which the command is started, or in the checkout. Without that folder the policies of the package are used, which "custos policy init" copies',
    locate: findPolicies,
    read: filePath,
  },
  policyApprovals: {
    name: 'CUSTOS_POLICY_APPROVALS',
    unit: '1 or 0',
    fallback: '0',
    description:
      '1: a pushed set, a rollback and an edit of the policy folder open an approval, and come into force when another person approves; the same for ingress and workers',
    read: oneOrZero,
  },
  policyApprovers: {
    name: 'CUSTOS_POLICY_APPROVERS',
    unit: 'tags and key ids',
    description:
      'who may approve changes of policies, such as tag:security,key:3fK9x2Qa; it demands approvals as CUSTOS_POLICY_APPROVALS=1 does. Absent: every other admin of the operator',
    read: readKeysAndTags,
  },
  policyQuorum: {
    name: 'CUSTOS_POLICY_QUORUM',
    unit: '1 to 10',
    fallback: '1',
    description:
      'how many different people must approve a change of policies; more than 1 demands approvals as CUSTOS_POLICY_APPROVALS=1 does',
    read: integer(1, 10),
  },
  policySigners: {
    name: 'CUSTOS_POLICY_SIGNERS',
    unit: 'file',
    description:
      'names and public keys of the signers of policy sets, one "NAME KEY" a line ("custos policy keygen" prints it); a set without a valid signature then does not come into force. The same for ingress and workers; absent: sets need no signature',
    read: filePath,
  },
  shadowPolicyDir: {
    name: 'CUSTOS_SHADOW_POLICY_DIR',
    unit: 'folder',
    description:
      'draft policies that workers evaluate on recorded live decisions, for comparison with the active policies; absent: shadow mode is off',
    read: filePath,
  },
  shadowShare: {
    name: 'CUSTOS_SHADOW_SHARE',
    unit: 'share, 0 to 1',
    fallback: '1',
    description: 'share of live decisions that are evaluated with the draft policies of CUSTOS_SHADOW_POLICY_DIR',
    read: share,
  },
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
    description: 'PostgreSQL 14 or later; absent: the embedded one is used',
    secret: true,
    missing: 'is needed by this process; "custos start" runs the whole service without it.',
    read: connectionString('postgres', 'postgresql'),
  },
  migrationDatabaseUrl: {
    name: 'CUSTOS_MIGRATION_DATABASE_URL',
    unit: 'postgres:// address',
    description:
      'address of the same database for the role that owns the tables. Only "custos migrate" and "custos start" use it; they also create the role of DATABASE_URL and grant its rights. Absent: DATABASE_URL is used for migrations',
    secret: true,
    read: connectionString('postgres', 'postgresql'),
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
    description: 'Redis 6.2 or later for queues and rate limits; absent: the queues are in PostgreSQL',
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
  tlsCertFile: {
    name: 'CUSTOS_TLS_CERT',
    unit: 'file',
    description: 'certificate chain (PEM); with CUSTOS_TLS_KEY ingress serves HTTPS',
    read: filePath,
  },
  tlsKeyFile: {
    name: 'CUSTOS_TLS_KEY',
    unit: 'file',
    description: 'private key (PEM) of CUSTOS_TLS_CERT',
    read: filePath,
  },
  trustProxy: {
    name: 'CUSTOS_TRUST_PROXY',
    unit: 'number of proxies, or addresses',
    description:
      'proxies in front whose X-Forwarded-* headers are trusted: 1, or 10.0.0.0/8,192.168.1.7, or uniquelocal',
    read: readTrustProxy,
  },
  rateLimit: {
    name: 'CUSTOS_RATE_LIMIT',
    unit: 'on or off',
    fallback: 'on',
    description: 'off only for benchmarks',
    read: onOff,
  },
  rateLimits: {
    name: 'CUSTOS_RATE_LIMITS',
    unit: 'tier=perSecond/perMinute, ...',
    fallback: RATE_LIMIT_TABLE.map((entry) => `${entry.tier}=${entry.perSecond}/${entry.perMinute}`).join(','),
    description: 'requests per second and per minute by tier; other tiers keep their defaults',
    read: readRateLimits,
  },
  metrics: {
    name: 'CUSTOS_METRICS',
    unit: 'public or private',
    description:
      "private: /metrics, which names organisations, needs a live admin:* key of the operator's organisation. Absent: public while HOST is a loopback address and CUSTOS_TRUST_PROXY is absent, else private",
    read: word('public', 'private'),
  },
  queueAdmin: {
    name: 'CUSTOS_QUEUE_ADMIN',
    unit: 'on or off',
    fallback: 'off',
    description:
      "on: operators may pause queues and retry, change or remove jobs on the dashboard's board, and each change is recorded; off: the board is read-only",
    read: onOff,
  },
  trustDailyCap: {
    name: 'CUSTOS_TRUST_DAILY_CAP',
    unit: 'thousandths of a full success',
    fallback: String(DEFAULT_DAILY_CAP),
    description:
      'positive evidence that counts per key and agent in one UTC day; more has no effect. A different value also changes past scores, and must be the same for every process',
    read: integer(0, 1_000_000_000),
  },
  approvalTtlMs: {
    name: 'CUSTOS_APPROVAL_TTL',
    unit: 'seconds',
    fallback: '3600',
    description: 'time within which an approval must be decided and used before it expires',
    read: secondsAsMs(10, 604_800),
  },
  webhookAllowPrivate: {
    name: 'CUSTOS_WEBHOOK_ALLOW_PRIVATE',
    unit: 'off, on or addresses',
    fallback: 'off',
    description:
      'private addresses that webhooks may be sent to, such as 10.0.0.0/8,127.0.0.1; on: all. Live endpoints may use plain http there only',
    read: readAddressRanges,
  },
  readerUrl: {
    name: 'CUSTOS_READER_URL',
    unit: 'https:// address',
    description:
      'chat completions endpoint (OpenAI-compatible) that reads a second time what the rules would permit; texts of intents are sent to it. Absent: off. The same for ingress and workers',
    read: secretAddress,
  },
  readerModel: {
    name: 'CUSTOS_READER_MODEL',
    unit: 'name',
    description: 'model that CUSTOS_READER_URL is asked for',
    read: modelName,
  },
  readerKey: {
    name: 'CUSTOS_READER_KEY',
    unit: 'secret',
    description: 'API key for CUSTOS_READER_URL, sent as a bearer token; absent: none is sent',
    secret: true,
    read: bearerToken,
  },
  readerTimeoutMs: {
    name: 'CUSTOS_READER_TIMEOUT_MS',
    unit: 'milliseconds',
    fallback: '2000',
    description: 'time within which the second reader must answer',
    read: integer(100, 10_000),
  },
  logHost: {
    name: 'CUSTOS_LOG_HOST',
    unit: 'host name',
    fallback: 'custos.local',
    description: "first part of the logs' origins; cannot change once a log exists",
    read: hostName,
  },
  publicUrl: {
    name: 'CUSTOS_PUBLIC_URL',
    unit: 'https:// address',
    description:
      'address by which clients reach ingress, without a slash at its end; needed for /.well-known/authzen-configuration',
    read: publicAddress,
  },
  logLevel: {
    name: 'CUSTOS_LOG_LEVEL',
    unit: 'level',
    fallback: 'info',
    description: 'lowest level that is logged: trace, debug, info, warn, error, fatal or silent',
    read: word('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  logRequests: {
    name: 'CUSTOS_LOG_REQUESTS',
    unit: 'all, slow or off',
    fallback: 'slow',
    description:
      'requests that get a log line: all, only slow ones (CUSTOS_LOG_SLOW_MS) and those answered with a status of 400 or above, or none. Metrics count all of them',
    read: word('all', 'slow', 'off'),
  },
  logSlowMs: {
    name: 'CUSTOS_LOG_SLOW_MS',
    unit: 'milliseconds',
    fallback: '1000',
    description: 'time from which a request is slow',
    read: integer(1, 60_000),
  },
  traceEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    unit: 'http:// address',
    description: 'receiver of traces (OTLP over HTTP), such as http://127.0.0.1:4318; absent: tracing is off',
    read: connectionString('http', 'https'),
  },
  traceShare: {
    name: 'CUSTOS_TRACE_SHARE',
    unit: 'share, 0 to 1',
    fallback: '1',
    description:
      'sampled share of the traces that begin here; a caller that sends a traceparent decides for its own traces',
    read: share,
  },
  workersPort: {
    name: 'CUSTOS_WORKERS_PORT',
    unit: 'TCP port',
    description:
      'port of the health pages and metrics of a worker process, on the address of HOST; of several that "custos start" runs, the first one. 0 chooses a free port. Absent: 3001, or a free port when another process has it',
    read: integer(0, 65_535),
  },
  shutdownTimeoutMs: {
    name: 'CUSTOS_SHUTDOWN_TIMEOUT',
    unit: 'seconds',
    fallback: '25',
    description: 'time that running requests and jobs have to finish when a process is stopped',
    read: secondsAsMs(1, 600),
  },
} as const satisfies Record<string, Setting>;

type Settings = typeof SETTINGS;

/** The settings of one process, checked. Paths are absolute, durations are milliseconds. */
export type Config = {
  readonly [K in keyof Settings]:
    | ReturnType<Settings[K]['read']>
    | (Settings[K] extends { fallback: string } ? never : undefined);
};

/** The table's rows, in order, for documentation and for `custos config`. */
export const SETTING_TABLE: readonly Setting[] = Object.values(SETTINGS);

/** The variable that names a file with the value of a secret setting, because container platforms mount secrets as files. */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

/** Every variable that is read, with the variables that name files of secrets. */
export const VARIABLES: readonly string[] = SETTING_TABLE.flatMap(({ name, secret }) =>
  secret ? [name, fileVariableOf(name)] : [name],
);
