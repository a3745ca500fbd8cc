// Judges what the parts of a program do, in whichever language: names, members, calls, assignments. What is not listed is an act.
import type { ProgramNames } from '../../lexicon/programs.ts';
import { isSecretName } from '../code.ts';
import type { Node } from './tree.ts';
import {
  ANYTHING,
  CLIENT,
  either,
  isFree,
  letGo,
  LIBRARY,
  MADE,
  MEMORY,
  OUTSIDE,
  type Own,
  type Scope,
  UNSEEN,
  type Value,
  valueOf,
} from './values.ts';

/** What a program does beside computing and reading. */
export interface Act {
  /** The names before the parenthesis of a call: `os.remove`. Empty for what is not understood. */
  readonly path: readonly string[];
  readonly arguments: string;
  readonly at: number;
  readonly end: number;
  /** A function of a library of which some functions are listed, and not this one. */
  readonly isOfListed?: boolean;
}

/** What is known of single calls. */
export interface KnownCalls {
  /** Whether a call on something from outside does more than its name is listed for, by its object or its arguments. */
  isGrave(act: Act): boolean;
  /** Whether a call reads, by its name and its arguments. */
  reads(act: Act): boolean;
}

export interface Argument {
  readonly value: Value;
  readonly node: Node;
  /** The name that it is given by. */
  readonly keyword?: string | undefined;
}

/** A call that a language treats by itself; undefined for one that it does not. */
export interface Called {
  readonly name: string;
  readonly object: Value | undefined;
  readonly given: readonly Argument[];
  readonly node: Node;
}

const MAX_PASSES = 8;
const MAX_ACTS = 60;
const MAX_PATH = 12;

export abstract class Judge {
  protected readonly text: string;
  protected readonly names: ProgramNames;
  protected scope: Scope;
  readonly #scopes = new Map<number, Scope>();
  readonly #owns = new Map<number, Own>();
  /** Members of objects of own classes, by name. */
  protected readonly members = new Map<string, Value>();
  /** Functions in classes and objects, by name. */
  protected readonly methods = new Map<string, Set<Own>>();
  acts: Act[] = [];
  /** What has been put into an object or a list, which other variables may hold too. */
  #stored = MADE;
  #version = 0;
  /** It opens a file to read it. */
  opens = false;

  readonly #known: KnownCalls;

  constructor(text: string, names: ProgramNames, known: KnownCalls) {
    this.#known = known;
    this.text = text;
    this.names = names;
    this.scope = { values: new Map(), above: undefined, own: undefined, outer: new Set(), isClass: false };
  }

  /** Functions of the language that `special` treats. */
  protected abstract readonly treated: ReadonlySet<string>;
  protected abstract run(root: Node): void;
  protected abstract evaluate(node: Node): Value;
  /** What a call does that this language treats by itself. */
  protected abstract special(called: Called): Value | undefined;
  /** Names of members by which everything can be reached. */
  protected abstract isHiddenName(name: string): boolean;

