// The account that PostgreSQL runs as. It refuses to run as root, so root starts it with an unprivileged account.
import { OperatorError } from '../../kernel/operator-error.ts';
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, lstatSync } from 'node:fs';

/** An unprivileged user of the system. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

/** A problem that a person must fix; the message says how. */
export class SetupError extends OperatorError {}

const NEW_USER = 'custos';
const EXISTING_USERS = ['postgres', NEW_USER];
/** Commands that create a system user without home and login: shadow-utils (Debian, Fedora), then BusyBox. */
const MAKE_USER = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/bin/false', NEW_USER],
  ['adduser', '-S', '-D', '-H', '-s', '/bin/false', NEW_USER],
] as const;

/**
 * The account for PostgreSQL; undefined: this process is not root and runs it itself. An existing database keeps its owner.
 * @param clusterFolder the folder of the database, which need not exist yet
 * @throws {SetupError} when the database belongs to another user, or no account can be created
 */
export function serverAccount(clusterFolder: string, say: (line: string) => void): Account | undefined {
  const uid = process.getuid?.();
  const owner = lstatSync(clusterFolder, { throwIfNoEntry: false });
  if (uid === undefined) return undefined;
  if (uid !== 0) {
    if (owner !== undefined && owner.uid !== uid)
      throw new SetupError(
        `The database in ${clusterFolder} belongs to another user (uid ${owner.uid}). Start as that user or as root, or choose another CUSTOS_DATA_DIR.`,
      );
    return undefined;
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, name: `uid ${owner.uid}` };
  for (const name of EXISTING_USERS) {
    const found = lookUp(name);
    if (found !== undefined) return found;
  }
  for (const [command, ...args] of MAKE_USER) {
    const { status } = spawnSync(command, args, { stdio: 'ignore' });
    // It also fails when a concurrent start has just created the user.
    const made = lookUp(NEW_USER);
    if (made === undefined) continue;
    if (status === 0) say(`PostgreSQL does not run as root: created the system user ${NEW_USER} for it.`);
    return made;
  }
  throw new SetupError(
    `PostgreSQL does not run as root, and no unprivileged user could be created for it. Create one (for example: useradd --system ${NEW_USER}), start as an ordinary user, or set DATABASE_URL.`,
  );
}

function lookUp(name: string): Account | undefined {
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    const [uid, gid] = [id('-u'), id('-g')];
    return uid > 0 ? { uid, gid, name } : undefined;
  } catch {
    return undefined;
  }
}

/** Options of `spawn` that run a program as the account; empty without one. */
export function identity(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/** Whether the account can enter a folder, which needs access to each folder above it. */
export function canEnter(account: Account | undefined, folder: string): boolean {
  if (account === undefined) return true;
  // A shell, because only a process of another user can test that user's access.
  const asked = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], {
    ...identity(account),
    cwd: '/',
    stdio: 'ignore',
  });
  if (asked.error !== undefined)
    throw new SetupError(
      `PostgreSQL does not run as root, and this process may not run programs as ${account.name}: ${asked.error.message}. Start as an ordinary user, or set DATABASE_URL.`,
    );
  return asked.status === 0;
}

export function giveTo(account: Account | undefined, file: string): void {
  if (account !== undefined) chownSync(file, account.uid, account.gid);
}
