// Translates Ajv errors about a policy into messages for its author: one problem per mistake, with a suggestion for a misspelt name.
import type { ErrorObject } from 'ajv/dist/2020.js';
import { memberOf, pointerNames, pointerToken } from '../../kernel/json.ts';
import { didYouMean, nearestName } from '../../kernel/near.ts';
import { wordMap } from '../intent/text/word-set.ts';
import { type Declarations, NO_DECLARATIONS } from './declarations.ts';
import { OPERATOR_NAMES } from './operators.ts';
import type { PolicyStage } from '../../kernel/vocabulary.ts';
import type { FindingCode } from './types.ts';
import { lookUp } from './vocabulary.ts';

/** A finding without its file and position. */
export interface Problem {
  readonly code: FindingCode;
  readonly pointer: string;
  readonly message: string;
}

/** The result of checking a document. */
export type Checked<T> =
  | { readonly ok: true; readonly item: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Quotes a text from a policy for a message, shortened when it is long. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}

/** Returns the value at a pointer of Ajv. */
export function valueAt(document: unknown, pointer: string): unknown {
  return pointerNames(pointer).reduce<unknown>(memberOf, document);
}

export function stageOf(document: unknown): PolicyStage {
  return valueAt(document, '/stage') === 'intake' ? 'intake' : 'enforce';
}

/** The names that other rule engines and languages use for these operators. */
const OTHER_NAMES = wordMap({
  equal: '= == === eq equals is',
  notEqual: '!= !== ne',
  lessThan: '< lt',
  lessThanInclusive: '<= lte',
  greaterThan: '> gt',
  greaterThanInclusive: '>= gte',
  isPresent: 'exists',
  contains: 'includes',
  matchesPattern: 'matches',
  matchesGlob: 'like glob',
});

/** Finer verbs, which a target must name by their class, and other words for environments. */
const OTHER_WORDS = wordMap({
  read: 'view get list query',
  create: 'add insert',
  update: 'write edit modify',
  delete: 'drop remove destroy truncate',
  execute: 'run deploy',
  send: 'email post',
  transfer: 'pay',
  live: 'production prod',
  test: 'staging',
  dev: 'development',
});

const TEST_MEMBER = ': a test file has it, and those belong into the folder "tests"';
const CATALOGUE_MEMBER = ': a tool catalogue has it, and those belong into the folder "tools"';
/** Members of a policy that a tool catalogue does not have. */
const OF_POLICIES: readonly string[] = ['id', 'stage', 'target', 'rules'];

/** Members of json-rules-engine or of test files that this format does not have, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  params: ': facts take no parameters',
  cases: TEST_MEMBER,
  matrix: TEST_MEMBER,
  fixtures: TEST_MEMBER,
  server: CATALOGUE_MEMBER,
  tools: CATALOGUE_MEMBER,
  priority: ': the order of rules means nothing; DENY over ESCALATE over DEGRADE over ALLOW',
};

/** Descriptions of the schema's patterns. */
const IN_WORDS: readonly (readonly [end: RegExp, words: string])[] = [
  [/^\/id$/, 'must be lower-case letters, digits, ".", "_" and "-", beginning with a letter or digit, at most 128'],
  [/\/name$/, 'must be lower-case letters, digits and "-", beginning with a letter or digit, at most 100'],
  [/\/code$/, 'must be capital letters, digits and "_", beginning with a letter, at most 64, such as TRUST_TOO_LOW'],
  [/\/definition$/, 'must be "sha256:" and 64 hexadecimal digits, as custos tools import writes it'],
  [/\/(factor|type)$/, 'must be lower-case letters, digits and "_", beginning with a letter, at most 64'],
];

function unknownOperator(name: unknown): string {
  const text = typeof name === 'string' ? name : '';
  const other = OTHER_NAMES.get(text) ?? (/regex/i.test(text) ? 'matchesPattern' : nearestName(text, OPERATOR_NAMES));
  const meant = other === undefined ? '' : `; did you mean "${other}"?`;
  return `there is no operator ${shown(name)}${meant}; known are ${OPERATOR_NAMES.join(', ')}`;
}

/**
 * Returns `; did you mean "live"?` for a word close to one of a closed list, a known synonym of one, or a verb of the lexicon whose action is
 * in the list; otherwise the empty string.
 */
