// Source positions of policies: file, line and column of rules and comparisons.
import { memberOf, parseJson } from '../../../kernel/json.ts';
import type { Position } from '../../../kernel/json.ts';
import type { Comparison, Condition } from '../schema.ts';
import type { Terms } from '../terms.ts';
import { type Located, located, type TextFile } from '../files.ts';

export interface Place extends Position {
  readonly file: string;
}

/** The comparisons of an expanded condition from left to right, as in its normal form, with their pointers. */
export function comparisonsOf(
  condition: Condition,
  pointer: string,
  terms: Terms,
): { readonly comparison: Comparison; readonly pointer: string }[] {
  const below = (part: Condition, to: string) =>
    comparisonsOf(part, pointerBelow(condition, pointer, to, terms), terms);
  if ('not' in condition) return below(condition.not, 'not');
  if ('all' in condition) return condition.all.flatMap((part, i) => below(part, `all/${i}`));
  if ('any' in condition) return condition.any.flatMap((part, i) => below(part, `any/${i}`));
  return [{ comparison: condition, pointer }];
}

/** The pointer of a part of a condition; in a named condition, that of its use in the policy. */
export function pointerBelow(condition: Condition, pointer: string, to: string, terms: Terms): string {
  return terms.originOf(condition)?.condition === undefined ? `${pointer}/${to}` : pointer;
}

export interface PolicySources {
  /** The position of a pointer in the file of a policy; undefined when no file has this id. */
  locate(policy: string, pointer: string): Place | undefined;
  /** The position of a rule, by its name. */
  locateRule(policy: string, rule: string): Place | undefined;
}

interface Source extends Located {
  readonly rules: readonly string[];
}

/** Positions of the policies in files that load. Of several files with the same id, the first by name is used. */
export function policySources(files: readonly TextFile[]): PolicySources {
  const byId = new Map<string, Source>();
  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const document = parseJson(file.text);
    const id = memberOf(document, 'id');
    const rules = memberOf(document, 'rules');
    if (typeof id !== 'string' || byId.has(id)) continue;
    const names = (Array.isArray(rules) ? rules : []).map((rule: unknown) => String(memberOf(rule, 'name')));
    byId.set(id, { ...located(file), rules: names });
  }
  const locate = (policy: string, pointer: string): Place | undefined => {
    const source = byId.get(policy);
    return source === undefined ? undefined : { file: source.path, ...source.locate(pointer) };
  };
  return {
    locate,
    locateRule(policy, rule) {
      const index = byId.get(policy)?.rules.indexOf(rule) ?? -1;
      return index === -1 ? undefined : locate(policy, `/rules/${index}`);
    },
  };
}
