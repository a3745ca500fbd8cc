// Judges what gets a value in a program, in whichever language: names, patterns, members and elements.
import { Calls } from './calls.ts';
import { isPlainHeader } from './clients.ts';
import { textIn } from './language.ts';
import type { Part } from './parts.ts';
import {
  elementOf,
  inList,
  isNameless,
  letGo,
  MADE,
  MEMORY,
  memberOf,
  OUTSIDE,
  CLIENT,
  together,
  UNSEEN,
  type Value,
  withBits,
  withOrigins,
} from './values.ts';

/** Members of a page that lead elsewhere, or run what they are given. */
const LEADS = /^(?:location|href|src|srcdoc|action|formAction|on[a-z]+)$/;

export abstract class Bindings extends Calls {
  /** What an expression gives that is used as a value. */
  protected take(part: Part): Value {
    return this.used(this.evaluate(part), part);
  }

  /** The values of parts that are put together, where other functions may find them. */
  protected takeAll(parts: readonly Part[]): Value {
    let all = MEMORY;
    for (const part of parts) {
      const value = this.take(part);
      letGo(value);
      all = together(all, value);
    }
    return all;
  }

  /** Gives the names in a target their values. */
  protected bind(target: Part, value: Value, isNew: boolean, from: Part): void {
    switch (target.kind) {
      case 'name': {
        const { name } = target;
        // A name of the language in the body of a class is one of a member.
        const isField = this.scope.isClass && this.language.isKept(name) && !this.language.isHidden(name);
        if (!isField) this.checkName(name, target);
        if (name.startsWith('__') && value.bits !== MADE) this.act(target);
        this.checkDecision(from);
        // A function by another name: its calls are judged by its own.
        const { modules, usualNames } = this.names;
        const isJudged =
          value.name !== undefined &&
          (modules.has(value.name) ||
            usualNames.has(value.name) ||
            this.language.isDecided(value.name) ||
            this.isDeed(value.name));
        if (!isJudged) this.used(value, from);
        // What comes from outside by no other name has this one.
        const isOutside = (value.bits & OUTSIDE) !== 0 && value.name === undefined && value.origins.length === 0;
        const named = isOutside ? withOrigins(value, [name]) : value;
        if (isField) return this.setMember(name, named);
        return isNew ? this.define(name, named) : this.reassign(name, named);
      }
      case 'values': {
        // `first, *others = list`
        const [rest] = target.parts;
        if (target.makes === 'one' && rest && this.text.startsWith('*', target.from))
          return this.bind(rest, inList(value), isNew, from);
        if (target.makes !== 'list') return void this.act(target);
        const used = this.used(value, from);
        letGo(used);
        const element = elementOf(used);
        const bits = this.language.keysAreMembers ? element.bits | UNSEEN : element.bits;
        for (const one of target.parts) this.bind(one, withBits(element, bits), isNew, from);
        return;
      }
      case 'pattern':
        return this.bindPattern(target, value, isNew);
      case 'member':
        return this.assignMember(this.evaluate(target.object), target, this.used(value, from), from);
      case 'index':
        return this.assignElement(target, this.used(value, from), from);
      case 'bind': {
        // `[a = 1] = list`
        const preset = this.take(target.value);
        for (const one of target.targets) this.bind(one, together(value, preset), isNew, from);
        return;
      }
      default:
        this.act(target);
    }
  }

  protected bindPattern({ properties, ...place }: Part & { kind: 'pattern' }, value: Value, isNew: boolean): void {
    for (const { name, target, preset } of properties) {
      const given = preset ? this.take(preset) : undefined;
      if (given) letGo(given);
      const member = name === undefined ? this.used(value, place) : this.member(value, name, place);
      this.bind(target, given ? together(this.used(member, place), given) : member, isNew, target);
    }
  }

  /** A member of an object gets a value. What is not of the program is changed by that, unless its own objects have such a member. */
  protected assignMember(object: Value, target: Part & { kind: 'member' }, value: Value, from: Part): void {
    const { name } = target;
    if (object.name !== undefined) {
      // What others may ask for.
      if (/^(?:module\.exports|exports)\b/.test(`${object.name}.${name}`)) return letGo(value);
      return void this.act(target, object.name);
    }
    if (this.language.isHidden(name)) this.act(target);
    if ((object.bits & UNSEEN) !== 0) this.changeAll();
    if ((object.bits & OUTSIDE) !== 0 && !this.members.has(name)) return this.change(object, name, target, from);
    this.widen(target.object, inList(value));
    this.setMember(name, value);
  }

  /** Something that the program does not define gets another value: that is a change by a tool. */
  protected change(object: Value, key: string | undefined, target: Part, from: Part): void {
    const value = this.evaluate(from);
    this.checkDecision(from);
    if (key === undefined || (LEADS.test(key) && !value.own) || isNameless(object.origins))
      return void this.act(target);
    const call = { place: target, callee: target, args: `${key}=${this.textOf(from)}` };
    // A function of the program does what is written in it, whoever calls it.
    const names = memberOf(object.origins, value.own ? key : 'update');
    this.callTool(names, [{ keyword: key, value, part: from }], call, value.own ? 'defines' : undefined);
  }

  protected assignElement(target: Part & { kind: 'index' }, value: Value, from: Part): void {
    const object = this.evaluate(target.object);
    if (object.name !== undefined) {
      if (this.isOfSession(object.name, '.headers') && isPlainHeader(textIn(target.keys[0]))) return;
      return void this.act(target, object.name);
    }
    this.takeAll(target.keys);
    if ((object.bits & UNSEEN) !== 0 || object.own) this.changeAll();
    // An element of what a function was given may be set, no more.
    if ((object.bits & OUTSIDE) !== 0 && (object.bits & (UNSEEN | CLIENT)) !== 0)
      this.change(object, textIn(target.keys[0]), target, from);
    this.widen(target.object, inList(value));
    this.store(value);
  }

  protected remove(target: Part): void {
    if (target.kind === 'name') return;
    if (target.kind === 'values') {
      for (const one of target.parts) this.remove(one);
      return;
    }
    if (target.kind !== 'member' && target.kind !== 'index') return void this.act(target);
    const object = this.evaluate(target.object);
    if (target.kind === 'index') this.takeAll(target.keys);
    if (object.name !== undefined || (object.bits & OUTSIDE) !== 0) this.act(target, object.name);
  }

  // Functions and classes
  /** A function that only says yes or no, whatever it is asked, takes a check away. */
  protected checkDecision(part: Part): void {
    if (part.kind === 'function' && part.decides) this.act(part);
  }
}
