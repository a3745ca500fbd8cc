// Judges the names and members of a program: which are listed, which open a file, and which strings they may have.
import { isSecretName } from '../code.ts';
import { allOf } from './arguments.ts';
import { Deeds } from './deeds.ts';
import { type Argument, isPlainVariable } from './language.ts';
import type { Part, Place } from './parts.ts';
import { isSpelledSecret } from './spelled.ts';
import {
  altered,
  asText,
  BLIND,
  elementOf,
  inList,
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

/** A file that a program finds in a folder of its own. */
const IN_FOLDER = /^(?:\.\/\x01\/)?(?:\w[\w-]*\/)+\x01(?:\.\w+)?$/;

/** Modules that others load, and members that run, load, write or send something. */
const ACTS =
  /^(?:os|sys|io|subprocess|shutil|socket|ssl|ctypes|builtins|importlib|pathlib|path|urllib|http|https|requests|net|dns|fs|child_process|process|module|vm|worker_threads|pickle|marshal|multiprocessing|threading|signal|tempfile|system|popen|eval|exec|call|apply|bind|execute(?:many|script)?|invoke|attempt|spawn|fork|run|open|connect|write|rename|replace_?with|save|touch|chmod|chown|symlink|post|put|patch|request|fetch|publish|commit|send|upload|print_file)$|^(?:exec|eval|import|require|write|send|post|spawn|run|delete|remove_?(?:file|dir|all)|upload|rm)(?:[A-Z_]|$)|(?:Actual|Sync)$/;

export abstract class Members extends Deeds {
  /** It opens a file to read it. */
  opensFiles = false;
  /** Names that nothing defines and that are not called: others may call them. */
  readonly handedOn = new Set<string>();

  protected abstract isOfTool(name: string): boolean;
  abstract takesSecrets: boolean;
  abstract mayReadVariable(name: string | undefined, place: Place): boolean;

  opens(path: Argument | undefined, place: Place): void {
    this.opensFiles = true;
    if (path) for (const text of this.constants.of(path.part)) this.read.add(text);
    const { bits, texts } = path?.value ?? MEMORY;
    const isBlind =
      (bits & BLIND) !== 0 && !(path && this.constants.of(path.part).every((text) => IN_FOLDER.test(text)));
    if (isBlind || texts.some((text) => isSecretName(text)) || isSpelledSecret(texts)) this.act(place);
  }

  /** A value that is used as one: what is not of the program must be listed. */
  used(value: Value, place?: Place): Value {
    if (value.name === undefined) {
      for (const origin of value.origins) this.handedOn.add(origin);
      return value;
    }
    if (this.isListed(value.name) && !this.language.isDecided(value.name)) return value;
    if (this.isOfTool(value.name)) {
      this.handedOn.add(value.name);
      return withOrigins(UNKNOWN, [value.name]);
    }
    return place ? this.act(place, value.name) : UNKNOWN;
  }

  isListed(name: string): boolean {
    let isListed = this.#listed.get(name);
    if (isListed === undefined) {
      isListed = this.#isInLists(name);
      this.#listed.set(name, isListed);
    }
    return isListed;
  }

  readonly #listed = new Map<string, boolean>();

  #isInLists(name: string): boolean {
    const { environment } = this.language;
    if (
      this.language.keysAreMembers &&
      name.startsWith(`${environment}.`) &&
      isPlainVariable(name.slice(environment.length + 1))
    )
      return true;
    return (this.names.functions.has(name) && !this.hasHidden(name)) || this.pureOf(name) !== undefined;
  }

  /**
   * What only computes, with all that it gives, and has this name: `zod` of `zod.z.number().int`. None does whose name leads on to a module
   * that it loads itself (`babel.os.remove`), or says that it acts: it may be a method of what the library was given (`first(files).unlink`).
   */
  protected pureOf(name: string): string | undefined {
    let pure = this.#pure.get(name);
    if (pure === undefined) {
      const ends = Array.from(name.matchAll(/[.(]|$/g), ({ index }) => name.slice(0, index));
      pure = (!this.hasHidden(name) && ends.find((one) => this.names.pure.has(one))) || '';
      const others = name.slice(pure.length).split(/[.()]+/);
      if (others.some((one) => ACTS.test(one) || (one !== '' && this.actsByName(one)))) pure = '';
      this.#pure.set(name, pure);
    }
    return pure === '' ? undefined : pure;
  }

  /** Whether something surely does more than compute, by its name. */
  protected abstract actsByName(name: string): boolean;

  readonly #pure = new Map<string, string>();

  protected hasHidden = (name: string): boolean => name.split('.').some((part) => this.language.isHidden(part));

  /** `object.name`, which is not called. */
  member(object: Value, name: string, place: Place): Value {
    const value = this.#memberOf(object, name, place);
    if (object.origins.length === 0 || value.name !== undefined) return value;
    return withOrigins(value, memberOf(object.origins, name));
  }

  #memberOf(object: Value, name: string, place: Place): Value {
    const isHidden = this.language.isHidden(name);
    if (object.name !== undefined) {
      if (object.name === this.language.environment && !isPlainVariable(name) && this.mayReadVariable(name, place))
        return MEMORY;
      if (isHidden) return this.act(place, `${object.name}.${name}`);
      return this.named(`${object.name}.${name}`);
    }
    if (isHidden) return this.act(place);
    if (object.own && !object.own.isClass) return valueOf(object.bits | BLIND | UNSEEN);
    const { methods, memoryMethods, makers } = this.names;
    const isMethod = methods.has(name) || makers.has(`.${name}`) || (memoryMethods.has(name) && this.isMade(object));
    const kept = this.members.get(name);
    const own = this.methods.get(name);
    for (const one of own ?? []) letGo({ ...MEMORY, own: one });
    // An object of a library has members of its own, by whatever name.
    const isUnseen = ((object.bits & LIBRARY) !== 0 && !isMethod) || this.language.isOfHost(name);
    const value = this.texts(`.${name}`, object, []);
    if (kept !== undefined) {
      const both = together(together(value, object.texts.length > 0 ? object : MEMORY), kept);
      const more = (isUnseen ? UNSEEN : MADE) | (kept.name === undefined ? MADE : UNKNOWN.bits);
      return withBits(both, both.bits | more);
    }
    // A member by a name that no text has is one of an object: `{ file: "a.csv" }.file`.
    const read = isMethod ? value : object.depth > 0 ? elementOf(object) : value;
    return isMethod || own ? read : withBits(read, read.bits | UNSEEN);
  }

  /** Whether an object is surely one in memory. `part`: of which a method is called. */
  protected isMade = (object: Value, part?: Part): boolean =>
    ((object.bits & ~(LIBRARY | BLIND)) | (this.stored & OUTSIDE)) === MADE ||
    (part !== undefined && this.found.isContainer(part));

  /** What a call gives, as far as the strings in it are concerned. */
  protected texts(name: string, object: Value, given: readonly Argument[]): Value {
    if (this.names.blind.has(name)) return valueOf(object.bits | allOf(given).bits | BLIND);
    const all = together(together(object, allOf(given)), this.#returned(name, given));
    const { joiners, keepers, pairers, elements, plain } = this.names;
    if (joiners.has(name)) return asText(all);
    if (keepers.has(name)) return all.depth > 0 ? all : altered(all);
    if (pairers.has(name)) return inList(all);
    const isMethod = name.startsWith('.');
    if (elements.has(name)) {
      const list = isMethod ? object : (given[0]?.value ?? MEMORY);
      return together(list.texts.length > 0 ? elementOf(list) : valueOf(list.bits), allOf(given.slice(1)));
    }
    if (plain.has(name))
      return isMethod ? withBits(altered(object), altered(object).bits | all.bits) : valueOf(all.bits & ~BLIND);
    return isMethod && object.texts.length === 0 ? asText(all) : altered(all);
  }

  /** The strings that functions give which are handed to another. */
  #returned(name: string, given: readonly Argument[]): Value {
    let all = MEMORY;
    for (const { value } of given)
      if (value.own) all = together(all, withBits(value.own.returns, value.own.returns.bits & BLIND));
    return this.names.keepers.has(name) ? inList(all) : all;
  }
}
