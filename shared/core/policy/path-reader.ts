// Reads the values of paths from facts: own members of plain objects only, and nothing from a policy is ever executed.
import { isPattern } from '../intent/resource.ts';
import { type Step, stepOf, valuesAt } from '../tools/arguments.ts';
import { EVERY_ATTRIBUTE } from '../resources/registry.ts';
import { AnyOf, PARTLY } from './any-of.ts';
import { timeOf } from './values.ts';
import { ARGUMENTS, fixedEntry, type VocabularyEntry } from './vocabulary.ts';

/** Returns an own member of a plain object; undefined for lists, inherited members and other values. */
function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
    return undefined;
  // Object.hasOwn has shown that the member exists.
  return (value as Record<string, unknown>)[key];
}

/** Reads one full path from the facts; undefined when the value is missing. Never executes anything from a policy. */
export type PathReader = (facts: object) => unknown;

/**
 * Whether a request for a pattern leaves the path undetermined: the path names one object, and the pattern covers many. The domain is the
 * first segment, so only the pattern `*` leaves the domain undetermined.
 */
export function isLeftOpen(path: string, facts: object): boolean {
  if (fixedEntry(path)?.openInPattern !== true) return false;
  const resource = own(own(facts, 'intent'), 'resource');
  if (typeof resource !== 'string' || !isPattern(resource)) return false;
  return path !== 'intent.domain' || resource === '*';
}

/**
 * The uncertain part of a risk: a risk that is higher only because facts are missing counts as missing where the difference matters.
 * Otherwise a caller could make a rule hold for certain by leaving out a fact.
 */
const RISK_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['intent.risk.level', 'level'],
  ['intent.risk.score', 'score'],
]);

function riskReader(member: string, read: PathReader): PathReader {
  return (facts) => {
    const value = read(facts);
    const certain = own(own(own(facts, 'intent'), 'risk'), 'certain');
    return certain === undefined || own(certain, member) === value ? value : undefined;
  };
}

/** Reads an argument of the call; several values when the path goes into lists. */
function argumentReader(path: string): PathReader {
  const steps: readonly Step[] = path.split('.').map(stepOf);
  const isSeveral = steps.some(({ every }) => every);
  return (facts) => {
    const args = own(own(facts, 'tool'), 'arguments');
    if (args === undefined) return undefined;
    const values = valuesAt(args, steps).map((value) => value ?? undefined);
    return isSeveral ? new AnyOf(values) : values[0];
  };
}

/** Whether a value has the type that attributes.json declares, and is one of the declared values. */
export function isOfType(value: unknown, { type, values }: Pick<VocabularyEntry, 'type' | 'values'>): boolean {
  const isAllowed = (text: unknown): boolean =>
    typeof text === 'string' && (values === undefined || values.includes(text));
  switch (type) {
    case 'string':
      return isAllowed(value);
    case 'strings':
      return Array.isArray(value) && value.every(isAllowed);
    case 'timestamp':
      return timeOf(value) !== undefined;
    default:
      return typeof value === type;
  }
}

/** Whether the key that asks has one of the tags. */
function hasTag(facts: object, tags: readonly string[]): boolean {
  const found = own(own(facts, 'key'), 'tags');
  return Array.isArray(found) && tags.some((tag) => found.includes(tag));
}

/** Reads a declared path: what contradicts its declaration, or comes from a key that may not set it, counts as missing. */
function declaredReader(entry: VocabularyEntry, read: PathReader): PathReader {
  const { onlyFrom } = entry;
  return (facts) => {
    const value = read(facts);
    if (value === PARTLY) return value;
    if (value === undefined || !isOfType(value, entry)) return undefined;
    return onlyFrom === undefined || hasTag(facts, onlyFrom) ? value : undefined;
  };
}

const OF_RESOURCE = 'resource.attributes.';

/** Reads an attribute of the resource, which may differ among the resources that a request covers. */
function resourceReader(name: string, read: PathReader): PathReader {
  return (facts) => {
    const varies = own(own(facts, 'resource'), 'varies');
    if (!Array.isArray(varies)) return read(facts);
    return varies.includes(name) || varies.includes(EVERY_ATTRIBUTE) ? PARTLY : read(facts);
  };
}

function plainReader(path: string): PathReader {
  const keys = path.split('.');
  const read: PathReader = (facts) => {
    let value: unknown = facts;
    for (const key of keys) value = own(value, key);
    return value === null ? undefined : value;
  };
  return path.startsWith(OF_RESOURCE) ? resourceReader(path.slice(OF_RESOURCE.length), read) : read;
}

/**
 * Returns the reader of a full path such as `trust.recorded.level`. Null counts as missing.
 * @param entry of the path in the vocabulary of the set; without it, the declared type and source of a value are not checked
 */
export function pathReader(path: string, entry?: VocabularyEntry): PathReader {
  // Always answerable: whoever asks without a call does not ask about one.
  if (path === 'tool.present') return (facts) => own(facts, 'tool') !== undefined;
  if (path.startsWith(`tool.${ARGUMENTS}`)) return argumentReader(path.slice(`tool.${ARGUMENTS}`.length));
  const read = plainReader(path);
  if (entry?.isDeclared === true) return declaredReader(entry, read);
  const riskMember = RISK_MEMBERS.get(path);
  if (riskMember !== undefined) return riskReader(riskMember, read);
  if (fixedEntry(path)?.openInPattern !== true) return read;
  return (facts) => (isLeftOpen(path, facts) ? undefined : read(facts));
}
