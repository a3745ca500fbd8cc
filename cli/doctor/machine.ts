// What `custos doctor` looks at on this machine: Node, the data folder, key files, and the space that is left.
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../shared/platform/config/table.ts';
import { readKeyFile } from '../../shared/domain/ledger/key-file.ts';
import { type Diagnosis, isOlder, ok, problem, skipped, warning } from './check.ts';

/** Below this PostgreSQL may stop writing soon: its journal alone grows to 1 GB by default. */
const LEAST_FREE_BYTES = 1024 ** 3;
const LOW_FREE_BYTES = 5 * 1024 ** 3;
const OLDEST_NODE = '20.19.0';

export function checkNode(version: string): Diagnosis[] {
  const seen = `Node ${version}`;
  if (isOlder(version, OLDEST_NODE))
    return [problem('node', `${seen} is older than ${OLDEST_NODE}`, `install Node ${OLDEST_NODE} or later`)];
  return [ok('node', seen)];
}

/** The nearest folder above that exists: where a folder that is not made yet will be. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(path.dirname(folder));
}

export function checkFolders(config: Config): Diagnosis[] {
  const folders: [string, string][] = [];
  // With DATABASE_URL nothing is kept in the data folder but the checkpoints of workers that are told no other folder.
  const isWorker = config.signingKeyFile !== undefined;
  if (config.databaseUrl === undefined || (isWorker && config.checkpointDir === undefined))
    folders.push(['data folder', config.dataDir]);
  if (config.checkpointDir !== undefined) folders.push(['checkpoint folder', config.checkpointDir]);
  return folders.flatMap(([name, folder]) => [writable(name, folder), ...space(name, folder)]);
}

function writable(name: string, folder: string): Diagnosis {
  const there = existing(folder);
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch {
    return problem(
      name,
      `${there} cannot be written by this user`,
      'run it as the user of the service, or change the folder',
    );
  }
  if (there !== folder) return ok(name, `${folder} is not made yet and can be`);
  const mode = statSync(folder).mode & 0o777;
  if (name === 'checkpoint folder' && (mode & 0o022) !== 0)
    return warning(name, `${folder} can be written by others (mode ${mode.toString(8)})`, `chmod go-w ${folder}`);
  return ok(name, folder);
}

function space(name: string, folder: string): Diagnosis[] {
  const { bavail, bsize } = statfsSync(existing(folder));
  const free = bavail * bsize;
  const seen = `${(free / 1024 ** 3).toFixed(1)} GB free where the ${name} is`;
  if (free < LEAST_FREE_BYTES) return [problem('disk', seen, 'make room: a full disk stops every answer')];
  if (free < LOW_FREE_BYTES) return [warning('disk', seen, 'make room before it is full')];
  return [ok('disk', seen)];
}

/** The two private keys: there, of the right kind, and readable by their owner alone. */
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
      found.push(skipped(check, `${name} is not set for this process; the other kind of process may need it`));
      continue;
    }
    if (!named && !existsSync(file)) {
      found.push(ok(check, 'is made at the first start'));
      continue;
    }
    try {
      await readKeyFile(name, file);
    } catch (error) {
      found.push(problem(check, error instanceof Error ? error.message : String(error), `give ${name} the right file`));
      continue;
    }
    const mode = statSync(file).mode & 0o777;
    found.push(
      (mode & 0o077) === 0
        ? ok(check, file)
        : warning(check, `${file} can be read by others (mode ${mode.toString(8)})`, `chmod 600 ${file}`),
    );
  }
  return found;
}
