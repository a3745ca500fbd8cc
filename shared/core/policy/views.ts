// The meanings of an intent that policies judge one by one: the facts, once for each of them.
import { joinsOf } from '../intent/assess/strictness.ts';
import type { Meaning } from '../intent/types.ts';
import type { Facts, Risk, RiskFacts } from './types.ts';

const joined = new WeakMap<readonly Meaning[], readonly Meaning[]>();

/** All that an intent with these meanings is judged as; the meanings of a reading stay the same list. */
function judgedAs(meanings: readonly Meaning[]): readonly Meaning[] {
  let joins = joined.get(meanings);
  if (joins === undefined) {
    joins = joinsOf(meanings);
    if (joins.length === 0) throw new Error('the intent in the facts means nothing');
    joined.set(meanings, joins);
  }
  return joins;
}

/** The facts for each meaning of an intent; most have one. */
export function viewsOf(facts: RiskFacts): readonly RiskFacts[] {
  const { meanings } = facts.intent;
  if (meanings === undefined) return [facts];
  return judgedAs(meanings).map((meaning) => ({ ...facts, intent: { ...facts.intent, ...meaning } }));
}

/**
 * The facts with the risk that the installation's policies alone found; undefined when the organisation's own policies did not change it.
 * @param facts of stage enforce; those of stage intake have no risk
 */
export function aloneOf(facts: RiskFacts | Facts): RiskFacts | undefined {
  const { intent } = facts;
  if (!('risk' in intent) || intent.risk.installation === undefined) return undefined;
  const { installation, factors } = intent.risk;
  const risk: Risk = { ...installation, factors };
  const alone: Facts['intent'] = { ...intent, risk };
  return { ...facts, intent: alone };
}
