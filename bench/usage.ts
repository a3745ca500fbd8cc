// CPU time and memory of processes, read from /proc. On systems other than Linux they are 0 and undefined.
import { readFileSync } from 'node:fs';
import { descendants } from '../test/support/process-tree.ts';
import { commandOf } from '../shared/platform/embedded/processes.ts';

/** The parts of the service that are measured separately. */
export const PARTS = ['ingress', 'workers', 'postgres'] as const;
export type Part = (typeof PARTS)[number];
export type Pids = Readonly<Record<Part, readonly number[]>>;
/** CPU milliseconds since the start of each process. */
export type Cpu = Readonly<Record<Part, number>>;

/** Linux reports CPU time in hundredths of a second (USER_HZ), independently of its timer frequency. */
const MS_PER_TICK = 10;

const MARKS: Readonly<Record<Part, RegExp>> = {
  ingress: /ingress[\\/]main\.js/,
  workers: /workers[\\/]main\.js/,
  postgres: /postgres/,
};

/** The processes of a service, by their supervisor. */
export function partsBelow(supervisor: number): Pids {
  const all = descendants(supervisor)
    .slice(1)
    .map((pid) => ({ pid, command: commandOf(pid) }));
  const of = (part: Part): number[] =>
    all.filter(({ command }) => PARTS.find((name) => MARKS[name].test(command)) === part).map(({ pid }) => pid);
  return { ingress: of('ingress'), workers: of('workers'), postgres: of('postgres') };
}

/** CPU milliseconds, user and system, of running processes and of their ended children. */
export function cpuMs(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const text = read(`/proc/${pid}/stat`);
    if (text === undefined) continue;
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // utime, stime, cutime, cstime. Ended children count, because PostgreSQL has a process for each session.
    for (const field of fields.slice(11, 15)) ticks += Number(field);
  }
  return ticks * MS_PER_TICK;
}

export function cpuOf(supervisor: number): Cpu {
  const pids = partsBelow(supervisor);
  return { ingress: cpuMs(pids.ingress), workers: cpuMs(pids.workers), postgres: cpuMs(pids.postgres) };
}

export interface Memory {
  /** MB (2^20 bytes) resident now, and its maximum. */
  readonly nowMb: number;
  readonly mostMb: number;
}

/** Resident memory of one process; undefined where there is no /proc. */
export function memoryOf(pid: number | undefined): Memory | undefined {
  const text = pid === undefined ? undefined : read(`/proc/${pid}/status`);
  if (text === undefined) return undefined;
  const kb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { nowMb: Math.round(kb('VmRSS') / 1_024), mostMb: Math.round(kb('VmHWM') / 1_024) };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
