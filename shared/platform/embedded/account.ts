// As whom PostgreSQL runs: it refuses to run as root, so root lends it an unprivileged account.
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, lstatSync } from 'node:fs';

/** An unprivileged user of the system. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

/** Something that only a person can put right; the message says how. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

const NEW_USER = 'custos';
const EXISTING_USERS = ['postgres', NEW_USER];
/** Ways to make a system user without a home or a login: of Debian, Fedora and the like, then of BusyBox. */
const MAKE_USER = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/bin/false', NEW_USER],
  ['adduser', '-S', '-D', '-H', '-s', '/bin/false', NEW_USER],
] as const;

/**
 * The account PostgreSQL must be given, or undefined when this process may run it itself (it is not root).
 * A database that exists belongs to its owner, whoever that is.
 * @param clusterFolder the folder of the database, which need not exist yet
 * @throws {SetupError} when the database belongs to somebody else, or no account can be had
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
    // It fails, too, when another start has made the user just now.
    const made = lookUp(NEW_USER);
    if (made === undefined) continue;
    if (status === 0) say(`PostgreSQL does not run as root: made the system user ${NEW_USER} for it.`);
    return made;
  }
  throw new SetupError(
    `PostgreSQL does not run as root, and no unprivileged user could be made for it. Make one (for example: useradd --system ${NEW_USER}), start as an ordinary user, or set DATABASE_URL.`,
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

/** What `spawn` needs to run a program as the account; nothing when it runs as ourselves. */
export function identity(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/** Whether the account can enter a folder: one closed folder above it is enough to say no. */
export function canEnter(account: Account | undefined, folder: string): boolean {
  if (account === undefined) return true;
  // A shell, because access rights of another user can only be asked by being that user.
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
