// What a text of a program may be, as far as it is written in it: a path, an address, a statement. What is only known when it runs is a gap.
import type { ProgramNames } from '../../lexicon/programs.ts';
import {
  ANY,
  concat,
  CONSTANTS,
  folderOf,
  hasGap,
  inFolder,
  joinedBy,
  limited,
  NAME,
  OPEN,
  SMALL,
  unescaped,
} from './gaps.ts';
import { SPREAD, textIn } from './language.ts';
import type { Occurrences } from './occurrences.ts';
import type { Member, Part } from './parts.ts';

const MAX_DEPTH = 24;
/** The texts of an expression that is being read, or is too deep: any. */
const UNFINISHED: readonly string[] = [...OPEN];

type Container = Part & ({ readonly kind: 'values' } | { readonly kind: 'object' });
const isContainer = (part: Part): part is Container =>
  part.kind === 'object' || (part.kind === 'values' && part.makes === 'list');
const keyOf = ({ name, key }: Member): string | undefined => textIn(key) ?? name;

export class Texts {
  readonly #text: string;
  readonly #names: ProgramNames;
  readonly #found: Occurrences;
  readonly #known = new Map<Part, readonly string[]>();
  readonly #ofNames = new Map<string, readonly string[]>();
  /** How often a text was asked for that was not known yet. */
  #unfinished = 0;
  /** The names that were given to values first. */
  readonly #namesOfValues = new Map<Part, string>();
  #depth = 0;
  /** Folders whose files are gone through. */
  readonly walked = new Set<string>();

