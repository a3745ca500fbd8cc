// How much garbage a process of the service may hold: set once, before it does anything else.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const FLAG = '--heap-growing-percent';
/**
 * V8 looks through its old generation again when it is larger by this than what was alive at the last look. By itself it
 * waits until it is up to four times as large when much is allocated: 200 MB more for a busy process that keeps 70.
 */
const GROWTH_PERCENT = 30;
/** Until V8 has looked once it does not know what is alive, and waits for half a gigabyte. By then a process has started. */
const FIRST_LOOK_MS = 5_000;

/** What this does to V8 and when; a test gives another. */
export interface HeapControl {
  setFlags(flags: string): void;
  collect(): void;
  after(ms: number, work: () => void): void;
}

/** Looks through the whole heap now: a tenth of a second in which the process does nothing else. */
export function collectGarbage(): void {
  // There is no other way to ask for it that needs no option of the command line.
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  setFlagsFromString('--no-expose-gc');
}

const control: HeapControl = {
  setFlags: setFlagsFromString,
  collect: collectGarbage,
  after: (ms, work) => void setTimeout(work, ms).unref(),
};

/** @param execArgv options that the process was started with; one that sets the same is left as it is */
export function keepHeapSmall(execArgv: readonly string[], { setFlags, collect, after } = control): void {
  // V8 takes underscores for hyphens.
  if (execArgv.some((option) => option.replaceAll('_', '-').startsWith(FLAG))) return;
  // A V8 that does not know the flag says so and goes on; as an option of the command line it would end the process.
  setFlags(`${FLAG}=${GROWTH_PERCENT}`);
  after(FIRST_LOOK_MS, collect);
}
