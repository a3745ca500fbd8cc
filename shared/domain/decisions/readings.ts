// Reads normalized strings and stored parses into facts for policies, cached per policy set.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { flatText } from '../../kernel/flat-text.ts';
import { ACTIONS } from '../../kernel/vocabulary.ts';
import { invalidField } from '../../kernel/errors.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import { readNormalized } from '../../core/intent/normalized.ts';
import { actionOf } from '../../core/intent/strings/action-word.ts';
import { segmentsAsTheyLook } from '../../core/intent/strings/segments.ts';
import type { ParsedIntent } from '../../core/intent/types.ts';
import {
  canonicalResource,
  type EnforceIntent,
  intentOf,
  normalizedOf,
  parseEnforceIntent,
} from '../../core/intent/resource.ts';
import type { PolicySet } from '../../core/policy/load.ts';
import {
  canonicalToolFacts,
  checkedArguments,
  type ToolCall,
  type ToolFacts,
  toolMember,
} from '../../core/tools/call.ts';
import { type CallByCatalogue, factsOfCall, inputsOfCall, readByCatalogue } from '../../core/tools/read-call.ts';
import type { IntentFacts, Requested, Risk, RiskFacts } from '../../core/policy/types.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { intentMember } from '../../core/decision/record.ts';

/** The facts of an intent without its risk, and the names under which parses of it are found. */
export interface IntentReading {
  readonly unassessed: RiskFacts['intent'];
  /** Normalized strings of parses of the same intent: with the action as written and as meant, and the resource as written and without look-alikes. */
  readonly names: readonly string[];
  /**
   * A parse that counts was not read a second time: no second reader was in use then, or it was not asked because the text was not
   * permitted then.
   */
  readonly lacksSecondReading: boolean;
  /** The call that was read; absent when the question is none. */
  readonly call?: ReadToolCall;
  withRisk(risk: Risk): AssessedIntent;
}

/** A call with its texts. */
export interface ReadToolCall {
  readonly facts: ToolFacts;
  /** JCS of the facts. */
  readonly canonical: string;
  /** JCS of the part that a decision repeats. */
  readonly member: string;
}

/** A reading with its risk. Its texts are built on demand, because a parse that is only shown needs none. */
export class AssessedIntent {
  readonly facts: IntentFacts;
  readonly risk: Risk;
  private canonicalText: string | undefined;
  private memberText: string | undefined;

  constructor(unassessed: RiskFacts['intent'], risk: Risk) {
    this.facts = { risk, ...unassessed };
    this.risk = risk;
  }
  /** JCS of the facts. */
  get canonical(): string {
    this.canonicalText ??= flatText(canonicalize(this.facts));
    return this.canonicalText;
  }
  /** JCS of the part that a decision repeats. */
  get member(): string {
    this.memberText ??= flatText(canonicalize(intentMember(this.facts)));
    return this.memberText;
  }
}

export function createReading(
  unassessed: RiskFacts['intent'],
  names: readonly string[] = [unassessed.normalized],
  lacksSecondReading = false,
): IntentReading {
  let last: AssessedIntent | undefined;
  return {
    unassessed,
    names,
    lacksSecondReading,
    withRisk(risk) {
      if (last?.risk !== risk) last = new AssessedIntent(unassessed, risk);
      return last;
    },
  };
}

/** The same reading for an installation with a second reader that was not asked about one of its parses. */
export const withReaderAway = ({ unassessed, names }: IntentReading): IntentReading =>
  createReading({ ...unassessed, second_reading: 'away' }, names);

/** Number of segments of a canonical resource other than `*`. */
function depthOf(resource: string): number {
  return resource.split('/').filter((segment) => segment !== '*').length;
}

/** The members of a parse that are facts. A stored parse is the whole answer, which has more members. */
const PARSE_FACTS: Readonly<Record<Exclude<keyof ParsedIntent, 'alternatives' | 'unread'>, true>> = {
  normalized: true,
  domain: true,
  action: true,
  verb: true,
  object: true,
  places: true,
  effect: true,
  traits: true,
  extent: true,
  meanings: true,
  second_reading: true,
  harmless: true,
  confidence: true,
  coverage: true,
  entities: true,
  data_classes: true,
  flags: true,
};
// The record above has each name, or it does not compile.
const PARSE_FACT_NAMES = Object.keys(PARSE_FACTS) as (keyof typeof PARSE_FACTS)[];

/** The facts of a parse. Its resource is `domain/object`, because `d.a.o` is action `a` on resource `d/o`. */
export function readingOfParse(parse: Omit<ParsedIntent, 'alternatives' | 'unread'>): IntentReading {
  const { normalized, domain } = parse;
  const rest = normalized.split('.').slice(2).join('/');
  const resource = rest === '' ? domain : `${domain}/${rest}`;
  const facts: Record<string, unknown> = {};
  for (const name of PARSE_FACT_NAMES) if (parse[name] !== undefined) facts[name] = parse[name];
  return createReading({
    // An enforcement that names a parse sends the normalized string and nothing else.
    requested: { intent: normalized },
    resource,
    depth: depthOf(resource),
    parsed: true,
    // The loop leaves exactly the members of the type.
    ...(facts as unknown as typeof parse),
  });
}

/** The names under which a parse is found: its normalized string as written, and without look-alikes. */
export function namesOfParse({ normalized }: Pick<ParsedIntent, 'normalized'>, lexicon: Lexicon): string[] {
  const [domain = '', action = '', ...rest] = normalized.split('.');
  const [first = '', ...looks] = segmentsAsTheyLook([domain, ...rest], lexicon);
  return [...new Set([normalized, [first, action, ...looks].join('.')])];
}

