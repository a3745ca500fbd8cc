// Queries the operating system about processes: alive, started when, command line.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether a process with this id runs, of any user. A zombie does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return statOf(pid)?.[0] !== 'Z';
}

/** Whether a signal has stopped a process (SIGSTOP). false where /proc is missing. */
export function isStopped(pid: number): boolean {
  return statOf(pid)?.[0] === 'T';
}

/**
 * The start time of a process, which differs when its id is reused; '' when it is unknown. On Linux the boot id and field 22 of
 * /proc/PID/stat (clock ticks since boot), elsewhere the output of `ps`.
 */
export function startOf(pid: number): string {
  try {
    const ticks = statOf(pid)?.[19];
    if (ticks !== undefined) return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${ticks}`;
  } catch {
    // There is no boot_id: try `ps`.
  }
  return ps(pid, 'lstart=');
}

/** The parent of a process, and how long before `pid` it started; undefined where /proc is missing. */
export function parentOf(pid: number): { readonly pid: number; readonly olderByMs: number } | undefined {
  const parent = Number(statOf(pid)?.[1]);
  const olderByMs = (Number(statOf(pid)?.[19]) - Number(statOf(parent)?.[19])) * MS_PER_TICK;
  return Number.isNaN(olderByMs) ? undefined : { pid: parent, olderByMs };
}

/** Linux gives times in hundredths of a second (USER_HZ) on every architecture that Node supports. */
const MS_PER_TICK = 10;

/**
 * Processor time in milliseconds of a process's first thread, in steps of 10 ms; undefined where /proc is missing. In Node it
 * runs the program; other threads collect garbage and compile.
 */
export function mainThreadCpuMs(pid: number): number | undefined {
  const fields = statOf(pid, `task/${pid}/stat`);
  return fields && (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** The fields of /proc/PID/stat, or of that file of a thread, starting with the third (the state). */
function statOf(pid: number, file = 'stat'): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/${file}`, 'utf8');
    // The second field, the name in parentheses, may contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** The processes that this user may look at whose working folder is this one. None where /proc is missing. */
export function processesIn(folder: string): number[] {
  const isIn = (pid: string): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // It ended, or belongs to another user.
      return false;
    }
  };
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isIn(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The command line of a process, with spaces between arguments; '' when it cannot be read. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return ps(pid, 'command=');
  }
}

function ps(pid: number, column: string): string {
  if (process.platform === 'linux' || process.platform === 'win32') return '';
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}

/** Sends a signal. A process that has ended is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits for the end of a process that is not a child of this one. @returns false when it still runs after `timeoutMs` */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}
