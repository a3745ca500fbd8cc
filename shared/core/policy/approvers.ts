// Who must approve an ESCALATE: what rules demand, and whether votes meet it. Pure.
import { Type } from 'typebox';
import { parseDuration } from '../../kernel/durations.ts';
import { byText } from '../../kernel/order.ts';
import { named, type Shape } from '../../kernel/schema.ts';

/** The most votes that a rule may demand. */
export const MOST_APPROVERS = 10;
/** Bounds of a rule's `ttl`; the upper one is that of CUSTOS_APPROVAL_TTL. */
export const RULE_TTL = { min: '1m', max: '7d' } as const;
/** The most votes on one approval. Larger than the highest demand, because several keys may be in the same hands. */
export const MAX_VOTES = 32;

/** `event.params.approvers` of an ESCALATE rule. */
export interface Approvers {
  readonly keys?: readonly string[];
  readonly tags?: readonly string[];
  readonly atLeast?: number;
}

/** The demand of one rule, as it is recorded: snake_case, with all members. */
export const ApproverDemandSchema = named('ApproverDemand', {
  policy: Type.String({ description: 'The policy whose rule demands it.' }),
  rule: Type.String({ description: 'The name of the rule.' }),
  keys: Type.Array(Type.String(), { description: 'Keys that may approve.' }),
  tags: Type.Array(Type.String(), { description: 'Keys with one of these tags may approve, too.' }),
  at_least: Type.Integer({ minimum: 1, description: 'How many different hands must approve.' }),
});
export type ApproverDemand = Shape<typeof ApproverDemandSchema>;

/** What ESCALATE rules say about the approval that they open. Absent members: any approver, the default lifetime. */
export interface Escalation {
  /** Sorted by policy and rule; all of them must be met. */
  readonly approvers?: readonly ApproverDemand[];
  /** The shortest lifetime that a rule names. */
  readonly ttlMs?: number;
  /** Beside `ttlMs`: a rule that holds names no lifetime, so that the default one counts where it is shorter. */
  readonly orDefault?: true;
}

interface EscalatingRule {
  readonly policy: string;
  readonly name: string;
  readonly approvers?: Approvers | undefined;
  readonly ttl?: string | undefined;
}

/**
 * @param rules the ESCALATE rules that hold and name approvers or a lifetime
 * @param all the reasons to escalate
 */