const MAX_READINGS = 5_000;
/** Of one policy set: of strings, and again of calls. */
const MAX_READINGS_BYTES = 16 * 1_048_576;

/** Upper estimate of the bytes of a reading: its facts, and two texts of them. */
export const bytesOfReading = ({ unassessed }: IntentReading): number => 1_000 + 4 * JSON.stringify(unassessed).length;

/** The lexicon to use: that of a policy set, with the words of an organisation. */
export interface Asking {
  readonly set: PolicySet<Lexicon>;
  /** Slug. */
  readonly organisation: string;
}

export interface IntentReadings {
  /** Reads the string of an enforcement request. @throws {ApiError} E2001 at `pointer` */
  of(asking: Asking, intent: string, pointer: string): IntentReading;
  /** Reads a separate action and resource. @throws {ApiError} E2001 at /action or /resource */
  ofAction(asking: Asking, action: string, resource: string): IntentReading;
  /** Reads a tool call by the catalogues of the set. Its intent is cached, its arguments are not. @throws {ApiError} E2001 below `pointer` */
  ofTool(asking: Asking, call: ToolCall, pointer: string): IntentReading;
}

function readingOf(parsed: EnforceIntent, requested: Requested, lexicon: Lexicon): IntentReading {
  const segments = parsed.resource.split('/');
  const { alternatives: _, unread: __, ...read } = readNormalized({ actionWord: parsed.actionWord, segments }, lexicon);
  const [, named] = read.normalized.split('.');
  const actions = ACTIONS.filter((action) => action === parsed.action || action === named || action === read.action);
  // A look-alike of a parsed string must not be milder than the parse.
  const spellings = [parsed.resource, segmentsAsTheyLook(segments, lexicon).join('/')];
  const names = spellings.flatMap((resource) => actions.map((action) => normalizedOf(resource, action)));
  return createReading(
    {
      // The resource is what the caller wrote; the action that policies match is what the lexicon says is meant.
      ...read,
      requested,
      resource: parsed.resource,
      depth: depthOf(parsed.resource),
      parsed: false,
    },
    [...new Set(names)],
  );
}

/** Calls with longer inputs are not cached: they would evict many others, and are unlikely to be seen again. */
const MAX_KEY_LENGTH = 8_192;

type Cached<Value> = (asking: Asking, text: string, read: (lexicon: Lexicon) => Value) => Value;

/** Readings per policy set. A text gives the same reading in organisations without their own words. */
function createCached<Value>(readingIn: (value: Value) => IntentReading): Cached<Value> {
  const bySet = new WeakMap<PolicySet<Lexicon>, BoundedCache<Value>>();
  return ({ set, organisation }, text, read) => {
    const lexicon = set.lexicon.forOrganisation(organisation);
    // A slug contains no line feed.
    const key = `${lexicon === set.lexicon ? '' : organisation}\n${text}`;
    let readings = bySet.get(set);
    if (readings === undefined) {
      readings = new BoundedCache({
        max: MAX_READINGS,
        maxSize: MAX_READINGS_BYTES,
        sizeOf: ({ length }, value) =>
          length > MAX_KEY_LENGTH ? Infinity : bytesOfReading(readingIn(value)) + 2 * length,
      });
      bySet.set(set, readings);
    }
    const known = readings.get(key);
    if (known !== undefined) return known;
    const value = read(lexicon);
    readings.set(key, value);
    return value;
  };
}

/** A call as its catalogue reads it, without its arguments. */
type CachedCall = Omit<CallByCatalogue, 'intent'> & { readonly reading: IntentReading };

export function createReadings(): IntentReadings {
  const cached = createCached<IntentReading>((reading) => reading);
  const cachedCall = createCached<CachedCall>(({ reading }) => reading);

  return {
    of: (asking, intent, pointer) =>
      cached(asking, `intent\n${intent}`, (lexicon) => {
        const parsed = parseEnforceIntent(intent, (word) => actionOf(word, lexicon)?.action);
        if (!parsed.ok) throw invalidField(pointer, parsed.message);
        return readingOf(parsed, { intent }, lexicon);
      }),
    // Strings and separate actions have different keys, because one form may refuse what the other accepts. An accepted action or
    // resource contains no line feed.
    ofAction: (asking, action, resource) =>
      cached(asking, `action\n${action}\n${resource}`, (lexicon) => {
        const parsed = intentOf(action, resource, (word) => actionOf(word, lexicon)?.action);
        if (!parsed.ok) throw invalidField(canonicalResource(resource).ok ? '/action' : '/resource', parsed.message);
        return readingOf(parsed, { action, resource }, lexicon);
      }),
    ofTool(asking, call, pointer) {
      const { set } = asking;
      const checked = checkedArguments(call.arguments);
      if ('problem' in checked) throw invalidField(`${pointer}/arguments`, checked.problem);
      const { reading, ...said } = cachedCall(asking, inputsOfCall(call, set.tools), (lexicon) => {
        const { intent, ...doubts } = readByCatalogue(call, set.tools, lexicon);
        const requested = { tool: { server: call.server, name: call.name } };
        // No parse of a text says anything about a call.
        const facts = { ...intent, requested, depth: depthOf(intent.resource), parsed: false };
        return { ...doubts, reading: createReading(facts, []) };
      });
      const facts = factsOfCall(call, said, checked.text);
      const canonical = canonicalToolFacts(facts, checked.text);
      return { call: { facts, canonical, member: canonicalize(toolMember(facts)) }, ...reading };
    },
  };
}
