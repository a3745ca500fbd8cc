// Whether objects have one layout in V8, which reads of their members depend on.
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';

// The syntax is only known while the function is compiled, at its first call.
setFlagsFromString('--allow-natives-syntax');
const haveSameLayout = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean;
haveSameLayout({}, {});
setFlagsFromString('--no-allow-natives-syntax');

/** Enough calls for V8 to have seen the kinds of objects at a place. */
const CALLS = 20;

/** Whether objects that are made again and again get a layout once, as those of each request must: another one for each is never collected soon. */
export function haveOneLayout(make: () => object): boolean {
  const made = Array.from({ length: CALLS }, make);
  const [last, before] = [made.at(-1), made.at(-2)];
  return last !== undefined && before !== undefined && haveSameLayout(last, before);
}
