// Completes the few relevant facts to whole facts: derived facts are computed, and all others get default values.
import { noEntities } from '../../intent/text/entities.ts';
import { effectiveTrust, NO_EVIDENCE } from '../../trust/score.ts';
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import { VERDICTS } from '../../../kernel/vocabulary.ts';
import { effectOfAction } from '../../intent/lexicon/effect.ts';
import { isPattern, normalizedOf, overlaps } from '../../intent/resource.ts';
import { timeFactsOf } from '../time.ts';
import type { Facts } from '../types.ts';
import { plainValue } from '../any-of.ts';
import { pathReader } from '../path-reader.ts';
import { timeOf } from '../values.ts';
import { USUAL_TIME_MS, type Assignment } from './dimensions.ts';
import { instanceOf, partsOf } from './resources.ts';
import { Ago } from './values.ts';

function setMember(at: object, key: string, value: unknown): void {
  // A context may have a member __proto__, which an assignment would not create. Defining a member costs several times as much.
  if (key === '__proto__')
    Object.defineProperty(at, key, { value, writable: true, enumerable: true, configurable: true });
  // Any object can take any member; Reflect.set costs several times as much.
  else (at as Record<string, unknown>)[key] = value;
}

function ownMember(at: object, key: string): unknown {
  // Object.hasOwn has shown that the member exists.
  return Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
}

/** Whether a path says that there is no call, or one, and nothing else. */
const PRESENCE = 'tool.present';

/** The time of the decision in some facts; they get the usual one if they have none. */
export function timeFor(facts: object): number {
  const time: unknown = Reflect.get(facts, 'time');
  const now = timeOf(typeof time === 'object' && time !== null ? Reflect.get(time, 'now') : undefined);
  if (now === undefined) setMember(facts, 'time', timeFactsOf(USUAL_TIME_MS));
  return now ?? USUAL_TIME_MS;
}

/**
 * Sets one member by its full path; members on the way that are not objects become objects, and lists of one item where the path goes
 * into a list. Nothing is made for a value that is missing.
 */
export function setPath(facts: object, path: string, value: unknown): void {
  if (path === PRESENCE) {
    if (value === false) Reflect.deleteProperty(facts, 'tool');
    else if (!Object.hasOwn(facts, 'tool')) setMember(facts, 'tool', {});
    return;
  }
  if (value instanceof Ago) {
    setPath(facts, path, new Date(timeFor(facts) - value.ms).toISOString());
    return;
  }
  const keys = keysOf(path);
  const last = keys.at(-1);
  if (last === undefined) return;
  const isInList = path.includes('[]');
  let at = facts;
  for (let i = 0; i < keys.length - 1; i += 1) {
    const key = keys[i] ?? '';
    const next = ownMember(at, key);
    if (typeof next === 'object' && next !== null && (!Array.isArray(next) || isInList)) at = next;
    else {
      if (value === undefined) return;
      const made = keys[i + 1] === '0' && isInList ? [] : {};
      setMember(at, key, made);
      at = made;
    }
  }
  if (value === undefined) Reflect.deleteProperty(at, last);
  // Another path may lead into the value, which other facts share.
  else setMember(at, last, typeof value === 'object' && CALLERS.test(path) ? structuredClone(value) : value);
}

/** Facts of which a path may lead to a whole, and another one into it. */
const CALLERS = /^(?:context|tool\.arguments)\./;

/** Paths of the rules of a few sets; a search sets the same ones thousands of times. */
const keysOfPaths = new BoundedCache<readonly string[]>({ max: 1_000 });

/** The keys of a path; a list's item has the key 0. */
function keysOf(path: string): readonly string[] {
  const known = keysOfPaths.get(path);
  if (known !== undefined) return known;
  const plain = path.split('.');
  const keys = path.includes('[]')
    ? plain.flatMap((key) => (key.endsWith('[]') ? [key.slice(0, -2), '0'] : [key]))
    : plain;
  keysOfPaths.set(path, keys);
  return keys;
}

/** As setPath, on a copy that shares everything beside the path. */
export function withPath(facts: Facts, path: string, value: unknown): Facts {
  const copy = { ...facts };
  let at: object = copy;
  for (const key of keysOf(path).slice(0, -1)) {
    const next = ownMember(at, key);
    if (typeof next !== 'object' || next === null) break;
    const copied = Array.isArray(next) ? next.slice() : { ...next };
    setMember(at, key, copied);
    at = copied;
  }
  setPath(copy, path, value);
  return copy;
}

const USUAL_TIME = Object.freeze(timeFactsOf(USUAL_TIME_MS));
const counts = () => ({ ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 });

