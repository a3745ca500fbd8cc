// The digest of everything that an approval is bound to. Pure.
import { createHash } from 'node:crypto';
import type { MissingOpens } from '../policy/combine.ts';
import type { Facts, Requested } from '../policy/types.ts';
import { canonicalize } from '../proof/canonical.ts';

/**
 * The facts that an approval is not bound to, by path, with the reason. An approval is bound to all other facts, including ones added
 * later: a new fact that changes by itself must be listed here, otherwise approvals never match, which fails closed.
 */
export const NOT_BOUND: Readonly<Record<string, string>> = {
  'agent.registered': 'what the agent is now counts, and is evaluated again',
  'agent.status': 'what the agent is now counts, and is evaluated again',
  'agent.capabilities': 'what the agent is now counts, and is evaluated again',
  'agent.tags': 'what the agent is now counts, and is evaluated again',
  'agent.attributes': 'what the agent is now counts, and is evaluated again',
  budgets: 'change with every permission, and are counted again',
  client: 'the approval may be used from another address; the present one is evaluated again, and on record',
  history: 'changes with every decision of the agent, and is evaluated again',
  'intent.risk': 'may look at time and history; follows from what is bound otherwise, and is evaluated again',
  'intent.second_reading':
    'depends on whether the question would be permitted without it; what it made stricter is bound itself, and it is evaluated again',
  key: 'any key that may speak for the agent may use the approval; the present one is evaluated again, and on record',
  time: 'passes, and is evaluated again',
  trust: 'the present trust counts, a claim can only lower it, and both are evaluated again',
};

/** The hashed value. */
export interface BoundStatement {
  /** The parse or submitted intent that the request refers to; null: none. */
  readonly intentId: string | null;
  readonly [fact: string]: unknown;
}

function without(value: object, path: string): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const at = path === '' ? name : `${path}.${name}`;
      if (Object.hasOwn(NOT_BOUND, at)) return [];
      const isDeeper = Object.keys(NOT_BOUND).some((other) => other.startsWith(`${at}.`));
      // Only the service's own objects are traversed, because the caller's may contain any member names.
      return [[name, isDeeper && typeof member === 'object' && member !== null ? without(member, at) : member]];
    }),
  );
}

/** All facts except those that are not bound, and the id of the parse or submitted intent. */
export function boundStatement(facts: Facts, intentId: string | null): BoundStatement {
  return { ...without(facts, ''), intentId };
}

function sha256(value: unknown): string {
  return createHash('sha256').update(canonicalize(value)).digest('hex');
}

/** SHA-256, lower-case hex, of JCS of the bound statement. */
export function approvalDigest(facts: Facts, intentId: string | null): string {
  return sha256(boundStatement(facts, intentId));
}

/** Whether a decision was recorded by a version without the fact `requested`; approvals were then bound to the earlier statement. */
export function isBeforeBinding({ intent }: { readonly intent: Pick<Facts['intent'], 'requested'> }): boolean {
  return intent.requested === undefined;
}

/** The treatment of missing facts under which a recorded decision was made, and must be evaluated again. */
export function meaningOf(facts: { readonly intent: Pick<Facts['intent'], 'requested'> }): MissingOpens {
  return isBeforeBinding(facts) ? 'everything' : 'nothing';
}

/** The approval digest of that earlier version. It no longer permits anything; recorded approvals are compared with it. */
export function earlierApprovalDigest(facts: Facts, intentId: string | null): string {
  const { agent, context, environment, intent, organisation } = facts;
  return sha256({
    agentId: agent.id,
    context,
    environment,
    intentId,
    normalized: intent.normalized,
    organisation: organisation.slug,
  });
}

/** The caller's original input in one line; the normalized intent for decisions of versions that did not record the input. */
export function askedText({
  requested,
  normalized,
}: {
  readonly requested?: Requested | undefined;
  readonly normalized: string;
}): string {
  if (requested === undefined) return normalized;
  if ('tool' in requested) return `${requested.tool.server}/${requested.tool.name}`;
  return 'intent' in requested ? requested.intent : `${requested.action} ${requested.resource}`;
}
