// What a program consists of, whichever its language: the common form into which its syntax tree is translated.
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** An argument of a call. */
export interface Given {
  readonly part: Part;
  readonly keyword?: string | undefined;
}

/** `name: value`, `[key]: value`, `...value`; of Python, `key: value` and `**value`. */
export interface Member {
  readonly name?: string | undefined;
  readonly key?: Part | undefined;
  readonly value: Part;
}

export interface Parameter {
  readonly target: Part;
  readonly preset?: Part | undefined;
  /** By its type it is a value in memory. */
  readonly isMemory?: boolean;
  /** It is a member of the object, too. */
  readonly isMember?: boolean;
}

export interface FunctionPart extends Place {
  readonly kind: 'function';
  readonly name: string;
  readonly role: 'statement' | 'method' | 'static' | 'constructor' | 'expression' | 'arrow';
  readonly parameters: readonly Parameter[];
  readonly body: Part;
  /** It gives what its body is: an arrow function, a lambda. */
  readonly isValue: boolean;
  /** It is asked for like a member. */
  readonly isGetter: boolean;
  /** It only says yes or no, whatever it is asked. */
  readonly decides: boolean;
}

export interface ClassPart extends Place {
  readonly kind: 'class';
  readonly name: string;
  readonly bases: readonly Part[];
  readonly body: readonly Part[];
}

export type Makes = 'list' | 'one' | 'text' | 'path' | 'answer';

export type Part =
  /** A value that is written out. `text` is that of a string. */
  | (Place & { readonly kind: 'literal'; readonly text?: string | undefined; readonly isBlind?: boolean })
  | (Place & { readonly kind: 'name'; readonly name: string })
  | (Place & { readonly kind: 'member'; readonly object: Part; readonly name: string })
  /** `object[key]`. `isCut`: a part of a text or list, in whichever order. */
  | (Place & { readonly kind: 'index'; readonly object: Part; readonly keys: readonly Part[]; readonly isCut: boolean })
  | (Place & { readonly kind: 'call'; readonly callee: Part; readonly given: readonly Given[]; readonly list: Place })
  /** Values put together: side by side (`list`), one after another (`text`), as folders (`path`), as operands (`one`), or only compared (`answer`). */
  | (Place & { readonly kind: 'values'; readonly makes: Makes; readonly parts: readonly Part[] })
  | (Place & { readonly kind: 'object'; readonly members: readonly Member[] })
  /** `"NAME" in os.environ` */
  | (Place & { readonly kind: 'asked'; readonly name: Part; readonly object: Part })
  /** Statements and conditions, one after another. */
  | (Place & { readonly kind: 'block'; readonly parts: readonly Part[]; readonly isScope: boolean })
  /** What a comprehension gives. */
  | (Place & { readonly kind: 'each'; readonly loops: readonly Part[]; readonly results: readonly Part[] })
  /** Its targets get the elements of a list. */
  | (Place & { readonly kind: 'loop'; readonly targets: readonly Part[]; readonly list: Part })
  /** `isNew`: names that are defined here; `isVar`: in the function around. */
  | (Place & {
      readonly kind: 'bind';
      readonly targets: readonly Part[];
      readonly value: Part;
      readonly isNew: boolean;
      readonly isVar: boolean;
    })
  /** `{ name: target = preset }` of a pattern. */
  | (Place & { readonly kind: 'pattern'; readonly properties: readonly (Parameter & { readonly name?: string })[] })
  /** `with value as target` */
  | (Place & { readonly kind: 'with'; readonly value: Part; readonly target: Part | undefined })
  | (Place & { readonly kind: 'import'; readonly module: string; readonly names: readonly Imported[] })
  | (Place & { readonly kind: 'return'; readonly parts: readonly Part[]; readonly isYield: boolean })
  | (Place & { readonly kind: 'remove'; readonly targets: readonly Part[] })
  | (Place & { readonly kind: 'outer'; readonly names: readonly string[] })
  /** A field of a class without a value, or with one. */
  | (Place & { readonly kind: 'field'; readonly name: string; readonly value: Part | undefined })
  | (Place & {
      readonly kind: 'decorated';
      readonly decorators: readonly Part[];
      readonly of: FunctionPart | ClassPart;
    })
  /** What is not understood; its parts are judged nevertheless. */
  | (Place & { readonly kind: 'act'; readonly name: string; readonly parts: readonly Part[] })
  | FunctionPart
  | ClassPart;

/** A name that an import defines, and what it stands for: a module, or a function of one. */
export interface Imported {
  readonly as: string;
  readonly name: string;
}

export const placeOf = ({ from, to }: Place): Place => ({ from, to });

/** Names get a value; `isNew`: that are defined here, `isVar`: in the function around. */
export const bindAt = (place: Place, targets: readonly Part[], value: Part, isNew = true, isVar = false): Part => ({
  kind: 'bind',
  targets,
  value,
  isNew,
  isVar,
  ...placeOf(place),
});

const NO_PARTS: readonly Part[] = [];
export const actAt = ({ from, to }: Place, name = '', parts: readonly Part[] = NO_PARTS): Part => ({
  kind: 'act',
  name,
  parts,
  from,
  to,
});
export const blockAt = ({ from, to }: Place, parts: readonly Part[], isScope = false): Part => ({
  kind: 'block',
  parts,
  isScope,
  from,
  to,
});
export const literalAt = ({ from, to }: Place, text?: string): Part => ({ kind: 'literal', text, from, to });
export const valuesAt = ({ from, to }: Place, makes: Makes, parts: readonly Part[]): Part => ({
  kind: 'values',
  makes,
  parts,
  from,
  to,
});

const NONE: readonly Part[] = [];
const some = (...parts: readonly (Part | undefined)[]): readonly Part[] => parts.filter((part) => part !== undefined);
const ofParameter = ({ target, preset }: Parameter): readonly Part[] => some(preset, target);

/** The parts right within a part, in their order. */
export function partsWithin(part: Part): readonly Part[] {
  switch (part.kind) {
    case 'member':
      return [part.object];
    case 'index':
      return [part.object, ...part.keys];
    case 'call':
      return [part.callee, ...part.given.map(({ part: given }) => given)];
    case 'values':
    case 'block':
    case 'return':
    case 'act':
      return part.parts;
    case 'object':
      return part.members.flatMap(({ key, value }) => some(key, value));
    case 'asked':
      return [part.name, part.object];
    case 'each':
      return [...part.loops, ...part.results];
    case 'loop':
      return [part.list, ...part.targets];
    case 'bind':
      return [part.value, ...part.targets];
    case 'pattern':
      return part.properties.flatMap(ofParameter);
    case 'with':
      return some(part.value, part.target);
    case 'remove':
      return part.targets;
    case 'field':
      return some(part.value);
    case 'decorated':
      return [...part.decorators, part.of];
    case 'function':
      return [...part.parameters.flatMap(ofParameter), part.body];
    case 'class':
      return [...part.bases, ...part.body];
    default:
      return NONE;
  }
}
