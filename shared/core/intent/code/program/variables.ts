// What is known of the variables of a program and of the members of its objects, and the acts that were found.
import type { ProgramNames } from '../../lexicon/programs.ts';
import type { Act, Deed } from './acts.ts';
import type { Language } from './language.ts';
import type { FunctionPart, ClassPart, Part, Place } from './parts.ts';
import {
  BLIND,
  either,
  GIVEN,
  isSame,
  letGo,
  LIBRARY,
  CLIENT,
  MADE,
  MEMORY,
  OUTSIDE,
  type Own,
  type Scope,
  together,
  UNKNOWN,
  type Value,
  valueOf,
  withBits,
  withOrigins,
} from './values.ts';

/** Of more acts than these nobody sees what they do. */
const MAX_ACTS = 60;
export const MAX_PATH = 12;

export class Variables {
  readonly text: string;
  readonly names: ProgramNames;
  readonly language: Language;
  acts: Act[] = [];
  protected scope: Scope = { values: new Map(), above: undefined, own: undefined, outer: new Set(), isClass: false };
  /** Grows with each thing that becomes known. */
  protected version = 0;
  /** What has been put into an object or a list, which other variables may hold too. */
  protected stored = MADE;
  /** Members of objects of own classes, by name. */
  protected readonly members = new Map<string, Value>();
  /** Functions in classes and objects, by name. */
  protected readonly methods = new Map<string, Set<Own>>();
  protected readonly owns = new Map<number, Own>();
  readonly #named = new Map<string, Value>();
  readonly #scopes = new Map<number, Scope>();

  constructor(text: string, names: ProgramNames, language: Language) {
    this.text = text;
    this.names = names;
    this.language = language;
  }

  /** @param name of what is called; absent for what is not understood */
  act(place: Place, name = '', args = ''): Value {
    const path = name === '' ? [] : name.split('.').slice(-MAX_PATH);
    this.#found({ path, arguments: args, at: place.from, end: place.to });
    return UNKNOWN;
  }

  /** It does what is known. */
  protected perform(deed: Deed, { from: at, to: end }: Place, name: string, args: string): void {
    this.#found({ path: name.split('.').slice(-MAX_PATH), arguments: args, at, end, deed });
  }

