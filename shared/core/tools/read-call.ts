// What a tool call does, by the catalogue: its facts, and the intent that policies judge. Total: whatever is not known is `unknown`.
import { noEntities } from '../intent/text/entities.ts';
import { type JudgedWhole, strictest } from '../intent/assess/strictness.ts';
import { type CodeKind, readCode } from '../intent/code/script.ts';
import type { Lexicon } from '../intent/lexicon/types.ts';
import { readNormalized } from '../intent/normalized.ts';
import { parseIntent } from '../intent/parse.ts';
import { canonicalResource, isPattern, normalizedOf } from '../intent/resource.ts';
import type { ParsedIntent } from '../intent/types.ts';
import type { Action, DataClass, Effect, IntentFlag, Trait } from '../../kernel/vocabulary.ts';
import { valuesAt } from './arguments.ts';
import { ANNOTATION_HINTS, argumentsDigest, type ToolAnnotations, type ToolCall, type ToolFacts } from './call.ts';
import type { CompiledCatalogue, CompiledTool, ReadArgument, ToolCatalogues } from './catalogue.ts';
import type { ReadKind } from './schema.ts';
import { sensitiveUrls } from './sensitive-urls.ts';
import { coveringAll, fill, type Template } from './template.ts';

export interface ReadCall {
  readonly tool: ToolFacts;
  /** Without what other parts of the service add: risk, depth, whether it was parsed. */
  readonly intent: Omit<ParsedIntent, 'alternatives' | 'unread'> & { readonly resource: string };
}

/** One thing that a call does, and nothing else of it. */
const doing = (action: Action, effect: Effect): JudgedWhole => ({
  verb: action,
  action,
  effect,
  extent: 'one',
  traits: [],
  confidence: 1,
  coverage: 1,
  entities: noEntities(),
  data_classes: [],
  flags: [],
  places: [],
});

/** A meaning that no ALLOW matches. Not destructive: a human decides, as about a text that is not understood. */
const UNKNOWN = doing('unknown', 'write');
/** The confidence of a string whose action is not known (core/intent/normalized.ts). */
const NOT_UNDERSTOOD: JudgedWhole = { ...UNKNOWN, confidence: 0.1, flags: ['not_understood'] };

/** What is true of a call, whatever it does. */
type Beside = Partial<Pick<JudgedWhole, 'traits' | 'entities' | 'data_classes' | 'flags' | 'places'>>;

const withBeside = (judged: JudgedWhole, beside: Beside): JudgedWhole => strictest(judged, { ...judged, ...beside });

/** Flags that say something about a text inside a call, and not about its form as a request. */
const FLAGS: readonly IntentFlag[] = ['prompt_injection', 'obfuscated', 'secret_in_text'];

const SECRET: IntentFlag = 'secret_in_text';
const CREDENTIALS: DataClass = 'credentials';

/** The longest text that is read, as of `POST /v1/intent`. The rest of a longer one is not understood. */
const MAX_READ_LENGTH = 10_000;

/** How much all `reads` of one call may take: as many characters as the longest text. What is beyond is not understood. */
interface ReadBudget {
  /** A short text takes 0.5 ms. */
  items: number;
  /** A thousand of them take 2 to 15 ms. */
  characters: number;
}
const newBudget = (): ReadBudget => ({ items: 100, characters: MAX_READ_LENGTH });

/** What a code or text does, each a meaning of the call, and what else it says. */
interface Said {
  readonly does: readonly JudgedWhole[];
  readonly beside: Beside;
}

const judgedOf = (parse: ParsedIntent): JudgedWhole => {
  const { normalized: _, domain: __, object: ___, alternatives: ____, unread: _____, ...judged } = parse;
  return judged;
};

/** A text that is carried out is read as strictly as if it were parsed and then enforced: all of both readings counts. */
function readRequest(parse: ParsedIntent, lexicon: Lexicon): Pick<Said, 'does'> {
  const [domain = '', actionWord = '', ...object] = parse.normalized.split('.');
  const string = readNormalized({ actionWord, segments: [domain, ...object] }, lexicon);
  return { does: [judgedOf(parse), judgedOf(string)] };
}

/** Content that is stored or sent. What it asks for counts; one that asks for nothing says nothing about the call. */
function readContent({ action, verb, effect, extent, meanings, domain }: ParsedIntent, beside: Beside): Said {
  // Code in it that is not understood has a domain.
  if (action === 'unknown') return { does: domain === 'unknown' ? [] : [NOT_UNDERSTOOD], beside };
  const asked = { ...doing(action, effect), verb, extent, ...(meanings === undefined ? {} : { meanings }) };
  return { does: [asked], beside };
}

function readSource(text: string, kind: CodeKind, lexicon: Lexicon, beside: Beside): Said {
  const { fragments, isUnderstood } = readCode(kind, text, lexicon);
  const found = fragments.map(
    (fragment): JudgedWhole => ({
      ...doing(fragment.action, fragment.effect),
      verb: fragment.verb,
      extent: fragment.extent,
      traits: [...fragment.traits],
    }),
  );
  return { does: isUnderstood ? found : [...found, NOT_UNDERSTOOD], beside };
}

