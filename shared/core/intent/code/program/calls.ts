// Judges names, members and calls of a program, in whichever language. What is not listed is an act.
import {
  allOf,
  elementOfAll,
  handsBack,
  holdsValues,
  IMPORTS,
  MAKES_OBJECT,
  pathIn,
  RUNS_ITSELF,
  walked,
} from './arguments.ts';
import { type Acts, type Argument, isPlainVariable } from './language.ts';
import { arePlain, hostsIn } from './clients.ts';
import type { Part, Place } from './parts.ts';
import {
  ANYTHING,
  BLIND,
  CLIENT,
  GIVEN,
  inList,
  isFree,
  isNameless,
  letGo,
  LIBRARY,
  MADE,
  MEMORY,
  memberOf,
  OUTSIDE,
  together,
  UNKNOWN,
  UNSEEN,
  type Value,
  valueOf,
  withBits,
  withOrigins,
} from './values.ts';
import type { Act, Deed, Otherwise } from './acts.ts';
import { Members } from './members.ts';
import { MAX_PATH, type Variables } from './variables.ts';

/** What is known of single calls. */
export interface KnownCalls {
  /** Whether a call on something from outside does more than its name is listed for, by its object or its arguments. */
  isGrave(act: Act): boolean;
  /** Whether a call reads, by its name and its arguments. */
  reads(act: Act): boolean;
  /** Whether a module that is not listed does something when it is loaded, by its name. */
  isActingModule(module: string): boolean;
  /** Whether an address leads to a host outside. */
  isOutside(url: string): boolean;
}

/** A call as it is written. */
export interface Written {
  readonly place: Place;
  readonly callee: Part;
  readonly args: string;
}

/** What is called has a name, in letters that names of tools have. An element of a table or a result has none. */
const NAMED = /^[\w.$@/()[\]:-]*[\w$]$/;

const isClient = ({ bits }: Value): boolean =>
  (bits & CLIENT) !== 0 && (bits & (UNSEEN | GIVEN)) === 0 && !isFree(bits);

export abstract class Calls extends Members implements Acts {
  changesAll = false;
  readonly #known: KnownCalls;
  readonly #loads = IMPORTS.test(this.text);

  constructor(known: KnownCalls, ...rest: ConstructorParameters<typeof Variables>) {
    super(...rest);
    this.#known = known;
  }

  abstract baseOfClass(): number;
  abstract evaluate(part: Part): Value;

