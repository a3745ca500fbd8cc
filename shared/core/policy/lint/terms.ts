// Named conditions and constants: those that nothing uses, and where the one is defined that a finding is about.
import { memberOf, parseJsonWithPositions, pointerToken } from '../../../kernel/json.ts';
import type { TextFile } from '../files.ts';
import type { Policy, WrittenCondition } from '../schema.ts';
import { valueAt } from '../schema-problems.ts';
import { constantUse, namesIn, type Terms } from '../terms.ts';
import type { Finding } from '../types.ts';

/** All terms that some policies use, also through other terms. */
function usedNames(policies: readonly Policy[], terms: Terms): { conditions: Set<string>; constants: Set<string> } {
  const used = { conditions: new Set<string>(), constants: new Set<string>() };
  const seen = new Set<WrittenCondition>();
  const look = (condition: WrittenCondition): void => {
    // Equal conditions of a set are one object.
    if (seen.has(condition)) return;
    seen.add(condition);
    const { conditions, constants } = namesIn(condition);
    for (const name of constants) used.constants.add(name);
    for (const name of conditions) {
      if (used.conditions.has(name)) continue;
      used.conditions.add(name);
      const term = terms.conditionOf(name);
      if (term !== undefined) look(term.condition);
    }
  };
  for (const { rules } of policies) for (const { conditions } of rules) look(conditions);
  return used;
}

/** Warnings about the terms of a set that loads. @param file terms.json; undefined without it */
export function termFindings(file: TextFile | undefined, policies: readonly Policy[], terms: Terms): Finding[] {
  if (file === undefined) return [];
  const used = usedNames(policies, terms);
  const { locate } = parseJsonWithPositions(file.text);
  const unused = (kind: 'conditions' | 'constants', noun: string): Finding[] =>
    terms[kind]
      .filter((name) => !used[kind].has(name))
      .map((name) => {
        const pointer = `/${kind}${pointerToken(name)}`;
        const { line, column } = locate(pointer);
        const message = `no policy uses the ${noun} ${JSON.stringify(name)}`;
        const hint = 'remove it, or use it';
        return { file: file.path, line, column, pointer, code: 'UNUSED_TERM', message, severity: 'warning', hint };
      });
  return [...unused('conditions', 'condition'), ...unused('constants', 'constant')];
}

/** A sentence that names where the terms at a place of a policy are defined; empty when it uses none. @param policy as it is written */
export function definitionText(policy: unknown, pointer: string, terms: Terms): string {
  const at = valueAt(policy, pointer);
  const condition: unknown = memberOf(at, 'condition');
  if (typeof condition === 'string')
    return ` (the condition ${JSON.stringify(condition)} is defined at ${terms.placeOf('conditions', condition)})`;
  const constant = constantUse(memberOf(at, 'value'));
  return constant === undefined
    ? ''
    : ` (the constant ${JSON.stringify(constant)} is defined at ${terms.placeOf('constants', constant)})`;
}
