// The names of JavaScript and its hosts that act, and the calls whose arguments decide what they do.
import { type Acts, type Argument, type Called, type Language, SPREAD, textIn } from './language.ts';
import { ANYTHING, BLIND, GIVEN, letGo, MEMORY, OUTSIDE, type Value } from './values.ts';

/** Members by which everything can be reached. */
const HIDDEN =
  /^(?:constructor|prototype|caller|callee|mainModule|cookie|_load|__(?!(?:dir|file)name$)\w+)$|\\|[^\0-\x7f]/;
/** What the language and its hosts offer that does more than compute. */
const ACTING =
  /^(?:eval|Function|fetch|globalThis|window|self|global|top|parent|frames|location|navigator|indexedDB|Reflect|Proxy|WebAssembly|Worker|SharedWorker|XMLHttpRequest|WebSocket|EventSource|importScripts|Deno|Bun|open|setImmediate|execScript|postMessage)$/;
/** Names of hosts that are common ones of variables, too. */
const PLAIN = /^(?:top|parent|frames|self|location|open)$/;
/** Functions that open a file, and their options that say nothing about writing it. */
const OPENS = /^fs(?:\.promises|\/promises)?\.(?:readFile|readFileSync|createReadStream)$/;
const READ_OPTIONS = /^(?:encoding|signal|start|end|highWaterMark|autoClose|emitClose)$/;
/** Functions that are given what runs later: a function, never a text. */
const RUNS_LATER: ReadonlySet<string> = new Set(['setTimeout', 'setInterval']);
const TREATED: ReadonlySet<string> = new Set([...RUNS_LATER, 'require', 'process']);
const ACTS_ANYWHERE = (name: string): boolean => (ACTING.test(name) && !PLAIN.test(name)) || TREATED.has(name);

/** Whether a file that is opened with an option is only read: `{ flag: 'w+' }` empties it. */
function onlyReads({ value, part }: Argument, judge: Acts): boolean {
  if (value.own !== undefined || part.kind === 'literal') return true;
  if (part.kind === 'name') return (value.bits & ANYTHING) === OUTSIDE || part.name === 'undefined';
  return (
    part.kind === 'object' &&
    !judge.changesAll &&
    part.members.every(({ name, value: member }) => READ_OPTIONS.test(name ?? '') && member.kind !== 'function')
  );
}

function special({ name, given, place, args }: Called, judge: Acts): Value | undefined {
  const [first, ...options] = given;
  if (OPENS.test(name)) {
    const isSpread = given.some(({ keyword }) => keyword === SPREAD);
    return isSpread || !options.every((one) => onlyReads(one, judge)) ? judge.act(place) : undefined;
  }
  // The same function, which gives a promise.
  if (name === 'util.promisify' && given.length === 1 && first?.value.name === 'fs.readFile')
    return judge.named('fs.promises.readFile');
  if (RUNS_LATER.has(name)) {
    if (first === undefined || (first.value.own === undefined && (first.value.bits & (ANYTHING | GIVEN)) !== OUTSIDE))
      return judge.act(place, 'eval', args);
    letGo(first.value);
    return MEMORY;
  }
  // Letters by a number: `(853).toString(36)`.
  if (name === '.toString' && first) return { ...MEMORY, bits: BLIND };
  if (name !== 'require') return undefined;
  const module = textIn(first?.part)?.replace(/^node:/, '');
  if (module === undefined || given.length !== 1) return judge.act(place, 'require', args);
  if (/^\.{1,2}\/[\w./-]{1,100}\.json$/.test(module)) return MEMORY;
  judge.loads(module, place);
  return judge.named(module);
}

export const JAVASCRIPT: Language = {
  treated: TREATED,
  environment: 'process.env',
  keysAreMembers: true,
  isHidden: (name) => HIDDEN.test(name),
  isActing: (name) => ACTING.test(name) || name.includes('$'),
  isKept: ACTS_ANYWHERE,
  isOfHost: ACTS_ANYWHERE,
  isDecided: (name) => OPENS.test(name),
  special,
};