  /** Whether a variable of the environment holds nothing that may not be read here. `place`: where it is read. */
  mayReadVariable(name: string | undefined, place: Place): boolean {
    if (isPlainVariable(name)) return true;
    if (name === undefined) return false;
    const outside = () => hostsIn(this.found.texts).filter((host) => this.#known.isOutside(`https://${host}/`));
    return this.takesSecrets || this.clients.sends(place, name, outside());
  }

  protected actsByName(name: string): boolean {
    return this.#known.isActingModule(name);
  }

  /** Modules that are not listed: calls of their functions are those of tools. */
  readonly #tools = new Set<string>();

  /** Loads a module, which may be one that is not listed. */
  loads(module: string, place: Place): void {
    const isListed = this.names.modules.has(module) || this.pureOf(module) !== undefined;
    if (isListed && !this.names.services.has(module)) return;
    const isUnread = this.names.unread.has(module.split(/[./]/, 1)[0] ?? '') || this.#known.isActingModule(module);
    if (isUnread && !isListed) return void this.act(place);
    if (!this.#tools.has(module)) this.version += 1;
    this.#tools.add(module);
    if (isListed) return;
    this.perform(
      { kind: 'tool', names: [module], given: {}, sources: [], makesObject: false, otherwise: 'loads' },
      place,
      'import',
      module,
    );
  }

  /** Whether a name is one of a module that is not listed. */
  protected isOfTool(name: string): boolean {
    if (this.#tools.has(name)) return true;
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1))
      if (this.#tools.has(name.slice(0, dot))) return true;
    const dot = name.indexOf('.');
    return this.names.services.has(dot < 0 ? name : name.slice(0, dot));
  }

  /** What a value is called, if nothing but a tool can have that name. */
  #toolNames({ name, origins }: Value): readonly string[] {
    if (name !== undefined) return this.isOfTool(name) ? [name] : [];
    return isNameless(origins) ? [] : origins;
  }

  /** A call of something that the program does not define, whose name tells what it does, as that of a tool. */
  protected callTool(
    names: readonly string[],
    given: readonly Argument[],
    call: Written,
    otherwise?: Otherwise,
  ): Value {
    const { place, args, callee } = call;
    const path = [...this.#pathOf(callee), ...(callee.kind === 'member' ? [callee.name] : [])];
    const arguments_ = this.told(given);
    const isKnown = names.length > 0 && names.every((name) => NAMED.test(name) && !this.hasHidden(name));
    if (!isKnown || arguments_ === undefined) return this.act(place, path.join('.'), args);
    for (const { value } of given) letGo(value);
    const result = withOrigins(
      otherwise === 'reads' ? valueOf(OUTSIDE) : UNKNOWN,
      names.map((name) => `${name}()`),
    );
    if (this.hasTooManyActs) return result;
    // Without `new`, a function of JavaScript is none that makes an object, whatever its name.
    const isMade = !this.language.keysAreMembers || this.text.startsWith('new', place.from);
    const makesObject = isMade && names.every((name) => /(?:^|\.)[A-Z]\w*$/.test(name));
    const sources = [...new Set(given.flatMap(({ value }) => value.origins))];
    this.perform(
      { kind: 'tool', names, given: arguments_, sources, makesObject, otherwise },
      place,
      path.join('.'),
      args,
    );
    return result;
  }

  /** Whether a name is one of a client of HTTP, which a variable holds. */
  protected isOfSession = (name: string, what: string): boolean =>
    name.endsWith(what) && this.names.sessionNames.has(name.slice(0, -what.length));

  /** A call of what only computes; undefined for another: what it gives is data, and functions that it is given may be called with anything. */
  #computed(names: readonly string[], given: readonly Argument[]): Value | undefined {
    const pure = names.flatMap((name) => this.pureOf(name) ?? []);
    if (pure.length === 0 || pure.length < names.length) return undefined;
    for (const { value } of given) this.store(value);
    // A text that it makes of those of the program is not followed.
    const { bits, texts } = allOf(given);
    return withOrigins(
      valueOf(OUTSIDE | (texts.length > 0 ? BLIND : bits & BLIND)),
      [...new Set(pure)].map((name) => `${name}()`),
    );
  }

  /** What is handed to a function that it may call. */
  #hand(name: string, object: Value, given: readonly Argument[], call: Written): void {
    const isCaller = this.names.callers.has(name);
    const isFirst = name.startsWith('.') || this.names.firstIsCalled.has(name);
    for (const [at, { value, keyword, part }] of given.entries()) {
      const isNamed = this.names.called.has(keyword ?? '');
      const isData =
        keyword === undefined && (this.names.noneIsCalled.has(name) || (at === 0 && this.names.firstIsData.has(name)));
      const calls = isCaller && !isData;
      const isCalled = isNamed || (calls && keyword === undefined && (!isFirst || at === 0));
      if (value.own) {
        // What a promise hands to its function are functions.
        let other = name === 'Promise' ? valueOf(OUTSIDE) : elementOfAll(object);
        for (const one of given) if (one.value !== value) other = together(other, elementOfAll(one.value));
        this.give(value.own, other);
      } else if (isCalled && value.name === undefined && !isNameless(value.origins) && !holdsValues(part)) {
        // What a call gives is data, or else its own name tells it.
        const names = value.origins.filter((origin) => !origin.endsWith(')'));
        if (names.length > 0) this.callTool(names, [], { ...call, callee: part });
      } else if (
        ((calls || isNamed) && (value.bits & UNSEEN) !== 0 && isNameless(value.origins) && !holdsValues(part)) ||
        (isCalled && (value.bits & GIVEN) !== 0 && !holdsValues(part))
      )
        this.act(call.place, this.#pathOf(call.callee).join('.'));
      else if (calls && value.name !== undefined) this.used(value, part);
    }
  }

  /** A call that no table has: its name and its arguments may say that it reads. What it gives is not of the program. */
  #unlisted(
    call: Written,
    name: string,
    deed: () => Deed | undefined,
    {
      isOfListed = false,
      tools,
      given,
    }: { isOfListed?: boolean; tools: readonly string[]; given: readonly Argument[] },
  ): Value {
    const { place, args } = call;
    const act = { isOfListed, path: name.split('.').slice(-MAX_PATH), arguments: args, at: place.from, end: place.to };
    if (this.hasHidden(name)) return this.act(place, name, args);
    const does = deed();
    const reads = (does === undefined || does.kind === 'query') && this.#known.reads(act) && !this.mayBeStatement(act);
    if (reads && tools.length > 0) return this.callTool(tools, given, call, 'reads');
    if (reads && isOfListed) return valueOf(LIBRARY);
    if (reads) return withOrigins(valueOf(OUTSIDE), [`${tools[0] ?? name}()`]);
    if (does === undefined) return this.callTool(tools, given, call);
    this.perform(does, place, name, args);
    return valueOf(does.kind === 'query' ? OUTSIDE : LIBRARY);
  }

