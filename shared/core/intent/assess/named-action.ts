// The action that the normalized string of a text names. Whoever enforces the string alone has neither the flags nor the coverage of the
// parse, so the action must not be milder than what they say.
import type { Action, Effect, IntentFlag } from '../../../kernel/vocabulary.ts';

/** The thresholds of the shipped policy `unclear`: a text that is stopped for what it leaves unread must not be permitted by its string. */
const MIN_COVERAGE = { read: 0.5, write: 0.65 } as const;
/** Below it the shipped policy `suspicious` asks a human about words that destroy. */
const SURE_COVERAGE = 0.75;
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
  const isDoubtful =
    seen.coverage < MIN_COVERAGE[effect] ||
    seen.flags.has('prompt_injection') ||
    (seen.flags.has('destructive_words') && seen.coverage < SURE_COVERAGE);
  return isDoubtful ? 'unknown' : action;
}
