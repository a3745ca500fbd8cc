// The side effect that goes with an action class.
import type { Action, Effect } from '../../../kernel/vocabulary.ts';

/** The default side effect of an action class, unless verb or context say more. */
export function effectOfAction(action: Action): Effect {
  if (action === 'read') return 'read';
  return action === 'delete' ? 'destructive' : 'write';
}