/** Default facts: an unregistered agent reads one object. */
export function usualFacts(): Facts {
  return {
    intent: {
      normalized: 'data.read.example',
      domain: 'data',
      action: 'read',
      verb: 'read',
      object: 'example',
      resource: 'data/example',
      places: [],
      effect: 'read',
      traits: [],
      extent: 'one',
      confidence: 1,
      coverage: 1,
      entities: noEntities(),
      data_classes: [],
      flags: [],
      depth: 2,
      parsed: false,
      risk: { level: 'low', score: 0, factors: [] },
    },
    agent: { id: 'agent-1', registered: false, status: 'UNREGISTERED', capabilities: [], tags: [] },
    trust: effectiveTrust({ recordedScore: NO_EVIDENCE.score, uncertainty: NO_EVIDENCE.uncertainty }),
    key: { id: 'key-1', bound: false, environment: 'live', tags: [] },
    context: {},
    time: USUAL_TIME,
    history: { last_60s: counts(), last_1h: counts(), last_24h: counts() },
    organisation: { slug: 'acme' },
    environment: 'live',
  };
}

/** A longer window contains at least the count of a shorter one. */
function completeHistory({ history }: Facts, given: ReadonlySet<string>): void {
  for (const verdict of VERDICTS) {
    let least = history.last_60s[verdict];
    for (const window of ['last_1h', 'last_24h'] as const) {
      // Most facts have no counts, and then nothing is missing.
      if (least > 0 && !given.has(`history.${window}.${verdict}`)) history[window][verdict] = least;
      least = history[window][verdict];
    }
  }
}

/** A call has all of its members. */
function completeTool(facts: Facts, given: readonly Assignment[]): void {
  if (given.some((assignment) => assignment.get(PRESENCE) === false)) delete facts.tool;
  if (facts.tool === undefined) return;
  const usual = {
    server: 'example',
    name: 'example',
    arguments: {},
    arguments_digest: '',
    known: true,
    changed: false,
  };
  facts.tool = { ...usual, ...facts.tool };
}

const TAGS = 'key.tags';

function hasAge(assignment: Assignment): boolean {
  for (const value of assignment.values()) if (value instanceof Ago) return true;
  return false;
}

/** Ages are relative to the time, which must be set before. */
function agesLast(given: readonly Assignment[]): readonly Assignment[] {
  const ages = given.filter(hasAge);
  return ages.length === 0 ? given : [...given.filter((assignment) => !ages.includes(assignment)), ...ages];
}

/**
 * The facts of a request of which some facts are given. @param pattern the target that the request must match; a request for another
 * resource names it as a place
 */
export function factsOf(given: readonly Assignment[], pattern: string): Facts {
  const facts = usualFacts();
  const paths = new Set<string>();
  for (const assignment of agesLast(given))
    for (const [path, value] of assignment) {
      // Both comparisons of the tags and trusted members of the context demand tags.
      const isMore = path === TAGS && Array.isArray(value);
      setPath(facts, path, isMore ? [...new Set([...(facts.key.tags ?? []), ...value])] : value);
      paths.add(path);
    }
  const { intent, agent, trust } = facts;
  Object.assign(intent, partsOf(intent.resource));
  intent.normalized = normalizedOf(intent.resource, intent.action);
  if (!paths.has('intent.verb')) intent.verb = intent.action;
  if (!paths.has('intent.effect')) intent.effect = effectOfAction(intent.action);
  if (!paths.has('intent.extent') && isPattern(intent.resource)) intent.extent = 'all';
  if (!paths.has('intent.places') && !overlaps(pattern, intent.resource)) intent.places = [instanceOf(pattern)];
  if (!paths.has('agent.status') && trust.recorded.score > NO_EVIDENCE.score)
    Object.assign(agent, { registered: true, status: 'ACTIVE' });
  completeHistory(facts, paths);
  completeTool(facts, given);
  return facts;
}

/** Whether the service could produce these facts: some depend on each other in ways that conditions do not show. */
export function areUsual({ agent, trust, history, tool, intent }: Facts): boolean {
  // No catalogue, no meaning; and whatever a changed tool does, it may do more.
  const isCallMeant = tool === undefined || (tool.known && !tool.changed) || intent.action === 'unknown';
  const isTrustKnown = agent.registered || trust.recorded.score <= NO_EVIDENCE.score;
  const isHistoryOrdered = VERDICTS.every(
    (verdict) =>
      history.last_60s[verdict] <= history.last_1h[verdict] && history.last_1h[verdict] <= history.last_24h[verdict],
  );
  return isTrustKnown && isHistoryOrdered && isCallMeant;
}

/** The values of the facts at some paths; null where missing. */
export function valuesAt(facts: Facts, paths: Iterable<string>): Record<string, unknown> {
  return Object.fromEntries([...paths].map((path) => [path, plainValue(pathReader(path)(facts)) ?? null]));
}
