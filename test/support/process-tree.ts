// Finds all descendants of a process: from /proc, or from `ps` where there is no /proc (a minimal Debian has no `ps`). Sums up
// their processor time.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux reports processor time in ticks of this length (USER_HZ) on every architecture. */
const TICK_MS = 10;

/** The ids of a process and all its descendants, parents first. The process itself is included even if it has ended. */
export function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const [id, parent] of existsSync('/proc/self/stat') ? fromProc() : fromPs())
    children.set(parent, [...(children.get(parent) ?? []), id]);
  const found = [pid];
  for (const id of found) found.push(...(children.get(id) ?? []));
  return found;
}

/**
 * Processor time of a process, its running descendants, and the ended ones whose parents waited for them, in milliseconds.
 * undefined: there is no /proc.
 */
export function processorMs(pid: number): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  const ticks = descendants(pid).flatMap((id) => statOf(id)?.slice(11, 15).map(Number) ?? []);
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}

function fromProc(): [pid: number, parent: number][] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): [number, number][] => {
      const stat = statOf(Number(name));
      return stat === undefined ? [] : [[Number(name), Number(stat[1])]];
    });
}

/** The fields of /proc/<pid>/stat from the third on: state, parent, ...; the times in user and kernel mode are 11 to 14. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // They follow the name in parentheses, which may contain any character.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function fromPs(): [pid: number, parent: number][] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return table
    .trim()
    .split('\n')
    .map((line): [number, number] => {
      const [id = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
      return [id, parent];
    });
}