function readText(whole: string, kind: ReadKind, lexicon: Lexicon, budget: ReadBudget): Said {
  const text = whole.slice(0, Math.min(MAX_READ_LENGTH, budget.characters));
  budget.items -= 1;
  budget.characters -= text.length;
  const parse = parseIntent(text, lexicon);
  const { traits, entities, places } = parse;
  const { carriesSecret, isMetadata } = sensitiveUrls(
    kind === 'http' ? [text.trim(), ...entities.urls] : entities.urls,
  );
  const flags = [...parse.flags.filter((flag) => FLAGS.includes(flag)), ...(carriesSecret ? [SECRET] : [])];
  const data_classes = [...parse.data_classes, ...(isMetadata ? [CREDENTIALS] : [])];
  const beside = { traits, entities, data_classes, places, flags };
  const said = readAs(kind, { text, parse, beside }, lexicon);
  // In C a text ends at a zero character, so that less of it may be carried out, such as a deletion without its condition.
  const isWhole = text.length === whole.length && !text.includes('\0');
  return isWhole ? said : { ...said, does: [...said.does, NOT_UNDERSTOOD] };
}

function readAs(
  kind: ReadKind,
  { text, parse, beside }: { readonly text: string; readonly parse: ParsedIntent; readonly beside: Beside },
  lexicon: Lexicon,
): Said {
  if (kind === 'content') return readContent(parse, beside);
  if (kind !== 'text') return readSource(text, kind, lexicon, beside);
  return text.trim() === '' ? { does: [], beside } : { ...readRequest(parse, lexicon), beside };
}

/** What the call turned out to be, and why it is not known. */
interface Reading {
  readonly resource: string;
  /** Every resource that the arguments name, also those that `resource` and the places cover together. */
  readonly touched: readonly string[];
  readonly judged: JudgedWhole;
  readonly problem?: string | undefined;
}

/** The reading of a call with what an argument says. An item that can not be read does not undo what the others say. */
function withArgument(
  judged: JudgedWhole,
  { pointer, steps, kind }: ReadArgument,
  args: object,
  lexicon: Lexicon,
  budget: ReadBudget,
): { readonly judged: JudgedWhole; readonly problem?: string } {
  const name = JSON.stringify(pointer);
  let joined = judged;
  let problem: string | undefined;
  for (const value of valuesAt(args, steps)) {
    if (typeof value !== 'string') {
      problem ??= `the argument ${name} is ${value === undefined || value === null ? 'missing' : 'not a text'}`;
      continue;
    }
    if (budget.items === 0 || budget.characters === 0) {
      joined = strictest(joined, NOT_UNDERSTOOD);
      break;
    }
    const { does, beside } = readText(value, kind, lexicon, budget);
    joined = withBeside(does.reduce(strictest, joined), beside);
  }
  return { judged: joined, ...(problem === undefined ? {} : { problem }) };
}

const MAX_PLACES = 20;
/** A call that names more is unknown: the words of each are read, which takes about 0.3 ms. */
const MAX_TOUCHED = 200;

/** The resource of a call that names none: its tool. Signs that a resource can not have become look-alikes that it can. */
export function toolResource({ server, name }: Pick<ToolCall, 'server' | 'name'>): string {
  const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}._-]+/gu, '_');
  const canonical = canonicalResource(`tools/${plain(server)}/${plain(name)}`);
  return canonical.ok ? canonical.resource : 'tools';
}

/** Reads a call by its entry. Whatever is missing makes it unknown, and does not undo what the entry says. */
function readByEntry(tool: CompiledTool, call: ToolCall, lexicon: Lexicon): Reading {
  const { entry, effect } = tool;
  const args = call.arguments;
  const problems: string[] = [];
  const filled = (template: Template): readonly string[] => {
    const result = fill(template, args);
    if (!result.ok) problems.push(result.message);
    return result.ok ? result.resources : [];
  };
  const named = tool.resource === undefined ? [] : filled(tool.resource);
  const placed = tool.places.map(filled);
  const resource = named.length === 0 ? toolResource(call) : coveringAll(named);
  const extent = entry.extent ?? (isPattern(resource) ? 'many' : 'one');
  const bulk: readonly Trait[] = extent !== 'one' && effect !== 'read' ? ['bulk'] : [];
  let judged: JudgedWhole = {
    ...doing(entry.action, effect),
    extent,
    traits: [...new Set([...(entry.traits ?? []), ...bulk])].sort(),
    data_classes: [...(entry.dataClasses ?? [])].sort(),
    places: placed.flatMap((places) => (places.length > MAX_PLACES ? [coveringAll(places)] : places)),
  };
  const budget = newBudget();
  for (const argument of tool.reads) {
    const said = withArgument(judged, argument, args, lexicon, budget);
    if (said.problem !== undefined) problems.push(said.problem);
    judged = said.judged;
  }
  const touched = [...new Set([...named, ...placed.flat()])];
  if (touched.length > MAX_TOUCHED) problems.push(`the arguments name more than ${MAX_TOUCHED} resources`);
  return { resource, touched: touched.slice(0, MAX_TOUCHED), judged, problem: problems[0] };
}

