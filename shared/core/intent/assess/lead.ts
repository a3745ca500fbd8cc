// Which of the requests of a text is its result, which are the alternatives, and which action its normalized string names.
import type { Action, Effect, IntentFlag } from '../../../kernel/vocabulary.ts';
import { type CandidateAction, changed, UNKNOWN } from '../grammar/candidate.ts';
import { antecedentIn } from '../grammar/antecedent.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentences } from '../text/tokens.ts';
import type { Alternative } from '../types.ts';

const MAX_ALTERNATIVES = 8;
/** Thousandths of an alternative's confidence for each unit of its certainty. */
const ALTERNATIVE = 800;

/** The share of texts without a request, harmless by the learned weights, that want nothing but to be told. */
const REPORTED = 0.8;

/** What a text that requests nothing, and is harmless, is read as: it tells or names what it is about. `Missing labels on team photos` */
export function reportIn(sentences: Sentences, lexicon: Lexicon): CandidateAction {
  const about = antecedentIn(sentences, 0, Number.POSITIVE_INFINITY, lexicon);
  const report = { verb: 'report', action: 'read', effect: 'read', certainty: REPORTED } as const;
  return changed(changed(UNKNOWN, about ?? { domain: lexicon.defaultDomain }), report);
}

/** The most consequential of the requests, which are in this order; UNKNOWN when all are too weak. */
export function leadOf(asked: readonly CandidateAction[]): CandidateAction {
  const lead = asked.find(({ weak, objectKnown }) => !weak || objectKnown);
  return lead === undefined || (lead.weak && asked.length === 1) ? UNKNOWN : lead;
}

const nameOf = ({ domain, action, object }: CandidateAction): string => `${domain}.${action}.${object}`;

/** The other requested actions, most consequential first. */
export function alternativesOf(asked: readonly CandidateAction[], lead: CandidateAction): Alternative[] {
  const found = new Map<string, Alternative>();
  const leading = nameOf(lead);
  for (const request of asked) {
    if (found.size === MAX_ALTERNATIVES) break;
    const { action, object, verb, effect } = request;
    const normalized = nameOf(request);
    if (request.weak || normalized === leading || found.has(normalized)) continue;
    const confidence = Math.round(request.certainty * ALTERNATIVE) / 1000;
    found.set(normalized, { normalized, action, verb, object, effect, confidence });
  }
  return [...found.values()];
}

/** The thresholds of the shipped policy `unclear`: a text that is stopped for what it leaves unread must not be permitted by its string. */
const MIN_COVERAGE = { read: 0.5, write: 0.65 } as const;
const DOUBTFUL: readonly IntentFlag[] = ['destructive_words', 'prompt_injection'];
/** Classes whose string has another effect than `destructive` unless the object says so. */
const MILD: ReadonlySet<Action> = new Set(['read', 'create', 'update', 'execute', 'send']);

/**
 * The action that the normalized string of a text names. Whoever enforces the string alone has neither the flags nor the coverage of the
 * parse, so the action must not be milder than what they say: `delete` for a reading that destroys, `unknown` for one that leaves
 * destruction, an attack or most of the text unread, otherwise the action of the reading.
 */
export function namedActionOf(
  { action, effect }: { readonly action: Action; readonly effect: Effect },
  seen: { readonly flags: ReadonlySet<IntentFlag>; readonly coverage: number },
): Action {
  if (effect === 'destructive') return MILD.has(action) ? 'delete' : action;
  return seen.coverage < MIN_COVERAGE[effect] || DOUBTFUL.some((flag) => seen.flags.has(flag)) ? 'unknown' : action;
}
