// Finds where the names of a program get their values, and where more may happen to what they hold than being read.
import type { ProgramNames } from '../../lexicon/programs.ts';
import { SPREAD, textIn } from './language.ts';
import { type FunctionPart, type Part, partsWithin } from './parts.ts';

/** One way in which a name gets a value. `at`: of a pair or a longer list, that element. */
export type Binding =
  | { readonly kind: 'value'; readonly part: Part }
  | { readonly kind: 'element'; readonly list: Part; readonly at: number | undefined }
  | { readonly kind: 'parameter'; readonly of: FunctionPart; readonly at: number }
  | { readonly kind: 'import'; readonly name: string }
  | { readonly kind: 'other' };

/** `part` is what is written; absent where a writer of another kind is made. */
export interface Content {
  readonly into: Part;
  readonly part: Part | undefined;
  readonly isOther: boolean;
}

type Call = Part & { readonly kind: 'call' };

/** Calls of functions that give what they are given to another: `names.map((name) => ...)`. */
const EACH = /^(?:map|forEach|flatMap|filter|some|every|find)$/;
const OTHER: Binding = { kind: 'other' };
const mayBeFunction = ({ kind }: Part): boolean => !/^(?:literal|values|object|each)$/.test(kind);

/** Adds to the list of a name. */
export function addTo<T>(lists: Map<string, T[]>, name: string, item: T): void {
  const list = lists.get(name);
  if (list) list.push(item);
  else lists.set(name, [item]);
}

export class Occurrences {
  readonly bindings = new Map<string, Binding[]>();
  readonly calls = new Map<string, Call[]>();
  /** Names of which more is made than to read elements, to call them, or to hand them to a function that only reads. */
  readonly shared = new Set<string>();
  /** Names that are used in another way than to be called. */
  readonly values = new Set<string>();
  readonly texts: string[] = [];
  /** Members and methods of the program's own objects. */
  readonly members = new Set<string>();
  /** What is written into files by their names: `file.write(text)`. */
  readonly contents: Content[] = [];
  /** What the members of objects are given, by their names. */
  readonly #given = new Map<string, Part[]>();
  /** Names of what has elements that get a value. */
  readonly #keyed = new Set<string>();
  /** Names of elements of lists. */
  readonly elements = new Set<string>();
  readonly #names: ProgramNames;
  readonly #own = new Set<string>();

  constructor(root: Part, names: ProgramNames) {
    this.#names = names;
    this.#findOwn(root);
    this.#visit(root, false);
  }

