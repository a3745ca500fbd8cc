// Judges a program part by part, in whichever language: what is assigned, defined, called and given back.
import { Bindings } from './bindings.ts';
import type { Written } from './calls.ts';
import { type Argument, SPREAD, textIn } from './language.ts';
import type { ClassPart, FunctionPart, Parameter, Part, Place } from './parts.ts';
import {
  altered,
  BLIND,
  elementOf,
  inList,
  isFree,
  isNameless,
  letGo,
  LIBRARY,
  MADE,
  MEMORY,
  memberOf,
  OUTSIDE,
  CLIENT,
  type Own,
  type Scope,
  textValue,
  together,
  UNKNOWN,
  UNSEEN,
  type Value,
  valueOf,
  withBits,
  withOrigins,
} from './values.ts';
import type { Act } from './acts.ts';

const MAX_PASSES = 8;

/** What makes a client is named so: \`new WebClient({ token })\`, \`connect(url)\`. */
const CLIENT_NAME =
  /^(?:[A-Z]\w*|connect(?:ion)?|create_?(?:[Ee]ngine|[Cc]lient|[Pp]ool|[Cc]onnection)|login|authenticate|from_?[Uu]rl)$/;

/** Types that can write by methods which a program may have too, by the same name. */
const HAS_MANY_METHODS = /^(?:pandas|polars|numpy|pathlib|PIL|matplotlib|networkx|logging|rich|io|configparser)\./;

export class Judge extends Bindings {
  /** All functions are known, so that more acts than are read are too many whatever else becomes known. */
  #isAgain = false;

