// What an organisation's own policies may say: they can only make an answer stricter.
import type { Problem } from '../schema-problems.ts';
import type { Policy } from '../schema.ts';

/** Other members belong to the installation's rules: budgets and approvers of its permissions. */
const RULE_MEMBERS = ['name', 'conditions', 'event'];
const PARAMS = ['code', 'message', 'obligations', 'factor', 'score'];

const strangers = (value: object, known: readonly string[]): string[] =>
  Object.keys(value).filter((member) => !known.includes(member));

/** What is wrong with a valid policy as one of the own policies of an organisation. */
export function ownProblems({ target, rules }: Policy, slug: string): Problem[] {
  const problems: Problem[] = [];
  for (const [i, other] of (target.organisations ?? []).entries()) {
    if (other === slug) continue;
    const message = `${JSON.stringify(other)} is another organisation; own policies are for ${slug} alone`;
    problems.push({ code: 'OTHER_ORGANISATION', pointer: `/target/organisations/${i}`, message });
  }
  for (const [i, rule] of rules.entries()) {
    const at = `/rules/${i}`;
    const refuse = (pointer: string, message: string): void =>
      void problems.push({ code: 'INSTALLATION_ONLY', pointer: at + pointer, message });
    if (rule.event.type === 'ALLOW')
      refuse(
        '/event/type',
        'own policies of an organisation can only make an answer stricter: DENY, ESCALATE, DEGRADE or RISK',
      );
    for (const member of strangers(rule, RULE_MEMBERS))
      refuse(`/${member}`, `only the installation's policies may have a "${member}"`);
    for (const member of strangers(rule.event.params, PARAMS))
      refuse(`/event/params/${member}`, `only the installation's policies may have "${member}"`);
  }
  return problems;
}