/** Reads a call by the hints of a server that the catalogue trusts (MCP: the defaults are not read-only, and destructive). */
function readByAnnotations(call: ToolCall): Reading {
  const { readOnlyHint, destructiveHint } = call.annotations ?? {};
  const resource = toolResource(call);
  if (readOnlyHint === true) return { resource, touched: [], judged: doing('read', 'read') };
  return { resource, touched: [], judged: doing('execute', destructiveHint === false ? 'write' : 'destructive') };
}

function readBy(catalogue: CompiledCatalogue | undefined, call: ToolCall, lexicon: Lexicon): Reading {
  const entry = catalogue?.tools.get(call.name);
  if (entry !== undefined) return readByEntry(entry, call, lexicon);
  if (catalogue?.trustAnnotations === true) return readByAnnotations(call);
  const what =
    catalogue === undefined
      ? `server ${JSON.stringify(call.server)} has no catalogue`
      : `catalogue of ${JSON.stringify(call.server)} has no such tool`;
  return { resource: toolResource(call), touched: [], judged: UNKNOWN, problem: `the ${what}` };
}

/** The hints that are known, and their title. */
function annotationsOf({ annotations }: ToolCall): { annotations?: ToolAnnotations } {
  if (annotations === undefined) return {};
  const known = [...ANNOTATION_HINTS, 'title' as const].flatMap((name) =>
    annotations[name] === undefined ? [] : [[name, annotations[name]] as const],
  );
  return { annotations: Object.fromEntries(known) };
}

/** What a catalogue says of a call. */
export interface CallByCatalogue extends Pick<ToolFacts, 'changed' | 'problem'> {
  readonly intent: ReadCall['intent'];
}

/** All of a call that `readByCatalogue` looks at, as a text: calls with the same text have the same result under one policy set. */
export function inputsOfCall(call: ToolCall, catalogues: ToolCatalogues): string {
  const { server, name, definition_digest: digest, annotations: { readOnlyHint, destructiveHint } = {} } = call;
  const inputs = catalogues.get(server)?.tools.get(name)?.inputs ?? [];
  const values = inputs.map((steps) => valuesAt(call.arguments, steps));
  // A member that is absent becomes null, which is read in the same way: as absent.
  return JSON.stringify([server, name, digest, readOnlyHint, destructiveHint, values]);
}

/**
 * Reads a call. The action is `unknown` where no catalogue says what it does, an argument that it needs is missing or wrong, or the
 * tool is not the one that was pinned; what the entry says of it counts beside that. Depends on `inputsOfCall` and the policy set.
 */
export function readByCatalogue(call: ToolCall, catalogues: ToolCatalogues, lexicon: Lexicon): CallByCatalogue {
  const catalogue = catalogues.get(call.server);
  const { resource, touched, judged: own, problem } = readBy(catalogue, call, lexicon);
  const pinned = catalogue?.tools.get(call.name)?.entry.definition;
  const changed = pinned !== undefined && pinned !== call.definition_digest;
  const doubts = [...(problem === undefined ? [] : [NOT_UNDERSTOOD]), ...(changed ? [UNKNOWN] : [])];
  // The words of every resource say which data is touched, and where; what is done to it, only the catalogue says.
  const wordsOf = (named: string): ReturnType<typeof readNormalized> =>
    readNormalized({ actionWord: own.action, segments: named.split('/') }, lexicon);
  const { domain, object, ...words } = wordsOf(resource);
  const beside = [
    words,
    ...[...new Set([...touched, ...own.places])].filter((named) => named !== resource).map(wordsOf),
  ];
  const judged = withBeside(doubts.reduce(strictest, own), {
    places: beside.flatMap(({ places }) => places),
    data_classes: beside.flatMap(({ data_classes: classes }) => classes),
  });
  const intent = { ...judged, normalized: normalizedOf(resource, own.action), domain, object, resource };
  return { intent, changed, ...(problem === undefined ? {} : { problem }) };
}

/** The facts of a call. @param argumentsText the canonical JSON of its arguments, where the caller has it */
export function factsOfCall(
  call: ToolCall,
  { changed, problem }: Pick<ToolFacts, 'changed' | 'problem'>,
  argumentsText?: string,
): ToolFacts {
  const { server, name, arguments: args, definition_digest: digest } = call;
  return {
    server,
    name,
    arguments: args,
    arguments_digest: argumentsDigest(args, argumentsText),
    ...(digest === undefined ? {} : { definition_digest: digest }),
    ...annotationsOf(call),
    known: problem === undefined,
    changed,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** A call with its intent. */
export function readCall(call: ToolCall, catalogues: ToolCatalogues, lexicon: Lexicon): ReadCall {
  const read = readByCatalogue(call, catalogues, lexicon);
  return { tool: factsOfCall(call, read), intent: read.intent };
}