export function escalationOf(
  rules: readonly EscalatingRule[],
  all: readonly { readonly policy: string; readonly rule: string }[],
): Escalation | undefined {
  const demands = new Map<string, ApproverDemand>();
  let ttlMs: number | undefined;
  for (const { policy, name: rule, approvers, ttl } of rules) {
    // Checked when the policy was loaded.
    const ruleMs = ttl === undefined ? undefined : parseDuration(ttl);
    if (ruleMs !== undefined) ttlMs = Math.min(ttlMs ?? ruleMs, ruleMs);
    if (approvers === undefined) continue;
    const { keys = [], tags = [], atLeast = 1 } = approvers;
    demands.set(`${policy}/${rule}`, { policy, rule, keys: [...keys], tags: [...tags], at_least: atLeast });
  }
  if (demands.size === 0 && ttlMs === undefined) return undefined;
  const approvers = [...demands.values()].sort((a, b) => byText(a.policy, b.policy) || byText(a.rule, b.rule));
  const isDefault = all.some(
    ({ policy, rule }) => !rules.some((one) => one.policy === policy && one.name === rule && one.ttl !== undefined),
  );
  return {
    ...(approvers.length === 0 ? {} : { approvers }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(ttlMs !== undefined && isDefault ? { orDefault: true } : {}),
  };
}

/** The lifetime of an approval: an additional rule never makes it longer. @param defaultMs CUSTOS_APPROVAL_TTL */
export function lifetimeOf({ ttlMs, orDefault }: Escalation = {}, defaultMs: number): number {
  if (ttlMs === undefined) return defaultMs;
  return orDefault === true ? Math.min(ttlMs, defaultMs) : ttlMs;
}

/** What an approval must have: who approves it, and how soon it is used. */
export interface ApprovalDemands {
  /** Sorted by policy and rule; all of them must be met. Undefined: any admin key may approve. */
  readonly approvers?: readonly ApproverDemand[] | undefined;
  readonly lifetimeMs: number;
}

/** @param defaultMs CUSTOS_APPROVAL_TTL */
export function approvalDemands(escalation: Escalation | undefined, defaultMs: number): ApprovalDemands {
  return { approvers: escalation?.approvers, lifetimeMs: lifetimeOf(escalation, defaultMs) };
}

const areAmong = (some: readonly string[], all: readonly string[]): boolean => some.every((one) => all.includes(one));

/** Whether votes that meet one demand meet the other, whichever rule makes it: as many of the same approvers, or of some of them. */
const covers = (met: ApproverDemand, other: ApproverDemand): boolean =>
  met.at_least >= other.at_least && areAmong(met.keys, other.keys) && areAmong(met.tags, other.tags);

/** The demands for approvers that earlier ones do not cover. */
export function furtherDemands(
  { approvers: earlier = [] }: Pick<ApprovalDemands, 'approvers'>,
  { approvers = [] }: Pick<ApprovalDemands, 'approvers'>,
): readonly ApproverDemand[] {
  return approvers.filter((demand) => !earlier.some((met) => covers(met, demand)));
}

/** What the keys of voters are, when votes are counted. */
export interface Voters {
  tagsOf(keyId: string): readonly string[];
  /** Whether one person has both keys; a key with itself: true. */
  areSameHands(one: string, other: string): boolean;
  /** Whether the key is neither revoked nor expired, or was replaced by one that is neither. */
  isValid(keyId: string): boolean;
}

/**
 * Whether a demand names a key. A named key does not stand for its successors by rotation: whoever rotates a key has the
 * new one.
 */
export function isNamedBy({ keys, tags }: ApproverDemand, keyId: string, ofKey: readonly string[]): boolean {
  return keys.includes(keyId) || ofKey.some((tag) => tags.includes(tag));
}

/**
 * The most keys of which no two are in the same hands. "Same hands" is not transitive: two keys that one key made are
 * different hands, and each is in the same hands as their maker. So this is a maximum independent set, found by branching
 * on a key with a relative; at most MAX_VOTES keys make this cheap.
 */
export function differentHands(keyIds: readonly string[], areSame: Voters['areSameHands']): readonly string[] {
  const [one, relatives] =
    keyIds
      .map((id) => [id, keyIds.filter((other) => other !== id && areSame(id, other))] as const)
      .toSorted((a, b) => b[1].length - a[1].length)[0] ?? [];
  if (one === undefined || relatives === undefined || relatives.length === 0) return keyIds;
  const others = keyIds.filter((id) => id !== one);
  const without = differentHands(others, areSame);
  const apart = others.filter((id) => !relatives.includes(id));
  // With this key its relatives can't be chosen; where that can't give more, the branch is skipped.
  if (apart.length + 1 <= without.length) return without;
  const withOne = [one, ...differentHands(apart, areSame)];
  return withOne.length > without.length ? withOne : without;
}

export interface DemandProgress {
  readonly demand: ApproverDemand;
  /** Votes that count for it, one of each hand. */
  readonly counted: readonly string[];
  /** How many are missing; 0: the demand is met. */
  readonly missing: number;
}

/**
 * @param votes keys that voted, each once. Those that are not valid any more, and those in the same hands as the key that
 * asked, do not count
 */
export function progressOf(
  demands: readonly ApproverDemand[],
  { askedBy, votes }: { readonly askedBy: string; readonly votes: readonly string[] },
  voters: Voters,
): DemandProgress[] {
  const valid = votes.filter((keyId) => voters.isValid(keyId) && !voters.areSameHands(askedBy, keyId));
  return demands.map((demand) => {
    const named = valid.filter((keyId) => isNamedBy(demand, keyId, voters.tagsOf(keyId)));
    const counted = differentHands(named, voters.areSameHands);
    return { demand, counted, missing: Math.max(0, demand.at_least - counted.length) };
  });
}
