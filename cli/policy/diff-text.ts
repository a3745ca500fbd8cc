// The difference of two policy sets as lines of text: parts, rules, and requests that are answered differently.
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { aspectsText } from '../../shared/core/policy/aspects.ts';
import type { SetComparison } from '../../shared/core/policy/compare.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { paint } from '../output.ts';

const MARKS = { added: '+', removed: '-', changed: '~' } as const;

/** The members of a policy that rules are compared by: everything but the rules, and each rule by its name. */
function membersOf(set: PolicySet | undefined, id: string): Map<string, string> {
  const policy = set?.policies.find((one) => one.id === id);
  if (policy === undefined) return new Map();
  const { rules, ...head } = policy;
  return new Map([
    ['(head)', canonicalize(head)],
    ...rules.map((rule) => [rule.name, canonicalize(rule)] as [string, string]),
  ]);
}

/** The changed rules of a policy, with both texts. */
function ruleLines(id: string, before: PolicySet | undefined, after: PolicySet | undefined): string[] {
  const { red, green } = paint();
  const [old, now] = [membersOf(before, id), membersOf(after, id)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    if (was === is) return [];
    return [
      `    ${name}`,
      ...(was === undefined ? [] : [red(`    - ${printable(was)}`)]),
      ...(is === undefined ? [] : [green(`    + ${printable(is)}`)]),
    ];
  });
}

/** The texts of changed rules are shown where the sets are given. */
export function comparisonLines(
  { parts, examples, withoutExample }: SetComparison,
  before?: PolicySet,
  after?: PolicySet,
): string[] {
  if (parts.length === 0) return ['The sets are equal.'];
  const lines = parts.flatMap(({ name, change }) => [
    `${MARKS[change]} ${name} (${change})`,
    ...ruleLines(name, before, after),
  ]);
  if (examples.length > 0) lines.push('', 'Requests that are answered differently:');
  for (const { rule, intent, environment, facts, before: was, after: is, differs } of examples) {
    const given = Object.entries(facts).map(([path, value]) =>
      value === null ? `${path} missing` : `${path} ${JSON.stringify(value)}`,
    );
    lines.push(
      `  ${intent} in ${environment}: ${was === is ? `${is} as before` : `${was} becomes ${is}`}${aspectsText(differs)} (${rule})`,
      ...(given.length === 0 ? [] : [`    ${printable(given.join(', '))}`]),
    );
  }
  if (withoutExample.length > 0)
    lines.push(
      '',
      `No such request was found for ${withoutExample.join(', ')}: other rules decide, or the search was limited.`,
    );
  if (parts.some(({ name }) => name === 'lexicon'))
    lines.push('', 'The lexicon differs: texts may be read differently.');
  return lines;
}