  #found(act: Act): void {
    if (this.acts.length < MAX_ACTS) this.acts.push(act);
    else if (!this.hasTooManyActs) this.acts.push({ ...act, deed: undefined });
  }

  /** There are more acts than are read. */
  get hasTooManyActs(): boolean {
    return this.acts.length > MAX_ACTS;
  }

  textOf = ({ from, to }: Place): string => this.text.slice(from, to);

  protected within<T>({ from }: Place, own: Own | undefined, isClass: boolean, body: () => T): T {
    const above = this.scope;
    let scope = this.#scopes.get(from);
    if (scope === undefined) {
      scope = { values: new Map(), above, own, outer: new Set(), isClass };
      this.#scopes.set(from, scope);
    }
    this.scope = scope;
    const result = body();
    this.scope = above;
    return result;
  }

  /** In the scope of the function around this one: that of `var`. */
  protected inFunction(body: () => void): void {
    const inner = this.scope;
    while (this.scope.above && this.scope.own === undefined) this.scope = this.scope.above;
    body();
    this.scope = inner;
  }

  /** Whether a name that is defined here is surely one of a function. */
  #isInFunction(name: string): boolean {
    for (let scope: Scope | undefined = this.scope; scope && !scope.outer.has(name); scope = scope.above)
      if (scope.own) return !scope.isClass;
    return false;
  }

  #scopeOf(name: string): Scope | undefined {
    for (let scope: Scope | undefined = this.scope; scope; scope = scope.above) {
      // Names of a class are not those of its functions.
      const isSeen = !scope.isClass || scope === this.scope || name === 'this';
      if (isSeen && !scope.outer.has(name) && scope.values.has(name)) return scope;
    }
    return undefined;
  }

  /** A name is given to something: one of the language may stay what it is, elsewhere or earlier. */
  protected checkName(name: string, place: Place): void {
    if (this.language.isHidden(name) || (this.language.isKept(name) && !this.#isInFunction(name))) this.act(place);
  }

  /** A name of this scope is that of a scope above. */
  protected addOuter(name: string): void {
    if (!this.scope.outer.has(name)) this.version += 1;
    this.scope.outer.add(name);
  }

  /** @param from the scope in which the name is defined, if not this one */
  protected define(name: string, value: Value, from: Scope = this.scope): void {
    let scope = from;
    while (scope.outer.has(name) && scope.above) scope = scope.above;
    const before = scope.values.get(name);
    const after = either(before, value);
    if (before === undefined || !isSame(before, after)) {
      this.version += 1;
      scope.values.set(name, after);
    }
    if (scope.isClass && name !== 'this' && !value.own) this.setMember(name, value);
  }

  /** Gives a variable another value, wherever it was defined. */
  protected reassign(name: string, value: Value): void {
    const scope = this.#scopeOf(name);
    // What is nowhere declared may be of the language.
    this.define(name, scope ? value : UNKNOWN, scope ?? this.scope);
  }

  /** Something was put into what a variable or a member holds. */
  protected widen(part: Part, value: Value): void {
    if (part.kind === 'name') {
      const scope = this.#scopeOf(part.name);
      const before = scope?.values.get(part.name);
      if (scope && before && before.name === undefined && !before.own)
        this.define(part.name, together(before, stringsOf(value)), scope);
    } else if (part.kind === 'member') this.#widenMember(part.name, value);
    else if (part.kind === 'index') this.widen(part.object, value);
    else if (part.kind === 'call' && part.callee.kind === 'member') this.widen(part.callee.object, value);
  }

  #widenMember(name: string, value: Value): void {
    const before = this.members.get(name);
    if (before && before.name === undefined && !before.own) this.setMember(name, stringsOf(value));
  }

  protected variable(name: string): Value {
    const value = this.#scopeOf(name)?.values.get(name);
    if (value !== undefined) return value;
    if (this.names.roots.has(name) || this.language.treated.has(name)) return this.named(name);
    const usual = this.names.usual.get(name);
    return usual === undefined ? this.#undefined(name) : this.named(usual);
  }

  readonly #free = new Map<string, Value>();
  /** A name that nothing defines. */
  #undefined(name: string): Value {
    let value = this.#free.get(name);
    if (value === undefined) {
      value = withOrigins(UNKNOWN, [name]);
      this.#free.set(name, value);
    }
    return value;
  }

  /** A function, object or module that is not of the program. */
  named(name: string): Value {
    let value = this.#named.get(name);
    if (value === undefined) {
      value = this.#valueOfName(name);
      this.#named.set(name, value);
    }
    return value;
  }

  #valueOfName(name: string): Value {
    const kind = (name.includes('.') ? LIBRARY : MADE) | (this.names.blind.has(name) ? BLIND : MADE);
    return { ...valueOf(this.names.clients.has(name) ? OUTSIDE | CLIENT : kind), name };
  }

  protected setMember(name: string, value: Value): void {
    this.store(value);
    const before = this.members.get(name);
    const after = either(before, value);
    if (before !== undefined && isSame(before, after)) return;
    this.version += 1;
    this.members.set(name, after);
  }

  /** Something is put where other variables may find it. */
  protected store(value: Value): void {
    letGo(value);
    if ((this.stored | value.bits) === this.stored) return;
    this.stored |= value.bits;
    this.version += 1;
  }

  // Functions

  protected own(part: FunctionPart | ClassPart): Own {
    let own = this.owns.get(part.from);
    if (own === undefined) {
      own = { given: MEMORY, returns: MEMORY, isCalled: false, isClass: part.kind === 'class', base: MADE };
      this.owns.set(part.from, own);
    }
    return own;
  }

  protected method(name: string, own: Own): void {
    const known = this.methods.get(name) ?? new Set();
    this.methods.set(name, known.add(own));
  }

  protected give(own: Own, value: Value): void {
    own.isCalled = true;
    const after = together(own.given, value);
    if (isSame(after, own.given)) return;
    own.given = after;
    this.version += 1;
  }

  protected giveBack(value: Value): void {
    letGo(value);
    for (let scope: Scope | undefined = this.scope; scope; scope = scope.above)
      if (scope.own) {
        const after = together(scope.own.returns, value);
        if (isSame(after, scope.own.returns)) return;
        scope.own.returns = after;
        this.version += 1;
        return;
      }
  }

  /** What nothing calls is called from outside. */
  protected giveFromOutside(): void {
    for (const own of this.owns.values()) if (!own.isCalled) this.give(own, valueOf(OUTSIDE | GIVEN));
  }
}

/** What is known of the strings of a value, and nothing else. */
const stringsOf = (value: Value): Value => withBits(value, value.bits & BLIND);