  /** What may be a function of the program by its name. */
  #findOwn(part: Part): void {
    if (part.kind === 'function' || part.kind === 'class' || part.kind === 'field') this.#own.add(part.name);
    if (part.kind === 'function' && part.role !== 'statement') this.members.add(part.name);
    if (part.kind === 'field') this.#addMember(part.name, part.value);
    if (part.kind === 'class') for (const one of part.body) this.#findMembers(one);
    if (part.kind === 'bind') for (const target of part.targets) this.#addTarget(target, part.value);
    if (part.kind === 'object') for (const { name, key } of part.members) this.members.add(textIn(key) ?? name ?? '');
    if (part.kind === 'bind' && mayBeFunction(part.value))
      for (const target of part.targets)
        if (target.kind === 'name' || target.kind === 'member') this.#own.add(target.name);
    if (part.kind === 'object')
      for (const { name, key, value } of part.members)
        if (mayBeFunction(value)) this.#own.add(textIn(key) ?? name ?? '');
    if (part.kind === 'function')
      for (const { target } of part.parameters) if (target.kind === 'name') this.#own.add(target.name);
    for (const one of partsWithin(part)) this.#findOwn(one);
  }

  #addTarget(target: Part, value: Part): void {
    if (target.kind === 'member') this.#addMember(target.name, value);
    const of = target.kind === 'index' ? target.object : undefined;
    if (of?.kind === 'name' || of?.kind === 'member') this.#keyed.add(of.name);
  }

  #addMember(name: string, value: Part | undefined): void {
    this.members.add(name);
    if (value) addTo(this.#given, name, value);
  }

  #findMembers(part: Part): void {
    if (part.kind === 'block') for (const one of part.parts) this.#findMembers(one);
    if (part.kind === 'bind')
      for (const target of part.targets) if (target.kind === 'name') this.members.add(target.name);
  }

  #add(name: string, binding: Binding): void {
    addTo(this.bindings, name, binding);
    if (binding.kind === 'element' && binding.at === undefined) this.elements.add(name);
  }

  /** What gets a value: names are given it, and what else stands there is changed. */
  #target(target: Part, binding: Binding): void {
    if (target.kind === 'name') return this.#add(target.name, binding);
    if (target.kind === 'values' && target.makes === 'list')
      return target.parts.forEach((one, at) => this.#target(one, this.#elementOf(binding, at, target.parts.length)));
    if (target.kind === 'pattern')
      for (const { target: one, preset } of target.properties) {
        this.#target(one, OTHER);
        if (preset) this.#visit(preset, false);
      }
    else if (target.kind === 'values' || target.kind === 'bind')
      for (const one of partsWithin(target)) this.#target(one, OTHER);
    else this.#visit(target, false, true);
  }

  #elementOf(binding: Binding, at: number, length: number): Binding {
    if (binding.kind === 'element' && binding.at === undefined) return { ...binding, at };
    if (binding.kind !== 'value') return OTHER;
    const { part } = binding;
    const one = part.kind === 'values' && part.makes === 'list' && part.parts.length === length && part.parts[at];
    return one ? { kind: 'value', part: one } : OTHER;
  }

  /** @param isRead only its elements are read; @param isChanged something of it gets a value */
  #visit(part: Part, isRead: boolean, isChanged = false): void {
    switch (part.kind) {
      case 'literal':
        if (part.text !== undefined) this.texts.push(part.text);
        return;
      case 'name':
        this.values.add(part.name);
        if (!isRead) this.shared.add(part.name);
        return;
      case 'index':
        this.#visit(part.object, !isChanged);
        return part.keys.forEach((key) => this.#visit(key, true));
      case 'member':
        return this.#visit(part.object, !isChanged && isRead);
      case 'loop':
        this.#visit(part.list, true);
        return part.targets.forEach((target) =>
          this.#target(target, { kind: 'element', list: part.list, at: undefined }),
        );
      case 'bind':
        this.#visit(part.value, false);
        return part.targets.forEach((target) => this.#target(target, { kind: 'value', part: part.value }));
      case 'with':
        this.#visit(part.value, false);
        if (part.target) this.#target(part.target, { kind: 'value', part: part.value });
        return;
      case 'import':
        return part.names.forEach(({ as, name }) => this.#add(as, { kind: 'import', name }));
      case 'remove':
        return part.targets.forEach((target) => this.#visit(target, false, true));
      case 'decorated':
        this.values.add(part.of.name);
        break;
      case 'function':
        return this.#function(part, undefined);
      case 'class':
        this.#add(part.name, OTHER);
        break;
      case 'call':
        return this.#call(part);
      case 'object':
        for (const { name, key } of part.members) if (!key && name !== undefined) this.texts.push(name);
        break;
      case 'values':
        return part.parts.forEach((one) => this.#visit(one, part.makes === 'answer' || part.makes === 'text'));
      case 'block':
      case 'asked':
        return partsWithin(part).forEach((one) => this.#visit(one, true));
      default:
    }
    for (const one of partsWithin(part)) this.#visit(one, false);
  }

  #function(part: FunctionPart, list: Part | undefined): void {
    if (part.role === 'statement') this.#add(part.name, { kind: 'value', part });
    for (const [at, { target, preset }] of part.parameters.entries()) {
      const isElement = list !== undefined && at === 0;
      this.#target(target, isElement ? { kind: 'element', list, at: undefined } : { kind: 'parameter', of: part, at });
      if (preset) this.#visit(preset, false);
    }
    this.#visit(part.body, false);
  }

  #call(call: Call): void {
    const { callee, given } = call;
    const last = callee.kind === 'member' || callee.kind === 'name' ? callee.name : '';
    const reads = this.#names.reading.has(last) && !this.#own.has(last);
    this.#findContents(call, last);
    if (callee.kind === 'name') this.#addCall(last, call);
    else if (callee.kind === 'member') this.#visit(callee.object, reads || EACH.test(last));
    else this.#visit(callee, false);
    for (const { part, keyword } of given)
      if (part.kind === 'function' && callee.kind === 'member' && EACH.test(last)) this.#function(part, callee.object);
      else this.#visit(part, reads && keyword !== SPREAD);
  }

  #addCall(name: string, call: Call): void {
    const known = this.calls.get(name);
    if (known) known.push(call);
    else this.calls.set(name, [call]);
  }

  #findContents({ callee, given }: Call, last: string): void {
    const [first] = given.filter(({ keyword }) => keyword === undefined);
    if (callee.kind === 'member' && /^write(?:lines)?$/.test(last))
      this.contents.push({ into: callee.object, part: first?.part, isOther: false });
    else
      for (const [at, { part, keyword }] of given.entries()) {
        const isOther = !/^(?:dump|safe_dump|print)$/.test(last);
        if (part.kind === 'name' && (isOther || at > 0)) this.contents.push({ into: part, part: first?.part, isOther });
        else if (part.kind === 'call' && (isOther || at > 0 || keyword !== undefined))
          this.contents.push({ into: part, part: first?.part, isOther });
      }
  }

  /** Whether it is surely a list or a table of the program: made right here, or by a name that is given nothing else. */
  isContainer(part: Part): boolean {
    if (part.kind === 'name') {
      const given = this.bindings.get(part.name) ?? [];
      return given.length > 0 && given.every((one) => one.kind === 'value' && this.#isMade(one.part, part.name));
    }
    if (part.kind === 'member' && part.object.kind === 'name' && /^(?:self|this)$/.test(part.object.name))
      return this.#given.get(part.name)?.every((one) => this.#isMade(one, part.name)) === true;
    return this.#isMade(part, '');
  }

  /** `name`: of what it is kept in. */
  #isMade(part: Part, name: string): boolean {
    // The elements of a table are no members of it.
    const hasTables = this.#names.containers.has('dict');
    if (part.kind === 'object' || part.kind === 'each') return hasTables;
    if (!hasTables && this.#keyed.has(name)) return false;
    return part.kind === 'call'
      ? this.#names.containers.has(this.nameOf(part.callee) ?? '')
      : part.kind === 'values' && part.makes === 'list';
  }

  /** What a name of a library stands for, or a member of one; undefined for what the program makes itself. */
  nameOf(part: Part): string | undefined {
    if (part.kind === 'member') {
      const of = this.nameOf(part.object);
      return of === undefined ? undefined : `${of}.${part.name}`;
    }
    if (part.kind === 'call') {
      const isRequire = part.callee.kind === 'name' && part.callee.name === 'require' && !this.bindings.has('require');
      return isRequire ? textIn(part.given[0]?.part)?.replace(/^node:/, '') : undefined;
    }
    if (part.kind !== 'name') return undefined;
    const bindings = this.bindings.get(part.name);
    if (bindings === undefined) return this.#names.usual.get(part.name) ?? part.name;
    const [only, ...others] = bindings;
    if (others.length > 0) return undefined;
    if (only?.kind === 'import') return only.name;
    return only?.kind === 'value' && only.part.kind === 'call' ? this.nameOf(only.part) : undefined;
  }
}
