// Merges the obligations of several DEGRADE rules: sets are united, the strictest limit wins, incompatible ones are conflicts.
import { canonicalize } from '../proof/canonical.ts';
import type { PolicyObligation } from './schema.ts';
import type { Obligation } from './types.ts';

export interface MergedObligations {
  /** Sorted by type, then canonical JSON. */
  readonly obligations: readonly Obligation[];
  /** Types whose obligations are incompatible; the verdict then becomes ESCALATE, so that a human decides. */
  readonly conflicts: readonly string[];
}

interface Rate {
  readonly limit: number;
  readonly perSeconds: number;
}

/** Whether complying with `a` always means complying with `b`: no more requests, in no less time. */
function isStricter(a: Rate, b: Rate): boolean {
  return a.limit <= b.limit && a.perSeconds >= b.perSeconds;
}

function strictestRate(rates: readonly Rate[]): Rate | undefined {
  return rates.find((rate) => rates.every((other) => isStricter(rate, other)));
}

function bySignature(obligations: Iterable<Obligation>): Obligation[] {
  const once = new Map([...obligations].map((obligation) => [canonicalize(obligation), obligation]));
  return [...once].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, obligation]) => obligation);
}

/** Merges the obligations of all matching DEGRADE rules; the result does not depend on order or repetition of the input. */
export function mergeObligations(all: readonly PolicyObligation[]): MergedObligations {
  const fields = new Set<string>();
  const limits: number[] = [];
  const rates: Rate[] = [];
  const others: Obligation[] = [];
  for (const obligation of all) {
    if (obligation.type === 'redact_fields' && 'fields' in obligation)
      for (const field of obligation.fields) fields.add(field);
    else if (obligation.type === 'max_rows' && 'limit' in obligation) limits.push(obligation.limit);
    else if (obligation.type === 'rate' && 'perSeconds' in obligation)
      rates.push({ limit: obligation.limit, perSeconds: obligation.perSeconds });
    else others.push({ ...obligation });
  }
  const merged: Obligation[] = bySignature(others);
  if (fields.size > 0) merged.push({ type: 'redact_fields', fields: [...fields].sort() });
  if (limits.length > 0) merged.push({ type: 'max_rows', limit: Math.min(...limits) });
  const conflicts: string[] = [];
  if (rates.length > 0) {
    const strictest = strictestRate(rates);
    if (strictest === undefined) conflicts.push('rate');
    else merged.push({ type: 'rate', ...strictest });
  }
  merged.sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  return { obligations: merged, conflicts };
}

/** As mergeObligations, but keeps incompatible obligations side by side: a caller that is bound by all of them complies with each. */
export function allObligations(all: readonly PolicyObligation[]): readonly Obligation[] {
  const { obligations, conflicts } = mergeObligations(all);
  const apart = bySignature(all.filter(({ type }) => conflicts.includes(type)).map((one) => ({ ...one })));
  return [...obligations, ...apart];
}