  /** A file is opened to write it. */
  writes(path: Argument, mode: string, place: Place): boolean {
    const deed = this.opened(path, mode, place);
    if (deed) this.perform(deed, place, 'open', '');
    return deed !== undefined;
  }

  /** A call of `name`, which is not of the program. */
  protected callNamed(name: string, given: readonly Argument[], call: Written): Value {
    const { place, args } = call;
    const special = this.language.special({ name, object: undefined, given, place, args }, this);
    for (const { value, part } of given) if (special?.name === undefined) this.used(value, part);
    const computed = special ?? this.#computed([name], given);
    if (computed) return computed;
    const { names } = this;
    const session = names.sessions.get(name);
    if (session !== undefined && this.clients.isPlain(place)) return this.named(session);
    const [headers] = given;
    if (this.isOfSession(name, '.headers.update') && headers && given.length === 1 && arePlain(headers.part))
      return MEMORY;
    if (!this.isListed(name)) {
      const deed = () => this.deedOf(name, undefined, given, place);
      const isOfListed = this.#loads && names.roots.has(name.split('.', 1)[0] ?? '');
      return this.#unlisted(call, name, deed, { isOfListed, tools: this.isOfTool(name) ? [name] : [], given });
    }
    if (names.openers.has(name)) this.opensFiles = true;
    if (names.paths.has(name)) this.opens(pathIn(given, names), place);
    if (names.changesFirst.has(name) && ((given[0]?.value.bits ?? MADE) & UNSEEN) !== 0) this.changeAll();
    this.#hand(name, names.walkers.has(name) ? valueOf(BLIND) : MEMORY, given, call);
    if (names.clients.has(name)) return withOrigins(valueOf(OUTSIDE | CLIENT), [`${name}()`]);
    if (names.walkers.has(name)) return walked(allOf(given));
    if (names.paths.has(name)) return valueOf(LIBRARY);
    let result = this.texts(name, MEMORY, given);
    const kind = MAKES_OBJECT.test(name) || !handsBack(name, names) ? LIBRARY : MADE;
    // An object of a library has the methods of that, whatever it was made from.
    const isTool = this.isOfTool(name);
    if (kind === LIBRARY || isTool) result = withOrigins(result, isTool ? [`${name}()`] : []);
    return withBits(result, names.makers.has(name) ? kind | (result.bits & BLIND) : result.bits | kind);
  }

  protected changeAll(): void {
    if (!this.changesAll) this.version += 1;
    this.changesAll = true;
  }

