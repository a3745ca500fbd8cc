// Finds what a call of a program does with files, requests, commands and statements, as far as its arguments are written in the program.
import { type Json, objectOf } from '../../../../kernel/json.ts';
import { shellQuote } from '../../../../kernel/shell-quote.ts';
import type { Act, Deed, Surroundings } from './acts.ts';
import { pathIn } from './arguments.ts';
import { Contents, UNSEEN_BODY } from './contents.ts';
import { type Argument, SPREAD, textIn } from './language.ts';
import type { Part, Place } from './parts.ts';
import { ANY, hasGap, inFolder, NAME } from './gaps.ts';
import { ANYTHING, BLIND, CLIENT, GIVEN, MADE, STORE, type Value } from './values.ts';

const MAX_LINES = 16;
const MAX_DEPTH = 8;
/** In the arguments of a tool, what is only known when the program runs. */
const UNSEEN = 'value';
const VALUES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...['true', 'True'].map((name) => [name, true] as const),
  ...['false', 'False'].map((name) => [name, false] as const),
  ...['null', 'None', 'undefined'].map((name) => [name, null] as const),
]);
const METHOD = /^(?:get|head|options|post|put|patch|delete)$/i;

export abstract class Deeds extends Contents {
  abstract opens(path: Argument | undefined, place: Place): void;

  readonly read = new Set<string>();
  readonly #deeds = new Map<string, Deed | undefined>();

  surroundings(): Surroundings {
    return { texts: this.found.texts, read: this.read, walked: this.constants.walked };
  }

  /** The texts that an argument may be; undefined if the program makes one in a way that nobody sees. */
  protected textsOf(part: Part, { bits }: Value): readonly string[] | undefined {
    const texts = this.constants.of(part);
    return ((bits | this.stored) & BLIND) !== 0 && texts.some((text) => text.includes(ANY)) ? undefined : texts;
  }

  /** What a call does that is listed as one that acts; undefined for another, and for one of which too little is written. */
  protected deedOf(name: string, object: Argument | undefined, given: readonly Argument[], place: Place) {
    if (this.names.copies.has(name)) this.opens(given[0], place);
    const all = [...given, ...(object ? [object] : [])].reduce((bits, { value }) => bits | value.bits, this.stored);
    // A program is judged several times, and texts do not change but for what is not seen of them.
    const key = `${place.from} ${place.to} ${name} ${all & (BLIND | STORE | CLIENT | ANYTHING | GIVEN)}`;
    if (!this.#deeds.has(key)) this.#deeds.set(key, this.#deedOf(name, object, given));
    return this.#deeds.get(key);
  }

  #deedOf(name: string, object: Argument | undefined, given: readonly Argument[]): Deed | undefined {
    const { writes, writesItself, copies, requests, commands, queries } = this.names;
    if (given.some(({ keyword }) => keyword === SPREAD)) return undefined;
    const [first, second] = given.filter(({ keyword }) => keyword === undefined);
    const folder = /mkdir|makedirs/i.test(name);
    if (writesItself.has(name)) return this.#write(object, !folder && this.isNothing(first?.part), folder);
    if (writes.has(name)) {
      const path = pathIn(given, this.names);
      // `fs.writeFile(path, text)` is given the text, and `frame.to_csv(path)` is it.
      const content = object === undefined ? second?.part : object.part;
      return this.#write(path, !folder && this.isNothing(content), folder);
    }
    if (copies.has(name)) {
      const from = first && this.textsOf(first.part, first.value);
      return this.#write(second, from?.some((path) => path.startsWith('/dev/')) ?? true, false);
    }
    if (requests.has(name)) return this.#request(name, given);
    if (commands.has(name)) return this.#command(name, given);
    if (!queries.has(name)) return undefined;
    const bits = object?.value.bits ?? MADE;
    const isKept = (bits & STORE) === 0 || (bits & (ANYTHING | CLIENT | GIVEN)) !== 0;
    if (first) return this.#query(first, isKept);
    const isStore = !isKept || (bits & CLIENT) !== 0;
    return isStore ? { kind: 'query', statements: [name.slice(1)], isKept } : undefined;
  }

  /** Whether a function is one of those whose calls are read by what they are given. */
  protected isDeed(name: string): boolean {
    const { writes, copies, requests, commands } = this.names;
    return writes.has(name) || copies.has(name) || requests.has(name) || commands.has(name);
  }

