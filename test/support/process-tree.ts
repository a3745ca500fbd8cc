// Finds all descendants of a process: from /proc, or from `ps` where there is no /proc (a minimal Debian has no `ps`).
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The ids of a process and all its descendants, parents first. The process itself is included even if it has ended. */
export function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const [id, parent] of existsSync('/proc/self/stat') ? fromProc() : fromPs())
    children.set(parent, [...(children.get(parent) ?? []), id]);
  const found = [pid];
  for (const id of found) found.push(...(children.get(id) ?? []));
  return found;
}

function fromProc(): [pid: number, parent: number][] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): [number, number][] => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The fields follow the name in parentheses, which may contain any character: state, parent, ...
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
      } catch {
        return [];
      }
    });
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
