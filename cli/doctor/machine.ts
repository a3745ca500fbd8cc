// Checks of `custos doctor` on this machine: Node, folders, free disk space and key files.
import { accessSync, constants, existsSync, lstatSync, type Stats, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../shared/platform/config/table.ts';
import { readKeyFile } from '../../shared/domain/ledger/key-file.ts';
import { OperatorError } from '../../shared/kernel/operator-error.ts';
import { readTlsFiles, tlsEndMs } from '../../shared/platform/config/tls-files.ts';
import { SetupError } from '../../shared/platform/embedded/account.ts';
import { requireWhole } from '../../shared/platform/embedded/cluster.ts';
import { type Diagnosis, isOlder, ok, problem, skipped, warning } from './check.ts';

/** Below this PostgreSQL may soon be unable to write: its write-ahead log alone grows to 1 GB by default. */
const LEAST_FREE_BYTES = 1024 ** 3;
const LOW_FREE_BYTES = 5 * 1024 ** 3;
const OLDEST_NODE = '20.19.0';

export function checkNode(version: string): Diagnosis[] {
  const seen = `Node ${version}`;
  if (isOlder(version, OLDEST_NODE))
    return [problem('node', `${seen} is older than ${OLDEST_NODE}`, `install Node ${OLDEST_NODE} or later`)];
  return [ok('node', seen)];
}

/** What is at a path. */
interface Found {
  /** The path, or the nearest ancestor that exists when there is nothing yet. */
  readonly at: string;
  /** Undefined: it is a symbolic link that leads nowhere. */
  readonly stats: Stats | undefined;
}

function find(file: string): Found {
  const stats = statIfThere(statSync, file);
  const isNothing = stats === undefined && statIfThere(lstatSync, file) === undefined;
  return isNothing && path.dirname(file) !== file ? find(path.dirname(file)) : { at: file, stats };
}

/** Undefined also when it can't be looked at. */
function statIfThere(stat: (file: string) => Stats, file: string): Stats | undefined {
  try {
    return stat(file);
  } catch {
    return undefined;
  }
}

export function checkFolders(config: Config): Diagnosis[] {
  const folders: [string, string][] = [];
  // With DATABASE_URL the data folder holds only the checkpoints of workers without CUSTOS_CHECKPOINT_DIR.
  const isWorker = config.signingKeyFile !== undefined;
  if (config.databaseUrl === undefined || (isWorker && config.checkpointDir === undefined))
    folders.push(['data folder', config.dataDir]);
  if (config.checkpointDir !== undefined) folders.push(['checkpoint folder', config.checkpointDir]);
  return folders.flatMap(([name, folder]) => {
    const found = find(folder);
    // The check of the folder itself reports a link that leads nowhere.
    return [writable(name, folder, found), ...(found.stats === undefined ? [] : space(name, found.at))];
  });
}

function writable(name: string, folder: string, { at: there, stats }: Found): Diagnosis {
  if (stats === undefined)
    return problem(name, `${there} is a symbolic link that leads nowhere`, 'create its target, or change the folder');
  if (!stats.isDirectory()) return problem(name, `${there} is not a folder`, 'remove the file, or change the folder');
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch {
    return problem(
      name,
      `this user cannot write ${there}`,
      'run this command as the user of the service, or change the folder',
    );
  }
  if (there !== folder) return ok(name, `${folder} does not exist yet and can be created`);
  const mode = stats.mode & 0o777;
  if (name === 'checkpoint folder' && (mode & 0o022) !== 0)
    return warning(name, `other users can write ${folder} (mode ${mode.toString(8)})`, `chmod go-w ${folder}`);
  return ok(name, folder);
}

function space(name: string, there: string): Diagnosis[] {
  const { blocks, bavail, bsize } = statfsSync(there);
  if (blocks === 0) return [problem('disk', `${there} is on no disk`, `name another folder as ${name}`)];
  const free = bavail * bsize;
  const seen = `${(free / 1024 ** 3).toFixed(1)} GB free where the ${name} is`;
  if (free < LEAST_FREE_BYTES)
    return [problem('disk', seen, 'free some space: with a full disk the service cannot answer')];
  if (free < LOW_FREE_BYTES) return [warning('disk', seen, 'free some space before the disk is full')];
  return [ok('disk', seen)];
}

/** Whether the data folder of the embedded database has what the database needs. */
export function checkDataFolder(config: Config): Diagnosis[] {
  if (config.databaseUrl !== undefined) return [];
  try {
    requireWhole(config.dataDir, config);
    return [];
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return [
      problem(
        'data folder',
        error.message,
        'see "Secrets" and "Backup and restore" in docs/guides/run-in-production.md',
      ),
    ];
  }
}

/** Below this a certificate should have been renewed: Let's Encrypt's clients renew at 30 days. */
const CERTIFICATE_ENDS_SOON_MS = 14 * 86_400_000;

/** The certificate and key of HTTPS: ingress can use them, and for how long. */
export function checkTls(config: Config, nowMs: number): Diagnosis[] {
  const check = 'certificate';
  const advice = 'renew it: ingress uses the new one within ten seconds, or from its next start when it does not run';
  try {
    const files = readTlsFiles(config);
    if (files === undefined) return [];
    const endMs = tlsEndMs(files);
    const until = `${config.tlsCertFile} is valid until ${new Date(endMs).toISOString()}`;
    if (endMs <= nowMs)
      return [problem(check, `${config.tlsCertFile} expired at ${new Date(endMs).toISOString()}`, advice)];
    return [endMs - nowMs < CERTIFICATE_ENDS_SOON_MS ? warning(check, until, advice) : ok(check, until)];
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [problem(check, error.message, 'ingress does not start with it: correct the setting or the file')];
  }
}

/** Both private keys: they exist, have the right type, and only their owner can read them. */
export async function checkKeyFiles(config: Config): Promise<Diagnosis[]> {
  const embedded = config.databaseUrl === undefined;
  const files = [
    ['CUSTOS_SIGNING_KEY_FILE', config.signingKeyFile ?? path.join(config.dataDir, 'signing-key.pem')],
    ['CUSTOS_PROMISE_KEY_FILE', config.promiseKeyFile ?? path.join(config.dataDir, 'promise-key.pem')],
  ] as const;
  const found: Diagnosis[] = [];
  for (const [name, file] of files) {
    const check = name === 'CUSTOS_SIGNING_KEY_FILE' ? 'log key' : 'promise key';
    const named = (name === 'CUSTOS_SIGNING_KEY_FILE' ? config.signingKeyFile : config.promiseKeyFile) !== undefined;
    if (!named && !embedded) {
      found.push(skipped(check, `${name} is not set in this environment; only one kind of process needs it`));
      continue;
    }
    if (!named && !existsSync(file)) {
      found.push(ok(check, 'is created at the first start'));
      continue;
    }
    try {
      await readKeyFile(name, file);
    } catch (error) {
      found.push(
        problem(check, error instanceof Error ? error.message : String(error), `set ${name} to the right file`),
      );
      continue;
    }
    const mode = statSync(file).mode & 0o777;
    found.push(
      (mode & 0o077) === 0
        ? ok(check, file)
        : warning(check, `other users can read ${file} (mode ${mode.toString(8)})`, `chmod 600 ${file}`),
    );
  }
  return found;
}