export function meantOf(value: unknown, names: readonly string[], { verbs }: Pick<Declarations, 'verbs'> = {}): string {
  const text = typeof value === 'string' ? value : '';
  const word = OTHER_WORDS.get(text);
  if (word !== undefined && names.includes(word)) return `; did you mean "${word}"?`;
  const near = didYouMean(text, names);
  const verb = verbs?.actionOf(text) === undefined ? nearestName(text, verbs?.all ?? []) : text;
  const action = verb === undefined ? undefined : verbs?.actionOf(verb);
  if (action === undefined || !names.includes(action) || (verb !== text && near !== '')) return near;
  return `; the lexicon counts the verb "${verb}" as "${action}": did you mean "${action}"?`;
}

function oneOf(value: unknown, allowed: readonly unknown[], declarations: Declarations): string {
  const names = allowed.map(String);
  const text = typeof value === 'string' ? value : '';
  if (text === 'RISK' && names.includes('DENY'))
    return `"RISK" is an event of policies of stage "intake"; those of stage "enforce" have ${names.join(', ')}`;
  return `${shown(value)} is not one of ${names.join(', ')}${meantOf(value, names, declarations)}`;
}

/** The unknown member and the known ones. */
function strangerOf(error: ErrorObject): { readonly key: string; readonly known: readonly string[] } {
  const key = String(error.params['additionalProperty']);
  return { key, known: Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {}) };
}

function unknownMember(error: ErrorObject): string {
  const { key, known } = strangerOf(error);
  if (known.includes('trustAnnotations') && OF_POLICIES.includes(key))
    return `unknown member ${shown(key)}: a policy has it, and those lie outside of the folder "tools"`;
  const isMisspelt = key === 'condition' && known.includes('conditions');
  const note = !isMisspelt && Object.hasOwn(LEFT_OUT, key) ? LEFT_OUT[key] : undefined;
  if (/\/obligations\/\d+$/.test(error.instancePath) && known.includes('params'))
    return `unknown member ${shown(key)}: an obligation of your own kind carries its data in "params"`;
  return `unknown member ${shown(key)}${
    note ??
    didYouMean(
      key,
      known.filter((other) => other !== key),
    )
  }`;
}

const JUNCTIONS = ['all', 'any', 'not', 'condition'];

/** Describes a node of conditions that is neither one junction nor one comparison. */
function neitherNor(value: unknown, pointer: string): string {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const junctions = keys.filter((key) => JUNCTIONS.includes(key));
  const isRoot = pointer.endsWith('/conditions');
  if (junctions.length > 0)
    return `has ${keys.map(shown).join(' and ')} side by side, of which only one would count: put one of all, any, not, condition here, and the others inside it`;
  const missing = ['fact', 'operator', 'value'].filter((key) => !keys.includes(key));
  if (isRoot && missing.length < 3)
    return 'must have exactly one of all, any, not: put the comparison into "all": [...]';
  if (!isRoot && missing.length < 3) return `the member ${missing.map(shown).join(' and ')} is missing`;
  return isRoot
    ? 'must have exactly one of all, any, not'
    : 'must have exactly one of all, any, not; or fact, operator and value';
}

/** The vocabulary's message about the comparison around a `fact` or `path` that the schema refused. */
function factProblem(document: unknown, pointer: string, declarations: Declarations): string | undefined {
  const around = pointer.slice(0, pointer.lastIndexOf('/'));
  const fact = valueAt(document, `${around}/fact`);
  const path = valueAt(document, `${around}/path`);
  if (typeof fact !== 'string' || (path !== undefined && typeof path !== 'string')) return undefined;
  const entry = lookUp(fact, path, stageOf(document), declarations);
  return typeof entry === 'string' ? entry : undefined;
}

/** The message for a keyword that does not depend on the document; undefined leaves the message to Ajv. */
export function plainly(error: ErrorObject): string | undefined {
  const { keyword, params } = error;
  switch (keyword) {
    case 'minItems':
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : undefined;
    case 'maxItems':
      return `must have at most ${params['limit']} items`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'maxProperties':
      return `must have at most ${params['limit']} members`;
    case 'minimum':
      return `must be at least ${params['limit']}`;
    case 'maximum':
      return `must be at most ${params['limit']}`;
    case 'uniqueItems':
      return `has the same item twice (numbers ${Number(params['j']) + 1} and ${Number(params['i']) + 1})`;
    case 'type':
      return `must be ${/^[aeiou]/.test(String(params['type'])) ? 'an' : 'a'} ${params['type']}`;
    case 'not':
      return "is the service's own";
    case 'pattern':
      return IN_WORDS.find(([end]) => end.test(error.instancePath))?.[1];
    default:
      return undefined;
  }
}

