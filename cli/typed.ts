// How long ago the person typed the command that became this process.
import { commandOf, parentOf } from '../shared/platform/embedded/processes.ts';

/** `npm start`, `npm exec custos start`, and the shell in which npm runs a command. */
const NPM = /^(?:npm|npx) |\/np[mx](?:-cli\.js)? /;
const SHELL_OF_NPM = /^(?:\S*\/)?sh -c /;

/**
 * Milliseconds since the command was typed: since the start of npm when npm runs this process, else since the start of this
 * process, also where the system has no /proc.
 */
export function sinceTypedMs(): number {
  let ms = performance.now();
  let olderByMs = 0;
  for (let child = process.pid; ; ) {
    const parent = parentOf(child);
    if (parent === undefined) return ms;
    const command = commandOf(parent.pid);
    olderByMs += parent.olderByMs;
    if (NPM.test(`${command} `)) ms = performance.now() + olderByMs;
    else if (!SHELL_OF_NPM.test(command)) return ms;
    child = parent.pid;
  }
}