  /** `object.name()` */
  protected callMethod(object: Value, name: string, given: readonly Argument[], call: Written): Value {
    const { place, args } = call;
    for (const { value, part } of given) this.used(value, part);
    const { methods, memoryMethods, makers, looks, paths, walkers } = this.names;
    const isOwn = (object.bits & (OUTSIDE | LIBRARY)) === 0 && !this.language.isOfHost(name);
    const own = isOwn ? this.methods.get(name) : undefined;
    const dotted = `.${name}`;
    const of = { value: object, part: call.callee.kind === 'member' ? call.callee.object : call.callee };
    const special = own ? undefined : this.language.special({ name: dotted, object, of, given, place, args }, this);
    if (special) return special;
    if (!own && this.names.connects.has(dotted) && isClient(object)) return valueOf(object.bits);
    const computed = this.#computed(memberOf(object.origins, name), given);
    if (computed) return computed;
    const isMaker = makers.has(dotted);
    const isListed = !this.language.isHidden(name) && (methods.has(name) || isMaker);
    const pathOf = () => [...this.#pathOf(call.callee), name];
    const tools = () => memberOf(this.#toolNames(object), name);
    const made = this.found.members.has(name) ? undefined : of.part;
    if (!isListed && !own && !(memoryMethods.has(name) && this.isMade(object, made))) {
      const deed = () => this.#deedOn(of, dotted, given, place);
      return this.#unlisted(call, pathOf().join('.'), deed, { tools: tools(), given });
    }
    const isGrave = () => this.#known.isGrave({ path: pathOf(), arguments: args, at: place.from, end: place.to });
    const isOutside = (object.bits & OUTSIDE) !== 0 && !isMaker;
    if (RUNS_ITSELF.test(name) && (object.bits & (UNSEEN | GIVEN)) !== 0)
      return this.act(place, pathOf().join('.'), args);
    const changes = own !== undefined || this.names.changes.has(name) || memoryMethods.has(name);
    const isActing = (isOutside && isGrave()) || ((object.bits & CLIENT) !== 0 && changes);
    // `items.find("delete from items")`
    const isTold = () => given.some(({ part }) => this.constants.of(part).some((text) => /\w\s/.test(text)));
    if (isActing || (isFree(object.bits) && !isMaker && (!looks.has(name) || isTold()))) {
      this.#hand(dotted, object, given, call);
      return this.callTool(tools(), given, call, isActing || changes ? undefined : 'computes');
    }
    if (own) {
      let result = together(object, allOf(given));
      for (const one of own) {
        this.give(one, allOf(given));
        result = together(result, one.returns);
      }
      for (const { value } of given) this.store(value);
      return result;
    }
    if (paths.has(dotted)) this.opens(of, place);
    this.#hand(dotted, object, given, call);
    const result = walkers.has(dotted) ? walked(together(object, allOf(given))) : this.texts(dotted, object, given);
    if (isMaker) return paths.has(dotted) ? valueOf(LIBRARY) : withBits(result, LIBRARY | (result.bits & BLIND));
    for (const { value } of given) if (!value.own) this.store(value);
    const put = allOf(given);
    const isPut = memoryMethods.has(name) || this.names.changes.has(name);
    if (isPut && call.callee.kind === 'member' && (put.texts.length > 0 || (put.bits & BLIND) !== 0))
      this.widen(call.callee.object, inList(put));
    return result;
  }

  /** What a method does that is listed as one that acts. An object that nobody knows may do something else by the usual names. */
  #deedOn(of: Argument, name: string, given: readonly Argument[], place: Place): Deed | undefined {
    // Nobody sees what a frame holds that nothing defines.
    if (this.names.writes.has(name) && isFree(of.value.bits) && isNameless(of.value.origins)) return undefined;
    if (this.names.vague.has(name) && (of.value.bits & ANYTHING) !== MADE) return undefined;
    return this.deedOf(name, of, given, place);
  }

  /** A call of a value. */
  protected callValue(value: Value, given: readonly Argument[], call: Written): Value {
    if (value.name !== undefined) return this.callNamed(value.name, given, call);
    for (const { value: one, part } of given) this.used(one, part);
    for (const one of given) this.store(one.value);
    if (value.own) {
      this.give(value.own, allOf(given));
      return value.own.isClass ? valueOf(value.own.base) : value.own.returns;
    }
    const computed = this.#computed(value.origins, given);
    if (computed) return computed;
    const mayBeUnseen = ((value.bits | (this.stored & ~GIVEN)) & (UNSEEN | GIVEN)) !== 0;
    // A parameter is surely no function of a tool.
    if ((value.bits & GIVEN) !== 0 && !isFree(value.bits)) return this.act(call.place);
    if (mayBeUnseen) return this.callTool(this.#toolNames(value), given, call);
    return together(value, allOf(given));
  }

  /** The names in front of a call, as they are written. */
  #pathOf(callee: Part): string[] {
    const names = this.textOf(callee).match(/[A-Za-z_$][\w$]*/g) ?? [];
    return (callee.kind === 'member' ? names.slice(0, -1) : names).slice(-MAX_PATH);
  }
}