  /** Judges a program: again and again, until nothing new is known of its variables. @returns all its acts */
  judge(root: Node): readonly Act[] {
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const before = this.#version;
      this.acts = [];
      this.run(root);
      for (const own of this.#owns.values())
        if (!own.isCalled) {
          own.isCalled = true;
          this.give(own, OUTSIDE);
        }
      if (this.#version === before && pass > 0) return this.acts;
    }
    this.act(root);
    return this.acts;
  }

  /** @param name of what is called; absent for what is not understood */
  protected act(node: Node, name = '', args = ''): Value {
    if (this.acts.length < MAX_ACTS)
      this.acts.push({
        path: name === '' ? [] : name.split('.').slice(-MAX_PATH),
        arguments: args,
        at: node.from,
        end: node.to,
      });
    return valueOf(ANYTHING);
  }

  protected textOf = (node: Node): string => this.text.slice(node.from, node.to);

  // Variables

  protected within<T>(node: Node, own: Own | undefined, isClass: boolean, body: () => T): T {
    const above = this.scope;
    let scope = this.#scopes.get(node.from);
    if (scope === undefined) {
      scope = { values: new Map(), above, own, outer: new Set(), isClass };
      this.#scopes.set(node.from, scope);
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

  /** Whether names that are defined here are surely those of a function. */
  protected isInFunction(): boolean {
    for (let scope: Scope | undefined = this.scope; scope; scope = scope.above) if (scope.own) return !scope.isClass;
    return false;
  }

  #scopeOf(name: string): Scope | undefined {
    for (let scope: Scope | undefined = this.scope; scope; scope = scope.above)
      // Names of a class are not those of its functions.
      if (!scope.outer.has(name) && scope.values.has(name) && !(scope.isClass && scope !== this.scope)) return scope;
    return undefined;
  }

  /** @param from the scope in which the name is defined, if not this one */
  protected define(name: string, value: Value, from: Scope = this.scope): void {
    let scope = from;
    while (scope.outer.has(name) && scope.above) scope = scope.above;
    const before = scope.values.get(name);
    const after = either(before, value);
    if (before !== after) this.#version += 1;
    scope.values.set(name, after);
    if (scope.isClass) this.setMember(name, value);
  }

  /** Gives a variable another value, wherever it was defined. */
  protected reassign(name: string, value: Value): void {
    const scope = this.#scopeOf(name);
    // What is nowhere declared may be of the language.
    this.define(name, scope ? value : valueOf(ANYTHING), scope ?? this.scope);
  }

  protected variable(name: string): Value {
    const scope = this.#scopeOf(name);
    const value = scope?.values.get(name);
    if (value !== undefined) return value;
    if (this.names.roots.has(name) || this.treated.has(name)) return this.named(name);
    const usual = this.names.usual.get(name);
    return usual === undefined ? valueOf(ANYTHING) : this.named(usual);
  }

  /** A function, object or module that is not of the program. */
  protected named(name: string): Value {
    const kind = name.includes('.') ? LIBRARY : MADE;
    return { bits: this.names.clients.has(name) ? OUTSIDE | CLIENT : kind, name };
  }

  /** What objects of a class are that extends another. */
  protected baseOf({ bits, name, own }: Value, node: Node): number {
    if (own) return own.base;
    if (name === undefined && (bits & UNSEEN) !== 0) this.act(node);
    return (bits & ~LIBRARY) | (name !== undefined && HAS_MANY_METHODS.test(name) ? LIBRARY : MADE);
  }

  /** A member of an object gets a value. What is not of the program is changed by that, unless its own objects have such a member. */
  protected assignMember(object: Value, name: string, value: Value, node: Node): void {
    if (this.isHiddenName(name)) this.act(node);
    if ((object.bits & OUTSIDE) === 0 || this.members.has(name)) this.setMember(name, value);
    else this.act(node);
  }

  protected setMember(name: string, value: Value): void {
    this.store(value);
    const before = this.members.get(name);
    const after = either(before, value);
    if (before !== after) this.#version += 1;
    this.members.set(name, after);
  }

  /** Something is put where other variables may find it. */
  protected store(value: Value): void {
    letGo(value);
    if ((this.#stored | value.bits) === this.#stored) return;
    this.#stored |= value.bits;
    this.#version += 1;
  }

  // Functions

  protected own(node: Node, isClass = false): Own {
    let own = this.#owns.get(node.from);
    if (own === undefined) {
      own = { given: MADE, returns: MADE, isCalled: false, isClass, base: MADE };
      this.#owns.set(node.from, own);
    }
    return own;
  }

  protected method(name: string, own: Own): void {
    const known = this.methods.get(name) ?? new Set();
    this.methods.set(name, known.add(own));
  }

  protected give(own: Own, bits: number): void {
    own.isCalled = true;
    if ((own.given | bits) === own.given) return;
    own.given |= bits;
    this.#version += 1;
  }

  protected returned(value: Value): void {
    const used = this.used(value);
    letGo(used);
    for (let scope: Scope | undefined = this.scope; scope; scope = scope.above)
      if (scope.own) {
        if ((scope.own.returns | used.bits) !== scope.own.returns) {
          scope.own.returns |= used.bits;
          this.#version += 1;
        }
        return;
      }
  }

  // What is named

  /** A value that is used as one: what is not of the program must be listed. */
  protected used(value: Value, node?: Node): Value {
    if (value.name === undefined) return value;
    if (this.isListed(value.name) && !this.isDecided(value.name)) return value;
    return node ? this.act(node, value.name) : valueOf(ANYTHING);
  }

  /** Whether a global object may have a member of this name which acts: `this` of a method may be that object. */
  protected isOfHost(_name: string): boolean {
    return false;
  }

  /** Whether the arguments of a function decide what it does: nobody knows what it does where it is handed on. */
  protected abstract isDecided(name: string): boolean;

  /** Names that are listed, if not by the tables. */
  protected isAlsoListed(_name: string): boolean {
    return false;
  }

  protected isListed(name: string): boolean {
    if (this.isAlsoListed(name)) return true;
    return this.names.functions.has(name) && !name.split('.').some((part) => this.isHiddenName(part));
  }

  /** `object.name`, which is not called. */
  protected member(object: Value, name: string, node: Node): Value {
    if (object.name !== undefined) {
      if (this.isHiddenName(name)) return this.act(node, `${object.name}.${name}`);
      return this.named(`${object.name}.${name}`);
    }
    if (this.isHiddenName(name)) return this.act(node);
    const { methods, memoryMethods, makers } = this.names;
    const isMethod = methods.has(name) || makers.has(`.${name}`) || (memoryMethods.has(name) && this.#isMade(object));
    const kept = this.members.get(name);
    const own = this.methods.get(name);
    for (const one of own ?? []) letGo({ bits: MADE, own: one });
    // An object of a library has members of its own, by whatever name.
    const isUnseen = ((object.bits & LIBRARY) !== 0 && !isMethod) || this.isOfHost(name);
    if (kept !== undefined)
      return valueOf(
        object.bits | kept.bits | (isUnseen ? UNSEEN : MADE) | (kept.name === undefined ? MADE : ANYTHING),
      );
    return valueOf(isMethod || own ? object.bits : object.bits | UNSEEN);
  }

  /** Whether an object is surely one in memory. */
  #isMade(object: Value): boolean {
    return ((object.bits & ~LIBRARY) | (this.#stored & OUTSIDE)) === MADE;
  }

  // What is called

  /** What is handed to a function that it may call. */
  #hand(name: string, object: Value, given: readonly Argument[], node: Node): void {
    const calls = this.names.callers.has(name);
    for (const { value, keyword, node: at } of given) {
      if (value.own) {
        // What a promise hands to its function are functions.
        let bits = name === 'Promise' ? OUTSIDE : object.bits;
        for (const other of given) if (other.value !== value) bits |= other.value.bits;
        this.give(value.own, bits);
      } else if ((calls || CALLED.has(keyword ?? '')) && (value.bits & UNSEEN) !== 0 && !holdsValues(at))
        this.act(node);
      else if (calls && value.name !== undefined) this.used(value, at);
    }
  }

  /** A call that no table has: its name and its arguments may say that it reads. What it gives is not of the program. */
  #unlisted(node: Node, name: string, isOfListed = false): Value {
    const act = {
      isOfListed,
      path: name.split('.').slice(-MAX_PATH),
      arguments: this.argumentsOf(node),
      at: node.from,
      end: node.to,
    };
    const isHidden = name.split('.').some((part) => this.isHiddenName(part));
    return !isHidden && this.#known.reads(act) ? valueOf(OUTSIDE) : this.act(node, name, act.arguments);
  }

  /** A call of `name`, which is not of the program. */
  protected callNamed(name: string, given: readonly Argument[], node: Node): Value {
    const special = this.special({ name, object: undefined, given, node });
    for (const { value, node: at } of given) if (special?.name === undefined) this.used(value, at);
    if (special) return special;
    if (!this.isListed(name))
      return this.#unlisted(node, name, IMPORTS.test(this.text) && this.names.roots.has(name.split('.', 1)[0] ?? ''));
    if (this.names.openers.has(name)) this.opens = true;
    this.#hand(name, MEMORY, given, node);
    if (this.names.clients.has(name)) return valueOf(OUTSIDE | CLIENT);
    const kind = MAKES_OBJECT.test(name) || !HANDS_BACK.test(name) ? LIBRARY : MADE;
    return valueOf(this.names.makers.has(name) ? kind : bitsOf(given) | kind);
  }

  /** `object.name()` */
  protected callMethod(object: Value, name: string, given: readonly Argument[], node: Node): Value {
    for (const { value, node: at } of given) this.used(value, at);
    const { methods, memoryMethods, makers } = this.names;
    const isOwn = (object.bits & (OUTSIDE | LIBRARY)) === 0 && !this.isOfHost(name);
    const own = isOwn ? this.methods.get(name) : undefined;
    const special = own ? undefined : this.special({ name: `.${name}`, object, given, node });
    if (special) return special;
    let bits = object.bits | bitsOf(given);
    const isMaker = makers.has(`.${name}`);
    const isListed = !this.isHiddenName(name) && (methods.has(name) || isMaker);
    if (!isListed && !own && !(memoryMethods.has(name) && this.#isMade(object)))
      return this.#unlisted(node, [...this.#pathOf(node), name].join('.'));
    const act = { path: [...this.#pathOf(node), name], arguments: this.argumentsOf(node), at: node.from, end: node.to };
    const isOutside = (object.bits & OUTSIDE) !== 0 && !isMaker;
    const isSafe = isMaker || this.names.looks.has(name);
    if (
      (isFree(object.bits) && !isSafe) ||
      (isOutside && this.#known.isGrave(act)) ||
      ((object.bits & CLIENT) !== 0 && CHANGES.test(name)) ||
      (RUNS_ITSELF.test(name) && (object.bits & UNSEEN) !== 0)
    )
      return this.act(node, act.path.join('.'), act.arguments);
    if (own) {
      for (const one of own) {
        this.give(one, bitsOf(given));
        bits |= one.returns;
      }
      for (const { value } of given) this.store(value);
      return valueOf(bits);
    }
    this.#hand(`.${name}`, object, given, node);
    if (isMaker) return valueOf(LIBRARY);
    for (const { value } of given) if (!value.own) this.store(value);
    return valueOf(bits);
  }

  /** A call of a value. */
  protected callValue(value: Value, given: readonly Argument[], node: Node): Value {
    if (value.name !== undefined) return this.callNamed(value.name, given, node);
    for (const { value: one, node: at } of given) this.used(one, at);
    if (value.own) {
      this.give(value.own, bitsOf(given));
      for (const one of given) this.store(one.value);
      return valueOf(value.own.isClass ? value.own.base : value.own.returns);
    }
    const mayBeUnseen = ((value.bits | this.#stored) & UNSEEN) !== 0;
    for (const one of given) this.store(one.value);
    return mayBeUnseen
      ? this.act(node, this.#pathOf(node).join('.'), this.argumentsOf(node))
      : valueOf(value.bits | bitsOf(given));
  }

  /** The names in front of a call, as they are written. */
  #pathOf(node: Node): string[] {
    const [callee] = node.children.filter(({ type }) => type !== 'new');
    const text = callee ? this.textOf(callee) : '';
    const names = text.match(/[A-Za-z_$][\w$]*/g) ?? [];
    return (callee?.type === 'MemberExpression' ? names.slice(0, -1) : names).slice(-MAX_PATH);
  }

  protected argumentsOf(node: Node): string {
    const list = node.children.find(({ type }) => type === 'ArgList');
    return list ? this.text.slice(list.from + 1, list.to - 1) : '';
  }
}

/** Functions of the language, and of modules about its own values: what they give may be an object of the program that they were given. */
const HANDS_BACK =
  /^(?:[^.]+|(?:asyncio|bisect|collections|concurrent\.futures|contextlib|copy|dataclasses|functools|heapq|itertools|lodash|operator|queue|random|types|Array|Map|Object|Promise)\..+)$/;

/** A program that loads libraries, so that a name like one is not that of a tool. */
const IMPORTS = /\b(?:import|require)\b/;

/** Types that can write by methods which a program may have too, by the same name. */
const HAS_MANY_METHODS = /^(?:pandas|polars|numpy|pathlib|PIL|matplotlib|networkx|logging|rich|io|configparser)\./;

/** Methods that change a list or a set, and what a client stores. */
const CHANGES = /^(?:append|appendleft|add|extend|insert|sort|copy|setdefault|start|push|unshift)$/;

/** A type, or a method of one: what it gives is an object. */
const MAKES_OBJECT = /(?:^|\.)[A-Z]\w*(?:\.\w+)?$/;

/** Methods of functions that call them. */
const RUNS_ITSELF = /^(?:call|apply|bind)$/;

/** Arguments by these names are functions that are called. */
const CALLED: ReadonlySet<string> = new Set(
  'key default default_factory object_hook object_pairs_hook func function aggfunc converters target callback initializer parse_float parse_int parse_constant'.split(
    ' ',
  ),
);

/** Whether a variable of the environment holds no credential and no address by its name. */
export const isPlainVariable = (name: string): boolean =>
  /^\w{1,60}$/.test(name) &&
  !isSecretName(name) &&
  !/key|pass|auth|cred|url|dsn|conn|cert|sign|salt|private|webhook/i.test(name);

/** Whether it is surely no function: a list or another value that is written out. */
const holdsValues = ({ type }: Node): boolean =>
  /^(?:Array|Tuple|Set|Dictionary|Object)Expression$|Comprehension|String$|^(?:Number|this)$/.test(type);

export const bitsOf = (given: readonly Argument[]): number =>
  given.reduce((bits, { value }) => bits | value.bits, MADE);