  /** Judges a program: again and again, until nothing new is known of its variables. @returns all its acts */
  judge(root: Part): readonly Act[] {
    this.root = root;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const before = this.version;
      this.#isAgain = pass > 0;
      this.acts = [];
      this.take(root);
      this.giveFromOutside();
      // Without functions of its own, nothing that is defined later counts earlier.
      const isSettled = this.version === before && (pass > 0 || this.owns.size === 0);
      if (isSettled || (pass > 0 && this.hasTooManyActs)) return this.acts;
    }
    this.act(root);
    return this.acts;
  }

  evaluate(part: Part): Value {
    switch (part.kind) {
      case 'literal':
        if (part.isBlind === true) return valueOf(BLIND);
        return part.text === undefined ? MEMORY : textValue(part.text);
      case 'name':
        return this.name(part.name, part);
      case 'member':
        return this.member(this.evaluate(part.object), part.name, part);
      case 'index':
        return this.index(part);
      case 'call':
        return this.call(part);
      case 'values': {
        const all = this.takeAll(part.parts);
        if (part.makes === 'answer') return valueOf(all.bits & ~BLIND);
        return part.makes === 'list' ? inList(all) : all;
      }
      case 'object':
        return this.object(part);
      case 'asked': {
        const object = this.evaluate(part.object);
        const name = this.take(part.name);
        return object.name === this.language.environment ? MEMORY : together(name, this.used(object, part));
      }
      case 'each':
        return this.within(part, undefined, false, () => {
          for (const loop of part.loops) this.take(loop);
          return inList(this.takeAll(part.results));
        });
      case 'bind': {
        const value = this.evaluate(part.value);
        const bind = () => {
          for (const target of part.targets) this.bind(target, value, part.isNew, part.value);
        };
        if (part.isVar) this.inFunction(bind);
        else bind();
        return value;
      }
      case 'return':
        for (const one of part.parts) this.giveBack(this.used(this.evaluate(one)));
        return part.isYield ? UNKNOWN : MEMORY;
      case 'function':
        return this.function(part, this.own(part));
      case 'class':
        return this.class(part);
      case 'act': {
        for (const one of part.parts) this.take(one);
        return this.act(part, part.name);
      }
      default:
        this.statement(part);
        return MEMORY;
    }
  }

  protected statement(part: Part): void {
    switch (part.kind) {
      case 'block':
        if (part.isScope) return this.within(part, undefined, false, () => this.block(part.parts));
        return this.block(part.parts);
      case 'loop': {
        const element = elementOf(this.take(part.list));
        for (const target of part.targets) this.bind(target, element, true, part.list);
        return;
      }
      case 'with': {
        const opened = this.evaluate(part.value);
        const isSession =
          opened.name !== undefined && this.names.modules.has(opened.name) && part.value.kind === 'call';
        const value = isSession ? opened : this.used(opened, part.value);
        // What happens at its end is not seen.
        if (isFree(value.bits) && isNameless(value.origins)) this.act(part.value);
        if (part.target) this.bind(part.target, value, true, part.value);
        return;
      }
      case 'import':
        this.loads(part.module, part);
        for (const { as, name } of part.names) {
          this.checkName(as, part);
          if (this.language.isHidden(name.slice(part.module.length + 1))) this.act(part);
          this.define(as, this.named(name));
        }
        return;
      case 'remove':
        for (const target of part.targets) this.remove(target);
        return;
      case 'outer':
        for (const name of part.names) this.addOuter(name);
        return;
      case 'field': {
        const value = part.value ? this.take(part.value) : (this.scope.own?.given ?? MEMORY);
        return this.setMember(part.name, value);
      }
      case 'decorated':
        return this.decorated(part.decorators, part.of);
      default:
        this.act(part);
    }
  }

  protected block(parts: readonly Part[]): void {
    // Functions are defined before the other statements are judged.
    if (!this.scope.isClass)
      for (const part of parts)
        if (part.kind === 'function' && part.role === 'statement')
          this.define(part.name, { ...MEMORY, own: this.own(part) });
    for (const part of parts) {
      if (this.#isAgain && this.hasTooManyActs) return;
      if (part.kind === 'bind') this.evaluate(part);
      else this.take(part);
    }
  }

  // Names and members
  protected name(name: string, place: Place): Value {
    const value = this.variable(name);
    const isUndefined =
      value.name === undefined &&
      value.own === undefined &&
      value.bits === UNKNOWN.bits &&
      (value.origins.length === 0 || value.origins[0] === name);
    const acts = (isUndefined && this.language.isActing(name)) || this.language.isHidden(name);
    return acts ? this.act(place, name) : value;
  }

  protected index(part: Part & { kind: 'index' }): Value {
    const object = this.evaluate(part.object);
    const [first] = part.keys;
    const key = textIn(first);
    if (object.name === this.language.environment && this.mayReadVariable(key, part)) return MEMORY;
    const used = this.used(object, part.object);
    if (this.language.keysAreMembers && key !== undefined && this.language.isHidden(key)) return this.act(part);
    this.takeAll(part.keys);
    const isNumber = first?.kind === 'literal' && first.text === undefined;
    // It may be any member: `Array["proto" + "type"]`.
    if (this.language.keysAreMembers && object.name !== undefined && key === undefined && !isNumber)
      return this.act(part, object.name);
    const kept = key === undefined ? undefined : this.members.get(key);
    const read = part.isCut ? altered(used) : key !== undefined && used.depth === 0 ? used : elementOf(used);
    const either = kept === undefined ? read : together(read, kept);
    const value = used.origins.length === 0 ? either : withOrigins(either, this.originsOf(used, first));
    return this.language.keysAreMembers && !isNumber ? withBits(value, value.bits | UNSEEN) : value;
  }

  /** Of an element by its key, or of one of which the key is not known. */
  protected originsOf({ origins }: Value, key: Part | undefined): readonly string[] {
    const [only, ...others] = this.constants.of(key);
    const name = only !== undefined && others.length === 0 && /^[A-Za-z]\w*$/.test(only) ? only : undefined;
    return name === undefined ? origins.map((one) => (one.endsWith(']') ? one : `${one}[]`)) : memberOf(origins, name);
  }

  protected object({ members }: Part & { kind: 'object' }): Value {
    let all = MEMORY;
    for (const { name, key, value: part } of members) {
      if (name !== undefined && this.language.isHidden(name)) this.act(part);
      if (part.kind === 'function' && part.role !== 'arrow' && part.role !== 'expression') {
        this.function(part, this.own(part));
        continue;
      }
      if (key) all = together(all, this.take(key));
      else if (name !== undefined) all = together(all, textValue(name));
      const value = this.take(part);
      if (name !== undefined) this.checkDecision(part);
      if (value.own && name !== undefined) this.method(name, value.own);
      letGo(value);
      all = together(all, value);
    }
    return inList(all);
  }

  protected function(part: FunctionPart, own: Own): Value {
    const { name, role } = part;
    const value: Value = { ...MEMORY, own };
    const isMember = role === 'method' || role === 'static' || role === 'constructor';
    if (role !== 'arrow' && role !== 'expression') this.checkDecision(part);
    if (isMember) {
      const of = this.scope.own;
      if (role === 'constructor') {
        if (of?.isCalled) this.give(own, of.given);
      } else if (name === '') letGo(value);
      else this.method(name, own);
      if (part.isGetter) this.setMember(name, own.returns);
    }
    if (role === 'statement' || (isMember && this.scope.isClass && !this.language.keysAreMembers)) {
      this.checkName(name, part);
      this.define(name, value);
    }
    const presets = part.parameters.map(({ preset }) => preset && this.take(preset));
    for (const preset of presets) if (preset) letGo(preset);
    const base = this.scope.own?.isClass === true ? this.scope.own.base : MADE;
    this.within(part, own, false, () => {
      if (this.language.keysAreMembers && role !== 'arrow') {
        this.define('this', isMember ? valueOf(base) : UNKNOWN);
        this.define('arguments', inList(own.given));
      }
      const hasSelf = !this.language.keysAreMembers && role !== 'static' && isMember;
      for (const [at, parameter] of part.parameters.entries()) {
        const self = hasSelf && at === 0;
        this.parameter(
          parameter,
          self ? valueOf((own.given.bits & ~(OUTSIDE | BLIND)) | base) : own.given,
          presets[at],
        );
      }
      if (part.isValue) this.giveBack(this.used(this.evaluate(part.body)));
      else this.take(part.body);
    });
    return value;
  }

  protected parameter({ target, isMemory, isMember }: Parameter, given: Value, preset: Value | undefined): void {
    const own = isMemory === true ? withBits(given, given.bits & ~(OUTSIDE | CLIENT)) : given;
    const value = preset ? together(own, this.used(preset)) : own;
    this.bind(target, value, true, target);
    if (isMember === true && target.kind === 'name') this.setMember(target.name, value);
  }

  protected class(part: ClassPart): Value {
    const own = this.own(part);
    const value: Value = { ...MEMORY, own };
    for (const base of part.bases) {
      const used = this.take(base);
      own.base |= this.baseOf(used, base);
      letGo(used);
    }
    if (part.name !== '') {
      this.checkName(part.name, part);
      this.define(part.name, value);
    }
    this.within(part, own, true, () => {
      if (this.language.keysAreMembers) this.define('this', valueOf(own.base));
      for (const one of part.body) this.take(one);
    });
    return value;
  }

  /** What objects of a class are that extends another. */
  protected baseOf({ bits, name, own, origins }: Value, place: Place): number {
    if (own) return own.base;
    if (name === undefined && (bits & UNSEEN) !== 0 && isNameless(origins)) this.act(place);
    return (bits & ~LIBRARY) | (name !== undefined && HAS_MANY_METHODS.test(name) ? LIBRARY : MADE);
  }

  baseOfClass(): number {
    let scope: Scope = this.scope;
    while (scope.above && !scope.isClass) scope = scope.above;
    return scope.own?.base ?? MADE;
  }

  protected decorated(decorators: readonly Part[], of: FunctionPart | ClassPart): void {
    for (const decorator of decorators) {
      const callee = decorator.kind === 'call' ? decorator.callee : decorator;
      // `@size.setter`
      const isSetter = callee.kind === 'member' && /^(?:setter|getter|deleter)$/.test(callee.name);
      if (isSetter && callee.object.kind === 'name' && this.members.has(callee.object.name)) continue;
      const value = this.evaluate(callee);
      const given = decorator.kind === 'call' ? this.arguments(decorator.given) : [];
      if (value.name !== undefined && decorator.kind === 'call')
        this.callNamed(value.name, given, this.written(decorator));
      else if (value.name !== undefined) this.used(value, decorator);
      else if (value.own) this.give(value.own, MEMORY);
      else {
        const call = { place: decorator, callee, args: '' };
        this.callTool(value.origins, given, decorator.kind === 'call' ? this.written(decorator) : call, 'defines');
      }
      for (const { value: one, part } of given) letGo(this.used(one, part));
    }
    this.take(of);
  }

  // Calls
  protected arguments(
    given: readonly { readonly part: Part; readonly keyword?: string | undefined }[],
    takesSecrets = false,
  ): Argument[] {
    const before = this.takesSecrets;
    this.takesSecrets = takesSecrets;
    const all = given.map(({ part, keyword }) => {
      if (keyword !== undefined && keyword !== SPREAD && this.language.isHidden(keyword)) this.act(part);
      return { value: this.evaluate(part), part, keyword };
    });
    this.takesSecrets = before;
    return all;
  }

  takesSecrets = false;
  /** Whether a call makes a client of something that the program does not define. */
  protected makesClient = (name: string, of: Value): boolean =>
    CLIENT_NAME.test(name) &&
    of.own === undefined &&
    (of.name === undefined
      ? !isNameless(of.origins)
      : this.isOfTool(of.name) || this.names.clients.has(of.name) || this.names.clients.has(`${of.name}.${name}`));

  protected written = (part: Part & { kind: 'call' }): Written => ({
    place: part,
    callee: part.callee,
    args: this.textOf(part.list),
  });

  protected call(part: Part & { kind: 'call' }): Value {
    const { callee } = part;
    const written = this.written(part);
    if (callee.kind !== 'member') {
      const value = this.evaluate(callee);
      const name = value.name?.split('.').at(-1) ?? (callee.kind === 'name' ? callee.name : '');
      return this.callValue(value, this.arguments(part.given, this.makesClient(name, value)), written);
    }
    const object = this.evaluate(callee.object);
    const given = this.arguments(part.given, this.makesClient(callee.name, object));
    if (object.name === undefined) return this.callMethod(object, callee.name, given, written);
    return this.callNamed(`${object.name}.${callee.name}`, given, written);
  }
}
