// The action that the normalized string of a text names. Whoever enforces the string alone has neither the flags nor the coverage of the
// parse, so the action must not be milder than what they say.
import type { Action, Effect, IntentFlag } from '../../../kernel/vocabulary.ts';

/** The thresholds of the shipped policy `unclear`: a text that is stopped for what it leaves unread must not be permitted by its string. */
const MIN_COVERAGE = { read: 0.5, write: 0.65 } as const;
const DOUBTFUL: readonly IntentFlag[] = ['destructive_words', 'prompt_injection'];
/** Classes whose string has another effect than `destructive` unless the object says so. */
const MILD: ReadonlySet<Action> = new Set(['read', 'create', 'update', 'execute', 'send']);

/**
 * `delete` for a reading that destroys, `unknown` for one that leaves destruction, an attack or most of the text unread, otherwise the
 * action of the reading.
 */
export function namedActionOf(
  { action, effect }: { readonly action: Action; readonly effect: Effect },
  seen: { readonly flags: ReadonlySet<IntentFlag>; readonly coverage: number },
): Action {
  if (effect === 'destructive') return MILD.has(action) ? 'delete' : action;
  return seen.coverage < MIN_COVERAGE[effect] || DOUBTFUL.some((flag) => seen.flags.has(flag)) ? 'unknown' : action;
}