/** Converts one error of Ajv (with `verbose`) about a file of a policy set. @param declarations of the set, for a policy */
export function problemOf(document: unknown, error: ErrorObject, declarations = NO_DECLARATIONS): Problem {
  const pointer = error.instancePath;
  const inCondition = /^\/(?:rules\/\d+\/conditions|conditions\/[^/]+\/condition\b)/.test(pointer);
  const { keyword, params } = error;
  const value = valueAt(document, pointer);
  const schema = (message: string): Problem => ({ code: 'SCHEMA', pointer, message });
  if (keyword === 'additionalProperties') {
    const key = String(params['additionalProperty']);
    return { code: 'SCHEMA', pointer: pointer + pointerToken(key), message: unknownMember(error) };
  }
  if (keyword === 'required') {
    const key = String(params['missingProperty']);
    const isPath = inCondition && key === 'path';
    const message = isPath ? factProblem(document, `${pointer}/path`, declarations) : undefined;
    return {
      code: isPath ? 'UNKNOWN_FACT' : 'SCHEMA',
      pointer,
      message: message ?? `the member ${shown(key)} is missing`,
    };
  }
  if (keyword === 'oneOf') return schema(neitherNor(value, pointer));
  if (inCondition && /\/(fact|path)$/.test(pointer)) {
    const message = factProblem(document, pointer, declarations) ?? plainly(error) ?? error.message ?? 'is not known';
    return { code: 'UNKNOWN_FACT', pointer, message };
  }
  if (keyword === 'enum') {
    if (inCondition && pointer.endsWith('/operator'))
      return { code: 'UNKNOWN_OPERATOR', pointer, message: unknownOperator(value) };
    const allowed: unknown = params['allowedValues'];
    return schema(oneOf(value, Array.isArray(allowed) ? allowed : [], declarations));
  }
  if (keyword === 'const' && /^\/rules\/\d+\/event\/type$/.test(pointer))
    return schema(
      `policies of stage ${shown(stageOf(document))} have events of type ${shown(params['allowedValue'])} only`,
    );
  if (keyword === 'const') return schema(`must be ${shown(params['allowedValue'])}`);
  if (pointer.endsWith('/params/obligations') && keyword === 'false schema')
    return schema('only DEGRADE has obligations');
  if (/\/params\/(?:approvers|ttl)$/.test(pointer) && keyword === 'false schema')
    return schema(`only ESCALATE has ${pointer.slice(pointer.lastIndexOf('/') + 1)}`);
  return schema(plainly(error) ?? error.message ?? 'is not what the schema says');
}

const EVENT_TYPE = /^(\/rules\/\d+\/event)\/type$/;

/** Drops errors that follow from another error, so that each mistake is reported once, where it was made. */
export function withoutEchoes(errors: readonly ErrorObject[]): ErrorObject[] {
  const mistyped = new Set<string>();
  const meant = new Set<string>();
  const events = new Set<string>();
  for (const error of errors) {
    const { keyword, instancePath } = error;
    if (keyword === 'type') mistyped.add(instancePath);
    const event = EVENT_TYPE.exec(instancePath)?.[1];
    if (event !== undefined) events.add(`${event}/params`);
    if (keyword !== 'additionalProperties') continue;
    const { key, known } = strangerOf(error);
    const others = known.filter((other) => other !== key);
    meant.add(`${instancePath} ${nearestName(key, others)}`);
  }
  return errors.filter(({ keyword, instancePath, params }) => {
    // The report of a misspelt member already names the missing one.
    if (keyword === 'required' && meant.has(`${instancePath} ${String(params['missingProperty'])}`)) return false;
    // A value of the wrong type is also outside every list.
    if (keyword === 'enum' && mistyped.has(instancePath)) return false;
    // The members of an event depend on its type.
    return ![...events].some((at) => instancePath === at || instancePath.startsWith(`${at}/`));
  });
}

/** Ajv also reports the keywords that enclose a failure; those add nothing. */
export function isNoise(error: ErrorObject): boolean {
  return error.keyword === 'if' || /\/oneOf\/\d+\//.test(error.schemaPath);
}
