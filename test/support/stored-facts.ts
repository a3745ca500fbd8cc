// Facts as the decision table has them.
import { unpackFacts } from '../../shared/core/decision/packed-facts.ts';

/** JCS of the facts in a row; the empty text without them. */
export function factsText(stored: Buffer | null | undefined): string {
  return stored === null || stored === undefined ? '' : unpackFacts(stored).toString('utf8');
}
