// Reads documents of GraphQL from their syntax tree: operations do what their fields and arguments are named for.
import { parse } from 'graphql/language/parser.js';
import {
  type ArgumentNode,
  type DocumentNode,
  type ObjectFieldNode,
  OperationTypeNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql/language/ast.js';
import { Kind } from 'graphql/language/kinds.js';
import { doingOfState } from './call-effects.ts';
import { gravest, READS, WRITES } from './code.ts';
import { doingOfName, partsOf, verbIn, withNouns } from './names.ts';
import { singular } from '../lexicon/inflection.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';

const MAX_TOKENS = 1_000;
const SKIPPED_OR_BRACE = /"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|[{}]/g;
const NEXT_DEFINITION = /^\s*(?:query|mutation|subscription|fragment)\b[^{}]*\{/;

/** The offset after the definitions of a document that a text begins with; 0 if their braces do not close. */
export function endOfDocument(text: string): number {
  let depth = 0;
  for (const { 0: sign, index } of text.matchAll(SKIPPED_OR_BRACE)) {
    if (sign === '{') depth += 1;
    else if (sign === '}') depth -= 1;
    if (sign === '}' && depth <= 0 && !NEXT_DEFINITION.test(text.slice(index + 1))) return depth < 0 ? 0 : index + 1;
  }
  return 0;
}

/** The shortest document is `{a}`; a word before it says what it is. An object of JSON has a string after its brace. */
const BEGINS = /^[\s,]*(?:#[^\n]*\n\s*)*(?:\{(?=[\s,]*[\w.#])|(?:query|mutation|subscription|fragment)\b[^{}]*\{)/;

function documentOf(text: string): DocumentNode | undefined {
  if (!BEGINS.test(text)) return undefined;
  try {
    return parse(text, { noLocation: true, maxLexicalTokens: MAX_TOKENS });
  } catch {
    return undefined;
  }
}

/** A field that a document asks for. */
interface Asked {
  readonly name: string;
  /** Those of its arguments, and of the members of their values. */
  readonly argumentNames: readonly string[];
  readonly hasSelection: boolean;
  /**
   * Whether it may do something: one at the root or with arguments and, in a mutation, one with a selection or below fields that have no
   * arguments. The others are parts of a result.
   */
  readonly mayAct: boolean;
  /** It has neither arguments nor a selection, and stands right below a field with arguments: `order(id: 3) { delete }`. */
  readonly isLeafOfCall: boolean;
}

function namesIn(value: ValueNode): string[] {
  if (value.kind === Kind.LIST) return value.values.flatMap(namesIn);
  return value.kind === Kind.OBJECT ? value.fields.flatMap(namesOf) : [];
}

const namesOf = ({ name, value }: ArgumentNode | ObjectFieldNode): string[] => [name.value, ...namesIn(value)];

/** All fields. Those of fragments count as fields at the root. */
function fieldsIn({ selections }: SelectionSetNode, isMutation: boolean, atRoot = true, isOfCall = false): Asked[] {
  return selections.flatMap((selection): Asked[] => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsIn(selection.selectionSet, isMutation, atRoot, isOfCall);
    const { arguments: args = [], name, selectionSet: below } = selection;
    const argumentNames = args.flatMap(namesOf);
    const mayAct = atRoot || args.length > 0 || (isMutation && below !== undefined);
    const isNamespace = isMutation && atRoot && args.length === 0;
    const isLeafOfCall = isOfCall && args.length === 0 && below === undefined;
    return [
      { name: name.value, argumentNames, hasSelection: below !== undefined, mayAct, isLeafOfCall },
      ...(below ? fieldsIn(below, isMutation, isNamespace, args.length > 0) : []),
    ];
  });
}

export const doingOfField = (name: string, lexicon: Lexicon): Doing | undefined => {
  const named = doingOfName(name, lexicon);
  return gravest([named && withNouns(named, [name], lexicon), doingOfState(name, '', lexicon)]);
};

/** What a part of a result does that is named for destroying: `delete`, and not `deletedAt`. */
const doingInResult = ({ name, isLeafOfCall }: Asked, lexicon: Lexicon): Doing => {
  const doing = isLeafOfCall ? verbIn(partsOf(name)[0] ?? '', lexicon) : undefined;
  return doing?.effect === 'destructive' ? doing : READS;
};

/** What a field of a query does, which should only read: one that is named for what it does may do it. `issues` are no act. */
function doingInQuery(field: Asked, lexicon: Lexicon): Doing {
  const { name, mayAct, hasSelection } = field;
  const doing = mayAct || hasSelection ? doingOfName(name, lexicon) : undefined;
  if (doing?.effect === 'destructive') return doing;
  return doing !== undefined && mayAct && partsOf(name).length > 1 ? doing : doingInResult(field, lexicon);
}

/** What a field of a mutation does, by its name and those of its arguments: a change at least. A part of a result does nothing. */
function doingInMutation(field: Asked, lexicon: Lexicon): Doing {
  if (!field.mayAct) return doingInResult(field, lexicon);
  const names = [field.name, ...field.argumentNames];
  return gravest([WRITES, ...names.map((one) => doingOfField(one, lexicon))]) ?? WRITES;
}

/** What a field is about: `user` for `deleteUser` and `users`. */
function objectOf(name: string, lexicon: Lexicon): Pick<GraphDocument, 'object' | 'domain'> {
  const parts = partsOf(name);
  const named = parts.length > 1 && verbIn(parts[0] ?? '', lexicon) !== undefined ? parts.slice(1) : parts;
  const noun = singular(named.at(-1) ?? '', lexicon.plurals);
  const object = [...named.slice(0, -1), noun].join('_').slice(0, 64);
  return object === '' ? IN_GRAPH : { object, domain: lexicon.domainOfNoun.get(noun) ?? IN_GRAPH.domain };
}

/** What an operation is about that is not read as a document. */
export const IN_GRAPH = { object: 'graph', domain: 'web' } as const;

export interface GraphDocument {
  readonly doing: Doing;
  /** What the field is about that does most. */
  readonly object: string;
  readonly domain: string;
}

/** What a document of GraphQL does; undefined for a text that is not one. */
export function graphDocument(text: string, lexicon: Lexicon): GraphDocument | undefined {
  const document = documentOf(text);
  const operations = document?.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION) ?? [];
  // A schema, or fragments without an operation.
  if (document === undefined || operations.length === 0) return undefined;
  const isMutation = operations.some(({ operation }) => operation === OperationTypeNode.MUTATION);
  const fields = document.definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION || one.kind === Kind.FRAGMENT_DEFINITION
      ? fieldsIn(one.selectionSet, isMutation)
      : [],
  );
  const doingIn = isMutation ? doingInMutation : doingInQuery;
  const lead = gravest(fields.map((field) => ({ ...doingIn(field, lexicon), name: field.name })));
  if (lead === undefined) return undefined;
  const { name, ...doing } = lead;
  return { doing, ...objectOf(name, lexicon) };
}