  constructor(text: string, names: ProgramNames, found: Occurrences) {
    this.#text = text;
    this.#names = names;
    this.#found = found;
    for (const [name, [first]] of found.bindings)
      if (first?.kind === 'value' && !this.#namesOfValues.has(first.part)) this.#namesOfValues.set(first.part, name);
  }

  /** All that an expression may give. */
  of(part: Part | undefined): readonly string[] {
    if (part === undefined) return OPEN;
    const known = this.#depth > MAX_DEPTH ? UNFINISHED : this.#known.get(part);
    if (known === UNFINISHED) this.#unfinished += 1;
    if (known !== undefined) return known;
    // What depends on itself may be anything.
    this.#known.set(part, UNFINISHED);
    this.#depth += 1;
    const texts = limited(this.#read(part));
    this.#depth -= 1;
    this.#known.set(part, texts);
    return texts;
  }

  #read(part: Part): readonly string[] {
    switch (part.kind) {
      case 'literal': {
        if (part.text === undefined) return /^[\d.]/.test(this.#text.slice(part.from, part.to)) ? SMALL : OPEN;
        const opening = /^[a-z]*/i.exec(this.#text.slice(part.from, part.from + 3))?.[0] ?? '';
        return [unescaped(part.text, /r/i.test(opening) && this.#text.slice(part.from, part.to) !== part.text)];
      }
      case 'name':
        return this.#name(part.name);
      case 'member':
        return this.#member(part);
      case 'index':
        return this.#index(part);
      case 'call':
        return this.#call(part);
      case 'values':
        if (part.makes === 'answer') return SMALL;
        if (part.makes === 'text') return joinedBy([[''], ...part.parts.map((one) => this.of(one))], concat);
        if (part.makes === 'path')
          return joinedBy(
            part.parts.map((one) => this.of(one)),
            inFolder,
          );
        // `*list`
        if (part.makes !== 'one' || part.parts.length !== 1 || this.#text.startsWith('*', part.from)) return OPEN;
        return this.of(part.parts[0]);
      default:
        return OPEN;
    }
  }

  #name(name: string): readonly string[] {
    const known = this.#ofNames.get(name);
    if (known !== undefined) return known;
    const before = this.#unfinished;
    const texts = limited(this.#readName(name));
    if (this.#unfinished === before) this.#ofNames.set(name, texts);
    return texts;
  }

  #readName(name: string): readonly string[] {
    const bindings = this.#found.bindings.get(name);
    if (bindings === undefined) return /^__(?:file|dirname)/.test(name) ? [`./${NAME}`] : OPEN;
    return bindings.flatMap((binding) => {
      switch (binding.kind) {
        case 'value':
          return this.of(binding.part);
        case 'element':
          return this.elements(binding.list, binding.at);
        case 'parameter': {
          const given = this.#given(binding.of, binding.at);
          return given === undefined ? OPEN : given.flatMap((one) => this.of(one));
        }
        default:
          return OPEN;
      }
    });
  }

  /** What a parameter is given, if nobody but the program can call its function. */
  #given(of: Part & { kind: 'function' }, at: number): readonly Part[] | undefined {
    const { bindings, calls, values } = this.#found;
    const name = of.role === 'statement' ? of.name : this.#namesOfValues.get(of);
    if (name === undefined || values.has(name) || bindings.get(name)?.length !== 1) return undefined;
    const { target, preset } = of.parameters[at] ?? {};
    const keyword = target?.kind === 'name' ? target.name : '';
    const found = (calls.get(name) ?? []).map(({ given }) => {
      if (given.some((one) => one.keyword === SPREAD)) return undefined;
      const byPlace = given.filter((one) => one.keyword === undefined)[at];
      return (given.find((one) => one.keyword === keyword) ?? byPlace)?.part ?? preset;
    });
    const known = found.filter((one) => one !== undefined);
    // Its arguments are its parameters by another name.
    if (found.length === 0 || known.length < found.length || values.has('arguments')) return undefined;
    return preset ? [...known, preset] : known;
  }

  #member({ object, name }: Part & { kind: 'member' }): readonly string[] {
    const constant = CONSTANTS.get(this.#found.nameOf({ kind: 'member', object, name, from: 0, to: 0 }) ?? `.${name}`);
    if (constant !== undefined) return [constant];
    if (this.#found.members.has(name)) return this.#picked(object, name);
    if (this.#names.segments.has(`.${name}`)) return SMALL;
    const paths = this.of(object);
    if (name === 'parent') return paths.map(folderOf);
    return /^(?:name|stem|suffix)$/.test(name) && !paths.includes(ANY) ? SMALL : this.#picked(object, name);
  }

  /** The values by a key of lists and objects that nothing changes. */
  #picked(object: Part, key: string | undefined): readonly string[] {
    const all = this.containers(object);
    if (all === undefined) return OPEN;
    return all.flatMap((one) => {
      if (one.kind === 'values') return one.parts.flatMap((part) => this.of(part));
      const members = one.members.filter((member) => key === undefined || (keyOf(member) ?? key) === key);
      return members.length === 0 ? OPEN : members.flatMap(({ value }) => this.of(value));
    });
  }

  #index({ object, keys: [key], isCut }: Part & { kind: 'index' }): readonly string[] {
    if (isCut) return OPEN;
    const texts = key === undefined ? OPEN : this.of(key);
    const [only = ANY] = texts;
    return this.#picked(object, texts.length === 1 && !hasGap(only) ? only : undefined);
  }

  /** The lists and objects that an expression may give, if they are written out and nothing changes them. */
  containers(part: Part): readonly Container[] | undefined {
    if (isContainer(part)) return [part];
    if (part.kind === 'index' || part.kind === 'member') {
      const key = part.kind === 'member' ? part.name : textIn(part.keys[0]);
      const members = this.containers(part.object)?.flatMap((one) =>
        one.kind === 'values'
          ? one.parts
          : one.members.filter((member) => keyOf(member) === key).map(({ value }) => value),
      );
      return members?.every(isContainer) === true && this.#areElementsRead() ? members : undefined;
    }
    if (part.kind !== 'name' || this.#found.shared.has(part.name)) return undefined;
    const [only, ...others] = this.#found.bindings.get(part.name) ?? [];
    if (others.length > 0) return undefined;
    if (only?.kind === 'value') return isContainer(only.part) ? [only.part] : undefined;
    if (only?.kind !== 'element' || only.at !== undefined || !this.#areElementsRead()) return undefined;
    const elements = this.containers(only.list)?.flatMap((one) => (one.kind === 'values' ? one.parts : [one]));
    return elements?.every(isContainer) === true ? elements : undefined;
  }

  /** What is an element of a list may have several names. */
  #areElementsRead = (): boolean => [...this.#found.elements].every((name) => !this.#found.shared.has(name));

  /** The elements of a list. `at`: of elements that are lists, those at this place. */
  elements(list: Part, at?: number): readonly string[] {
    if (list.kind === 'call') return this.#elementsOfCall(list, at);
    if (list.kind === 'index' && list.isCut) return this.elements(list.object, at);
    if (list.kind === 'name') {
      const [only] = this.#found.bindings.get(list.name) ?? [];
      // The names of files that a walk through folders gives.
      if (only?.kind === 'element' && only.at === 2 && this.#isWalk(only.list)) return SMALL;
    }
    const all = this.containers(list);
    if (all === undefined) return this.#elementsOfBound(list, at);
    return all.flatMap((one) => {
      if (one.kind === 'object')
        return at === undefined ? one.members.flatMap(({ key, name }) => (key ? this.of(key) : [name ?? ANY])) : OPEN;
      return one.parts.flatMap((part) => {
        if (at === undefined) return this.of(part);
        return isContainer(part) && part.kind === 'values' ? this.of(part.parts[at]) : OPEN;
      });
    });
  }

  #elementsOfBound(list: Part, at: number | undefined): readonly string[] {
    if (list.kind !== 'name' || this.#found.shared.has(list.name)) return OPEN;
    const [only, ...others] = this.#found.bindings.get(list.name) ?? [];
    return only?.kind === 'value' && others.length === 0 && only.part.kind === 'call'
      ? this.elements(only.part, at)
      : OPEN;
  }

  #isWalk = (part: Part): boolean => part.kind === 'call' && this.#found.nameOf(part.callee) === 'os.walk';

  #elementsOfCall({ callee, given }: Part & { kind: 'call' }, at: number | undefined): readonly string[] {
    const [first, second] = given.map(({ part }) => part);
    const name = this.#found.nameOf(callee) ?? '';
    const method = callee.kind === 'member' ? callee.name : '';
    if (name === 'enumerate' && first) return at === 0 ? SMALL : at === 1 ? this.elements(first) : OPEN;
    if (name === 'zip' && at !== undefined) return this.elements(given[at]?.part ?? callee);
    if (name === 'range') return SMALL;
    if (name === 'os.walk') return at === 0 ? this.#walk(first).flatMap((path) => [path, inFolder(path, NAME)]) : OPEN;
    if (this.#names.wrappers.has(name) && first) return this.elements(first, at);
    if (this.#names.wrappers.has(`.${method}`) && !this.#found.members.has(method) && callee.kind === 'member')
      return this.elements(callee.object, at);
    const listed = /^Object\.(?:entries|keys|values)$/.exec(name)
      ? first
      : callee.kind === 'member'
        ? callee.object
        : undefined;
    const what = /^(?:items|entries)$/.test(method) ? ['key', 'value'][at ?? 2] : at === undefined ? method : '';
    if (/^(?:keys?|values?)$/.test(what ?? '') && listed)
      return (this.containers(listed) ?? [listed]).flatMap((one) => {
        if (one.kind !== 'object') return OPEN;
        return one.members.flatMap(({ key, name: own, value }) =>
          what?.startsWith('value') === true ? this.of(value) : key ? this.of(key) : [own ?? ANY],
        );
      });
    if (at !== undefined) return OPEN;
    if (this.#names.walkers.has(name) && second === undefined) {
      if (/glob/.test(name)) return this.#walk(first, folderOf).map((path) => inFolder(path, NAME));
      this.#walk(first);
      return SMALL;
    }
    if (this.#names.walkers.has(`.${method}`) && callee.kind === 'member')
      return this.#walk(callee.object).map((path) => inFolder(path, NAME));
    return OPEN;
  }

  #walk(folder: Part | undefined, toFolder: (path: string) => string = (path) => path): readonly string[] {
    const paths = this.of(folder).map(toFolder);
    for (const path of paths) this.walked.add(path.replace(/^\.\/|\/$/g, ''));
    return paths;
  }

  #call({ callee, given }: Part & { kind: 'call' }): readonly string[] {
    const parts = given.map(({ part }) => part);
    const name = this.#found.nameOf(callee);
    const { segments, joinsPaths, sameTexts, temporary } = this.#names;
    if (given.some(({ keyword }) => keyword === SPREAD)) return OPEN;
    if (name !== undefined) {
      if (segments.has(name)) return SMALL;
      if (temporary.has(name)) return [`/tmp/${NAME}`];
      if (name === 'pathlib.Path.home' || name === 'os.homedir') return ['~'];
      if (sameTexts.has(name)) return this.of(parts[0]);
      if (joinsPaths.has(name)) return joinedBy([[''], ...parts.map((part) => this.of(part))], inFolder);
    }
    if (callee.kind !== 'member') return OPEN;
    const { object, name: method } = callee;
    if (this.#found.members.has(method)) return OPEN;
    if (segments.has(`.${method}`)) {
      // A date in a form that is not seen may be any text.
      return parts.some((part) => this.of(part).some((text) => text.includes(ANY))) ? OPEN : SMALL;
    }
    if (sameTexts.has(`.${method}`)) return this.of(object);
    if (joinsPaths.has(`.${method}`))
      return joinedBy(
        [object, ...parts].map((part) => this.of(part)),
        inFolder,
      );
    if (method === 'with_name') return joinedBy([this.of(object).map(folderOf), this.of(parts[0])], inFolder);
    if (method === 'with_suffix')
      return joinedBy([this.of(object).map((path) => path.replace(/\.\w*$/, '')), this.of(parts[0])], concat);
    if (method === 'format') return this.of(object).map((text) => text.replaceAll(/\{[^{}]*\}/g, ANY));
    if (method !== 'get') return OPEN;
    return [...this.#picked(object, textIn(parts[0])), ...(parts[1] ? this.of(parts[1]) : [])];
  }
}
