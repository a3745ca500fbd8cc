// Reads and checks the settings of a process (table.ts) from its environment.
import { OperatorError } from '../../kernel/operator-error.ts';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { nearestName } from '../../kernel/near.ts';
import type { Places } from './forms.ts';
import type { Setting } from './setting.ts';
import { type Config, fileVariableOf, SETTINGS, VARIABLES } from './table.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Problems of the environment: one sentence for each. */
export class ConfigError extends OperatorError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Reads and checks the settings. An empty value counts as unset. Reads no file but those that NAME_FILE names for secrets.
 * @param env the environment; unknown names are ignored unless they begin with `CUSTOS_`
 * @param places `cwd` and `home` are by default `root`
 * @throws {ConfigError} naming every unknown `CUSTOS_*` variable and every bad value
 */
export function readConfig(env: Environment, places: Pick<Places, 'root'> & Partial<Places>): Config {
  const problems = unknownNames(env);
  const values: Record<string, unknown> = {};
  const at = { cwd: places.root, home: places.root, ...places };
  for (const [key, setting] of Object.entries<Setting>(SETTINGS)) {
    try {
      values[key] = valueOf(setting, env, at);
    } catch (error) {
      problems.push(problemOf(setting, error));
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  // Each member was read above by the reader from which its type derives.
  const config = values as unknown as Config;
  const conflicts = conflictsOf(config);
  if (conflicts.length > 0) throw new ConfigError(conflicts);
  return config;
}

/** One setting; the others are not checked. @throws {ConfigError} */
export function readSetting<K extends keyof Config>(key: K, env: Environment, places: Places): Config[K] {
  const setting: Setting = SETTINGS[key];
  try {
    // The reader from which the type of the setting derives.
    return valueOf(setting, env, places) as Config[K];
  } catch (error) {
    throw new ConfigError([problemOf(setting, error)]);
  }
}

function problemOf({ name }: Setting, error: unknown): string {
  return `${name} ${error instanceof Error ? error.message : String(error)}.`;
}

/** @throws {Error} whose message completes the sentence "NAME ..." */
function valueOf({ name, secret, fallback, locate, read }: Setting, env: Environment, places: Places): unknown {
  const text = (secret ? secretOf(env, name, places.cwd) : env[name]) || (locate?.(places) ?? fallback);
  return text === undefined ? undefined : read(text, places);
}

/** A secret from its variable or from the file that NAME_FILE names. Errors never repeat the content. */
function secretOf(env: Environment, name: string, cwd: string): string | undefined {
  const variable = fileVariableOf(name);
  const named = env[variable];
  if (!named) return env[name];
  if (env[name]) throw new Error(`and ${variable} are both set: keep one of them`);
  const file = path.resolve(cwd, named);
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as { code?: string };
    throw new Error(`has no value: ${variable} names ${file}, which cannot be read (${code})`, { cause: error });
  }
  if (text === '') throw new Error(`has no value: ${variable} names ${file}, which is empty`);
  return text;
}

/** A configuration in which these settings have values. */
type Having<K extends keyof Config> = Config & { readonly [P in K]: NonNullable<Config[P]> };
/** Of a process that uses the database. */
export type StoreConfig = Having<'databaseUrl' | 'pepper'>;
export type IngressConfig = Having<'databaseUrl' | 'pepper' | 'promiseKeyFile'>;
export type WorkersConfig = Having<'databaseUrl' | 'pepper' | 'signingKeyFile'>;

function having<K extends keyof Config>(config: Config, ...keys: readonly K[]): Having<K> {
  const absent = keys.find((key) => config[key] === undefined);
  if (absent !== undefined) throw new ConfigError([missingSentence(absent)]);
  // Checked above.
  return config as Having<K>;
}

const missingSentence = (key: keyof Config): string => {
  const { name, missing }: Setting = SETTINGS[key];
  return `${name} ${missing}`;
};

/** @throws {ConfigError} without DATABASE_URL, which `npm start` sets for the processes that it starts */
export const requireStore = (config: Config): StoreConfig => having(config, 'databaseUrl', 'pepper');

/** @throws {ConfigError} as requireStore, and without CUSTOS_PROMISE_KEY_FILE */
export const requireIngress = (config: Config): IngressConfig =>
  having(config, 'databaseUrl', 'pepper', 'promiseKeyFile');

/** @throws {ConfigError} as requireStore, and without CUSTOS_SIGNING_KEY_FILE */
export const requireWorkers = (config: Config): WorkersConfig =>
  having(config, 'databaseUrl', 'pepper', 'signingKeyFile');

function conflictsOf(config: Config): string[] {
  const problems: string[] = [];
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined))
    problems.push('CUSTOS_TLS_CERT and CUSTOS_TLS_KEY must be set together.');
  if (!isLoopback(config.host) && config.tlsCertFile === undefined && config.trustProxy === undefined)
    problems.push(
      `HOST ${config.host} can be reached from other machines, and keys would travel unencrypted. Set CUSTOS_TLS_CERT and CUSTOS_TLS_KEY, or CUSTOS_TRUST_PROXY when a proxy in front serves HTTPS, or keep 127.0.0.1.`,
    );
  if ((config.readerUrl === undefined) !== (config.readerModel === undefined))
    problems.push('CUSTOS_READER_URL and CUSTOS_READER_MODEL must be set together.');
  for (const key of NEEDED_FOR_A_WHILE) problems.push(...tooShort(config, key));
  if (config.databaseUrl !== undefined && config.pepper === undefined) problems.push(missingSentence('pepper'));
  if (config.pepper !== undefined && config.pepper === config.pepperPrevious)
    problems.push(
      'CUSTOS_PEPPER_PREVIOUS is the same as CUSTOS_PEPPER: remove it, or set the pepper that was in force before.',
    );
  if (config.databaseUrl === undefined && config.migrationDatabaseUrl !== undefined)
    problems.push('CUSTOS_MIGRATION_DATABASE_URL needs DATABASE_URL: the same database, for the role of the service.');
  return problems;
}

