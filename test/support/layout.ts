// Whether objects have one layout in V8, which reads of their members depend on.
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';

// Known for good: V8 may throw away the compiled function and compile it again.
setFlagsFromString('--allow-natives-syntax');
const haveSameLayout = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean;

/** Enough calls for V8 to have seen the kinds of objects at a place. */
const CALLS = 20;

/** Whether objects that are made again and again get a layout once, as those of each request must: another one for each is never collected soon. */
export function haveOneLayout(make: () => object): boolean {
  const made = Array.from({ length: CALLS }, make);
  const [last, before] = [made.at(-1), made.at(-2)];
  return last !== undefined && before !== undefined && haveSameLayout(last, before);
}