  #write(path: Argument | undefined, isEmptied: boolean, isFolder: boolean): Deed | undefined {
    const paths = path && this.textsOf(path.part, path.value);
    return paths && { kind: 'write', paths, isEmptied, isFolder };
  }

  /** A file that is opened to write it. `place` is the call, after which something has to be written. */
  protected opened(path: Argument, mode: string, place: Place): Deed | undefined {
    return this.#write(path, /w/.test(mode) && !this.isWritten(place), false);
  }

  #request(name: string, given: readonly Argument[]): Deed | undefined {
    const last = name.slice(name.lastIndexOf('.') + 1);
    const byPlace = given.filter(({ keyword }) => keyword === undefined);
    const takesMethod = last === 'request' && byPlace.length > 1;
    const named = new Map(
      given.flatMap((one): [string, Argument][] => (one.keyword === undefined ? [] : [[one.keyword, one]])),
    );
    const address = named.get('url') ?? byPlace[takesMethod ? 1 : 0];
    const urls = address && this.textsOf(address.part, address.value)?.flatMap((url) => this.#whole(url));
    const rest = byPlace.slice(takesMethod ? 2 : 1);
    const options = new Map<string, Part>([...named].map(([key, { part }]) => [key, part]));
    let method: string | undefined = METHOD.test(last) ? last : 'get';
    if (takesMethod && byPlace[0]) method = this.#onlyText(byPlace[0].part);
    // `axios.post(url, body, options)`, `fetch(url, options)`, `requests.post(url, body)`
    const hasBody = /^(?:post|put|patch)$/.test(last);
    if (hasBody && rest[0]) options.set('data', rest[0].part);
    const bag = rest[hasBody ? 1 : 0];
    if (bag && !this.language.keysAreMembers) return undefined;
    const members = bag && this.constants.containers(bag.part);
    if (bag && (members?.length !== 1 || members[0]?.kind !== 'object')) return undefined;
    if (members?.[0]?.kind === 'object')
      for (const { name: own, key, value } of members[0].members) {
        const option = textIn(key) ?? own;
        if (option === undefined) return undefined;
        options.set(option, value);
      }
    const stated = options.get('method');
    if (stated) method = this.#onlyText(stated);
    if (method === undefined || !METHOD.test(method)) return undefined;
    for (const option of options.keys()) if (!this.names.requestOptions.has(option)) return undefined;
    const of = (...keys: readonly string[]) => {
      const parts = keys.flatMap((key) => options.get(key) ?? []);
      return parts.length > 1 ? UNSEEN_BODY : this.sent(parts[0]);
    };
    return {
      kind: 'request',
      method,
      urls: urls ?? [ANY],
      query: of('params'),
      headers: of('headers'),
      body: of('data', 'json', 'body', 'content'),
    };
  }

  /** An address behind all that a client of the program may begin it with. */
  #whole(url: string): readonly string[] {
    const { bases } = this.clients;
    if (bases.length === 0 || !/^\/?\w/.test(url) || url.includes('://')) return [url];
    return bases.flatMap((base) => this.constants.of(base)).map((base) => inFolder(base, url.replace(/^\//, '')));
  }

  /** The arguments of a call as those of a tool; undefined if it is not known how they are named. */
  protected told(given: readonly Argument[]): Json | undefined {
    const told: Record<string, unknown> = {};
    for (const [at, { keyword, part }] of given.entries()) {
      if (keyword === SPREAD && part.kind !== 'name' && part.kind !== 'each') return undefined;
      // `f(**options)`: what they choose is not known.
      if (keyword === SPREAD && this.text.startsWith('**', part.from - 2)) return undefined;
      // `f(to="x")` of Python, read as JavaScript.
      const [target] = part.kind === 'bind' ? part.targets : [];
      if (keyword === undefined && part.kind === 'bind' && target?.kind === 'name') {
        told[target.name] = this.#json(part.value);
        continue;
      }
      const value = this.#json(part);
      const isOnly = keyword === undefined && this.language.keysAreMembers && objectOf(value) !== undefined;
      if (isOnly) Object.assign(told, value);
      else told[keyword === undefined || keyword === SPREAD ? `${at + 1}` : keyword] = value;
    }
    return told;
  }

  #json(part: Part, depth = 0): unknown {
    if (depth > MAX_DEPTH) return UNSEEN;
    if (part.kind === 'literal' && part.text === undefined)
      return VALUES.get(this.#written(part)) ?? this.#written(part);
    if (part.kind === 'function' || part.kind === 'call') return UNSEEN;
    const [container, ...others] = this.constants.containers(part) ?? [];
    if (container !== undefined && others.length === 0) {
      if (container.kind === 'values') return container.parts.map((one) => this.#json(one, depth + 1));
      return Object.fromEntries(
        container.members.map(({ name, key, value }) => [
          this.#onlyText(key) ?? name ?? '',
          this.#json(value, depth + 1),
        ]),
      );
    }
    const texts = this.constants.of(part).map((text) => text.replaceAll(/[\0\x01]/g, 'x'));
    if (texts.some((text) => text !== 'x')) return texts.length === 1 ? texts[0] : texts;
    // Of `Order.status` only the last name may choose what is done.
    return part.kind === 'member' ? part.name : part.kind === 'name' ? this.#written(part) : UNSEEN;
  }

  #written = ({ from, to }: Place): string => this.text.slice(from, to);

  #onlyText(part: Part | undefined): string | undefined {
    if (part === undefined) return undefined;
    const [only, ...others] = this.constants.of(part);
    return only !== undefined && others.length === 0 && !hasGap(only) ? only : undefined;
  }

  #command(name: string, given: readonly Argument[]): Deed | undefined {
    const byPlace = given.filter(({ keyword }) => keyword === undefined);
    const [first, ...rest] = byPlace;
    if (first === undefined || (rest.length > 0 && !this.language.keysAreMembers)) return undefined;
    let folder = '';
    let isShell = /system|popen|getoutput|exec(?:Sync)?$/.test(name);
    const options: (readonly [string, Part])[] = given.flatMap(({ keyword, part }) =>
      keyword === undefined ? [] : [[keyword, part]],
    );
    const bag = rest.at(-1)?.part;
    if (bag?.kind === 'object') for (const { name: key = '', value } of bag.members) options.push([key, value]);
    for (const [option, part] of options) {
      if (option === 'cwd') folder = this.#onlyText(part) ?? ANY;
      else if (option === 'shell') isShell ||= this.text.slice(part.from, part.to) !== 'False';
      else if (!this.names.commandOptions.has(option)) return undefined;
    }
    const lists = bag?.kind === 'object' ? rest.slice(0, -1) : rest;
    const words = this.#words(first, lists);
    const whole = isShell ? this.textsOf(first.part, first.value) : undefined;
    // A line with a gap may be any line.
    const lines = isShell && lists.length === 0 ? (whole?.some(hasGap) === true ? undefined : whole) : words;
    if (lines === undefined || lines.length === 0 || folder.includes(ANY)) return undefined;
    return {
      kind: 'command',
      lines: folder === '' ? lines : lines.map((line) => `cd '${folder.replaceAll("'", '')}' && ${line}`),
    };
  }

  /** The lines that a list of words may be: `["ls", path]`, or a program and its arguments. */
  #words(first: Argument, rest: readonly Argument[]): readonly string[] | undefined {
    const parts: (readonly [Part, Value])[] = [];
    for (const { part, value } of [first, ...rest]) {
      const containers = this.constants.containers(part);
      if (containers === undefined) {
        if (part.kind === 'name' && rest.length === 0) return undefined;
        parts.push([part, value]);
        continue;
      }
      const [only, ...others] = containers;
      if (only?.kind !== 'values' || others.length > 0) return undefined;
      parts.push(...only.parts.map((one): [Part, Value] => [one, value]));
    }
    let lines: readonly string[] = [''];
    for (const [part, value] of parts) {
      const texts = this.textsOf(part, value) ?? [];
      const words = texts.flatMap((text) => quoted(text) ?? []);
      if (words.length === 0 || words.length < texts.length || words.length * lines.length > MAX_LINES)
        return undefined;
      // What is run must be known, and that an argument is no option.
      if (texts.some((text) => text.startsWith(ANY) || (lines[0] === '' && hasGap(text)))) return undefined;
      lines = lines.flatMap((line) => words.map((word) => `${line} ${word}`.trim()));
    }
    return lines;
  }

  /** Whether a statement that is put together may have another one behind it that the program has somewhere. */
  protected mayBeStatement({ path, arguments: args }: Pick<Act, 'path' | 'arguments'>): boolean {
    if (!this.names.queries.has(`.${path.at(-1) ?? ''}`) || !/\{|\+|%/.test(args)) return false;
    return this.found.texts.some((text) => /;\s*[a-z]/i.test(text));
  }

  #query(first: Argument, isKept: boolean): Deed | undefined {
    const statements = this.textsOf(first.part, first.value);
    return statements === undefined || statements.some(hasGap) ? undefined : { kind: 'query', statements, isKept };
  }
}

/** A word of a shell, with a variable in place of each gap; undefined for one that can not be written so. */
function quoted(word: string): string | undefined {
  if (hasGap(word))
    return /["$`\\]/.test(word) ? undefined : `"${word.replaceAll(ANY, '$ARG').replaceAll(NAME, '$ARG')}"`;
  return shellQuote(word);
}
