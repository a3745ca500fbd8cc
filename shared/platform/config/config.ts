// Every setting of the service, once: its variable, unit, default and meaning, and how its text is checked.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { editDistance } from '../../kernel/near.ts';
import {
  connectionString,
  filePath,
  hostName,
  integer,
  longSecret,
  optional,
  pathBelowRoot,
  readBootstrapKey,
  readHost,
  readRateLimits,
  readTrustProxy,
  type Setting,
  secondsAsMs,
  setting,
  share,
  word,
} from './settings.ts';
import { DEFAULT_DAILY_CAP } from '../../core/trust/beta.ts';
import { RATE_LIMIT_TABLE } from '../../kernel/vocabulary.ts';

const SETTINGS = {
  host: setting({
    name: 'HOST',
    unit: 'address',
    fallback: '127.0.0.1',
    description: 'address that ingress listens on; one that is not loopback needs TLS or a proxy in front',
    read: readHost,
  }),
  port: setting({
    name: 'PORT',
    unit: 'TCP port',
    fallback: '3000',
    description: 'port that ingress listens on; 0 picks a free one, which is printed',
    read: integer(0, 65_535),
  }),
  dataDir: setting({
    name: 'CUSTOS_DATA_DIR',
    unit: 'folder',
    fallback: '.custos',
    description: 'database and secrets when PostgreSQL is embedded; the default lies in the installation',
    read: pathBelowRoot('.custos'),
  }),
  policyDir: setting({
    name: 'CUSTOS_POLICY_DIR',
    unit: 'folder',
    fallback: 'policies',
    description: 'policy files; the default lies in the installation',
    read: pathBelowRoot('policies'),
  }),
  shadowPolicyDir: optional({
    name: 'CUSTOS_SHADOW_POLICY_DIR',
    unit: 'folder',
    description:
      'draft policies that workers evaluate beside those in force, after live decisions are on record; without it nothing is',
    read: filePath,
  }),
  shadowShare: setting({
    name: 'CUSTOS_SHADOW_SHARE',
    unit: 'share, 0 to 1',
    fallback: '1',
    description: 'share of live decisions that are evaluated under the draft policies of CUSTOS_SHADOW_POLICY_DIR',
    read: share,
  }),
  bootstrapKey: optional({
    name: 'CUSTOS_BOOTSTRAP_KEY',
    unit: 'API key',
    description: 'admin key of the first organisation; without it one is generated at the first start',
    secret: true,
    read: readBootstrapKey,
  }),
  databaseUrl: optional({
    name: 'DATABASE_URL',
    unit: 'postgres:// address',
    description: 'PostgreSQL 14 or later; without it one is embedded',
    secret: true,
    read: connectionString('postgres', 'postgresql'),
  }),
  migrationDatabaseUrl: optional({
    name: 'CUSTOS_MIGRATION_DATABASE_URL',
    unit: 'postgres:// address',
    description:
      'the database of DATABASE_URL for the role that owns the tables; for "custos migrate" and "custos start" alone, which also make the role of DATABASE_URL and give it its rights. Without it DATABASE_URL migrates',
    secret: true,
    read: connectionString('postgres', 'postgresql'),
  }),
  databasePool: setting({
    name: 'CUSTOS_DATABASE_POOL',
    unit: 'connections',
    fallback: '10',
    description: 'most database connections of one process',
    read: integer(2, 200),
  }),
  redisUrl: optional({
    name: 'REDIS_URL',
    unit: 'redis:// address',
    description: 'Redis 6.2 or later for queues and rate limits; without it PostgreSQL carries the queues',
    secret: true,
    read: connectionString('redis', 'rediss'),
  }),
  pepper: optional({
    name: 'CUSTOS_PEPPER',
    unit: 'secret of 32 characters or more',
    description: 'key of the HMAC under which API keys are stored; made in the data folder when PostgreSQL is embedded',
    secret: true,
    read: longSecret,
  }),
  pepperPrevious: optional({
    name: 'CUSTOS_PEPPER_PREVIOUS',
    unit: 'secret of 32 characters or more',
    description:
      'the pepper before the last "custos pepper rotate": keys that are stored under it work, and each is stored anew when it is used; remove it when "custos doctor" says that none waits',
    secret: true,
    read: longSecret,
  }),
  signingKeyFile: optional({
    name: 'CUSTOS_SIGNING_KEY_FILE',
    unit: 'file',
    description:
      "Ed25519 private key (PKCS 8, PEM) that signs the logs' checkpoints; made in the data folder when PostgreSQL is embedded",
    read: filePath,
  }),
  promiseKeyFile: optional({
    name: 'CUSTOS_PROMISE_KEY_FILE',
    unit: 'file',
    description:
      'Ed25519 private key (PKCS 8, PEM) that signs promises; made in the data folder when PostgreSQL is embedded',
    read: filePath,
  }),
  maxMergeDelaySeconds: setting({
    name: 'CUSTOS_MAX_MERGE_DELAY',
    unit: 'seconds',
    fallback: '3600',
    description: 'within this time a record is in its log: the deadline of promises',
    read: integer(10, 86_400),
  }),
  checkpointDir: optional({
    name: 'CUSTOS_CHECKPOINT_DIR',
    unit: 'folder',
    description:
      'where signed checkpoints are kept outside the database, shared by all workers; without it the folder checkpoints of the data folder',
    read: filePath,
  }),
  tlsCertFile: optional({
    name: 'CUSTOS_TLS_CERT',
    unit: 'file',
    description: 'certificate chain (PEM); with CUSTOS_TLS_KEY ingress speaks HTTPS',
    read: filePath,
  }),
  tlsKeyFile: optional({
    name: 'CUSTOS_TLS_KEY',
    unit: 'file',
    description: 'private key (PEM) of CUSTOS_TLS_CERT',
    read: filePath,
  }),
  trustProxy: optional({
    name: 'CUSTOS_TRUST_PROXY',
    unit: 'number of proxies, or addresses',
    description:
      'proxies in front whose X-Forwarded-* headers are believed: 1, or 10.0.0.0/8,192.168.1.7, or uniquelocal',
    read: readTrustProxy,
  }),
  rateLimit: setting({
    name: 'CUSTOS_RATE_LIMIT',
    unit: 'on or off',
    fallback: 'on',
    description: 'off only for benchmarks',
    read: (text) => word('on', 'off')(text) === 'on',
  }),
  rateLimits: setting({
    name: 'CUSTOS_RATE_LIMITS',
    unit: 'tier=perSecond/perMinute, ...',
    fallback: RATE_LIMIT_TABLE.map((entry) => `${entry.tier}=${entry.perSecond}/${entry.perMinute}`).join(','),
    description: 'requests per second and per minute by tier; a tier that is not named keeps its default',
    read: readRateLimits,
  }),
  metrics: optional({
    name: 'CUSTOS_METRICS',
    unit: 'public or private',
    description:
      "private: /metrics needs a live admin:* key of the operator's organisation. Without it public while HOST is loopback, and private otherwise",
    read: word('public', 'private'),
  }),
  queueAdmin: setting({
    name: 'CUSTOS_QUEUE_ADMIN',
    unit: 'on or off',
    fallback: 'off',
    description:
      "on: operators may pause queues and retry, change or remove jobs on the dashboard's board, which is recorded; off: it only shows them",
    read: (text) => word('on', 'off')(text) === 'on',
  }),
  trustDailyCap: setting({
    name: 'CUSTOS_TRUST_DAILY_CAP',
    unit: 'thousandths of a full success',
    fallback: String(DEFAULT_DAILY_CAP),
    description:
      'positive evidence that one key can give one agent in one UTC day; more counts nothing. Another value scores the past anew, and must be the same for every process',
    read: integer(0, 1_000_000_000),
  }),
  approvalTtlMs: setting({
    name: 'CUSTOS_APPROVAL_TTL',
    unit: 'seconds',
    fallback: '3600',
    description: 'how long an approval lives: within this time it is decided and used, or it expires',
    read: secondsAsMs(10, 604_800),
  }),
  logHost: setting({
    name: 'CUSTOS_LOG_HOST',
    unit: 'host name',
    fallback: 'custos.local',
    description: "first part of the logs' origins; fixed once a log exists",
    read: hostName,
  }),
  logLevel: setting({
    name: 'CUSTOS_LOG_LEVEL',
    unit: 'level',
    fallback: 'info',
    description: 'least level that is logged: trace, debug, info, warn, error, fatal or silent',
    read: word('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  }),
  traceEndpoint: optional({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    unit: 'http:// address',
    description: 'receiver of traces (OTLP over HTTP), such as http://127.0.0.1:4318; without it none are made',
    read: connectionString('http', 'https'),
  }),
  traceShare: setting({
    name: 'CUSTOS_TRACE_SHARE',
    unit: 'share, 0 to 1',
    fallback: '1',
    description:
      'how many of the traces that begin here are kept; a caller that sends a traceparent decides for its own',
    read: share,
  }),
  workersPort: setting({
    name: 'CUSTOS_WORKERS_PORT',
    unit: 'TCP port',
    fallback: '0',
    description:
      'port of the health pages of a worker process, on 127.0.0.1 unless HOST says otherwise; 0 picks a free one',
    read: integer(0, 65_535),
  }),
  shutdownTimeoutMs: setting({
    name: 'CUSTOS_SHUTDOWN_TIMEOUT',
    unit: 'seconds',
    fallback: '25',
    description: 'how long running requests and jobs may take to finish when a process is asked to stop',
    read: secondsAsMs(1, 600),
  }),
} satisfies Record<string, Setting<unknown>>;

type Settings = typeof SETTINGS;

/** The settings of one process, checked. Paths are absolute, durations are milliseconds. */
export type Config = { readonly [K in keyof Settings]: ReturnType<Settings[K]['read']> | OptionalOf<Settings[K]> };
/** `undefined` for the settings that may be absent, nothing for the others. */
type OptionalOf<S> = S extends Setting<infer T> ? Extract<T, undefined> : never;

/** What is wrong with the environment: one sentence per problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** The variable that names a file with the value of a secret setting, as container platforms mount secrets. */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

/**
 * Reads and checks the settings. An empty value counts as unset. A secret may be in a file, which NAME_FILE names; beyond
 * those files nothing is read.
 * @param env the environment; names that are not ours and do not begin with `CUSTOS_` are ignored
 * @param places `root`: the installation's folder; `cwd`: what relative paths are relative to, `root` by default
 * @throws {ConfigError} naming every unknown `CUSTOS_*` variable and every bad value
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  places: { readonly root: string; readonly cwd?: string },
): Config {
  const problems = unknownNames(env);
  const values: Record<string, unknown> = {};
  const at = { root: places.root, cwd: places.cwd ?? places.root };
  for (const [key, spec] of Object.entries<Setting<unknown>>(SETTINGS)) {
    try {
      const text = (spec.secret ? secretOf(env, spec.name, at.cwd) : env[spec.name]) || spec.fallback;
      values[key] = text === undefined ? undefined : spec.read(text, at);
    } catch (error) {
      problems.push(`${spec.name} ${error instanceof Error ? error.message : String(error)}.`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  // Every key of SETTINGS was read above by its own reader, which is what the type says.
  const config = values as unknown as Config;
  const conflicts = conflictsOf(config);
  if (conflicts.length > 0) throw new ConfigError(conflicts);
  return config;
}

/** The text of a secret, from its variable or from the file that NAME_FILE names. The content is never repeated in an error. */
function secretOf(env: Readonly<Record<string, string | undefined>>, name: string, cwd: string): string | undefined {
  const variable = fileVariableOf(name);
  const named = env[variable];
  if (!named) return env[name];
  if (env[name]) throw new Error(`and ${variable} are both set: keep one of them`);
  const file = path.resolve(cwd, named);
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(
      `has no value: ${variable} names ${file}, which cannot be read (${(error as { code?: string }).code})`,
      {
        cause: error,
      },
    );
  }
  if (text === '') throw new Error(`has no value: ${variable} names ${file}, which is empty`);
  return text;
}

/** A setting as documentation shows it. */
export type SettingEntry = Pick<Setting<unknown>, 'name' | 'unit' | 'fallback' | 'description' | 'secret'>;

/** The settings for documentation, in the order of the table. */
export const SETTING_TABLE: readonly SettingEntry[] = Object.values<Setting<unknown>>(SETTINGS).map(
  ({ name, unit, fallback, description, secret }) => ({ name, unit, fallback, description, secret }),
);

/** Every variable that is read, those that name files with secrets included. */
export const VARIABLES: readonly string[] = SETTING_TABLE.flatMap(({ name, secret }) =>
  secret ? [name, fileVariableOf(name)] : [name],
);

/** A configuration of a process that works on the database: both are known, whether PostgreSQL is embedded or not. */
export type StoreConfig = Config & { readonly databaseUrl: string; readonly pepper: string };

/** @throws {ConfigError} when DATABASE_URL is not set; `npm start` sets it for the processes it starts. */
export function requireStore(config: Config): StoreConfig {
  const { databaseUrl, pepper } = config;
  if (databaseUrl === undefined)
    throw new ConfigError([
      'DATABASE_URL is needed by this process; "custos start" runs the whole service without it.',
    ]);
  if (pepper === undefined) throw new ConfigError([PEPPER_MISSING]);
  return { ...config, databaseUrl, pepper };
}

/** What ingress needs. @throws {ConfigError} also when CUSTOS_PROMISE_KEY_FILE is not set */
export function requireIngress(config: Config): StoreConfig {
  const store = requireStore(config);
  if (store.promiseKeyFile === undefined) throw new ConfigError([keyFileMissing('CUSTOS_PROMISE_KEY_FILE')]);
  return store;
}

/** What workers need. @throws {ConfigError} also when CUSTOS_SIGNING_KEY_FILE is not set */
export function requireWorkers(config: Config): StoreConfig {
  const store = requireStore(config);
  if (store.signingKeyFile === undefined) throw new ConfigError([keyFileMissing('CUSTOS_SIGNING_KEY_FILE')]);
  return store;
}

/** The settings that name a private key: ingress has the one, workers the other. */
export type KeySetting = 'CUSTOS_SIGNING_KEY_FILE' | 'CUSTOS_PROMISE_KEY_FILE';

const KEY_FILES = {
  CUSTOS_SIGNING_KEY_FILE: { who: 'workers', what: "the logs' checkpoints", file: 'log.pem' },
  CUSTOS_PROMISE_KEY_FILE: { who: 'ingress', what: 'promises', file: 'promise.pem' },
} as const;

/** That a key's file is not named, as a sentence that says how to make one. */
export function keyFileMissing(name: KeySetting): string {
  const { who, what, file } = KEY_FILES[name];
  return `${name} is needed by ${who} with DATABASE_URL, the same key for each: it signs ${what}. This makes one: openssl genpkey -algorithm ed25519 -out ${file}`;
}

const PEPPER_MISSING =
  'CUSTOS_PEPPER is needed with DATABASE_URL, the same for every process: API keys are stored under it. This makes one: openssl rand -base64 32';

function conflictsOf(config: Config): string[] {
  const problems: string[] = [];
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined))
    problems.push('CUSTOS_TLS_CERT and CUSTOS_TLS_KEY must be set together.');
  if (!isLoopback(config.host) && config.tlsCertFile === undefined && config.trustProxy === undefined)
    problems.push(
      `HOST ${config.host} can be reached from other machines, and keys would travel unencrypted. Set CUSTOS_TLS_CERT and CUSTOS_TLS_KEY, or CUSTOS_TRUST_PROXY when a proxy in front speaks HTTPS, or keep 127.0.0.1.`,
    );
  if (config.databaseUrl !== undefined && config.pepper === undefined) problems.push(PEPPER_MISSING);
  if (config.pepper !== undefined && config.pepper === config.pepperPrevious)
    problems.push(
      'CUSTOS_PEPPER_PREVIOUS is the same as CUSTOS_PEPPER: remove it, or set the pepper that was in force before.',
    );
  if (config.databaseUrl === undefined && config.migrationDatabaseUrl !== undefined)
    problems.push('CUSTOS_MIGRATION_DATABASE_URL needs DATABASE_URL: the same database, for the role of the service.');
  return problems;
}

function unknownNames(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(VARIABLES);
  return Object.keys(env)
    .filter((name) => name.startsWith('CUSTOS_') && !known.has(name))
    .map((name) => {
      const near = [...known].find((candidate) => editDistance(candidate, name) <= 2);
      return `${name} is not a setting of this version${near === undefined ? '' : `; did you mean ${near}?`}${near === undefined ? '.' : ''}`;
    });
}

/** Whether anybody who reaches the process may read its metrics. */
export function metricsArePublic({ metrics, host }: Pick<Config, 'metrics' | 'host'>): boolean {
  return metrics === undefined ? isLoopback(host) : metrics === 'public';
}

/** Whether an address can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (net.isIPv4(host) && host.startsWith('127.'));
}