/** What promises and approvals refer to. */
const NEEDED_FOR_A_WHILE = ['keepDecisionsMs', 'keepFactsMs', 'keepTextsMs'] as const;
/** For approvals that are used at the end of their life, and for clocks that differ. */
const KEPT_LONGER_MS = 3_600_000;

/** What is kept must outlive what still needs it. */
function tooShort(config: Config, key: (typeof NEEDED_FOR_A_WHILE)[number]): string[] {
  const keptMs = config[key];
  if (keptMs === undefined) return [];
  const { name } = SETTINGS[key];
  return needsOf(config).flatMap(([ms, what]) => (keptMs < ms ? [`${name} must not be shorter than ${what}.`] : []));
}

type Needs = Pick<Config, 'maxMergeDelaySeconds' | 'approvalTtlMs'>;

/** How long decisions, facts and texts must be kept, milliseconds, with the reasons. */
export const needsOf = ({ maxMergeDelaySeconds, approvalTtlMs }: Needs) =>
  [
    [maxMergeDelaySeconds * 1_000, 'CUSTOS_MAX_MERGE_DELAY: a promise may be open that long'],
    [approvalTtlMs + KEPT_LONGER_MS, 'CUSTOS_APPROVAL_TTL and an hour: an open approval needs its decision'],
  ] as const;

const PREFIX = 'CUSTOS_';
/** Of commands that call a service from elsewhere (mcp-guard). A shell that has them must be able to run the other commands, too. */
const CLIENT_VARIABLES = ['CUSTOS_URL', 'CUSTOS_KEY', 'CUSTOS_LISTEN_TOKEN'];
const CUSTOS_NAMES = VARIABLES.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));

function unknownNames(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && ![...VARIABLES, ...CLIENT_VARIABLES].includes(name))
    .map((name) => {
      // Without the prefix, which all names share: it would make every name near.
      const near = nearestName(name.slice(PREFIX.length), CUSTOS_NAMES);
      return `${name} is not a setting of this version${near === undefined ? '.' : `; did you mean ${PREFIX}${near}?`}`;
    });
}

/** Whether /metrics needs no key. It names organisations, and a proxy on this machine would serve it to everybody. */
export function metricsArePublic({
  metrics,
  host,
  trustProxy,
}: Pick<Config, 'metrics' | 'host' | 'trustProxy'>): boolean {
  return metrics === undefined ? isLoopback(host) && trustProxy === undefined : metrics === 'public';
}

/** Whether an address can only be reached from this machine. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (net.isIPv4(host) && host.startsWith('127.'));
}
