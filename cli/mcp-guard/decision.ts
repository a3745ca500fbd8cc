// An answer of POST /v1/enforce, checked: whether it is a decision at all, and whether it answers this question.
import { timeOf } from '../../shared/core/policy/values.ts';
import { objectOf } from '../../shared/kernel/json.ts';
import type { ToolAnnotations } from '../../shared/core/tools/call.ts';
import type { ToolCall } from './tool-call.ts';

export interface Question {
  readonly agentId: string;
  readonly server: string;
  readonly call: ToolCall;
  readonly definitionDigest: string | undefined;
  /** As the server last listed them. */
  readonly annotations: ToolAnnotations | undefined;
}

/**
 * One request for a decision, with its repetitions. Its id is sent as Idempotency-Key, so that repetitions get one decision, and as
 * X-Request-Id, which that decision contains.
 */
export interface Attempt {
  readonly id: string;
  readonly approvalId: string | undefined;
  /** How often the server has answered the call with a request for input: each round of the call is the same attempt. */
  readonly rounds: number;
}

export interface Obligation {
  readonly type: string;
  readonly [member: string]: unknown;
}

export interface DecisionReason {
  readonly code: string;
  readonly message: string;
}

/** A recorded ALLOW or DEGRADE for one question. Only `readDecision` makes one, from an answer that names this very question. */
export class Allowed {
  readonly question: Question;
  readonly attempt: Attempt;
  readonly decisionId: string;
  /** The service sends none with ALLOW. */
  readonly obligations: readonly Obligation[];

  /** By the clock of the guard. */
  readonly expiresAtMs: number;
  /** Whether it counts against budgets, which get the amount back when the call is not carried out. */
  readonly hasBudgets: boolean;

  private constructor(
    question: Question,
    attempt: Attempt,
    { decisionId, expiresAtMs, hasBudgets }: Pick<Allowed, 'decisionId' | 'expiresAtMs' | 'hasBudgets'>,
    obligations: readonly Obligation[],
  ) {
    this.question = question;
    this.attempt = attempt;
    this.decisionId = decisionId;
    this.expiresAtMs = expiresAtMs;
    this.hasBudgets = hasBudgets;
    this.obligations = obligations;
  }

  /** @returns undefined unless the answer permits */
  static from(
    question: Question,
    attempt: Attempt,
    decisionId: string,
    answer: Readonly<Record<string, unknown>>,
    clockAheadMs: number,
  ): Allowed | undefined {
    const { verdict, allowed, expires_at: expiresAt } = answer;
    const endsAtMs = timeOf(expiresAt);
    if (allowed !== true || endsAtMs === undefined) return undefined;
    const expiresAtMs = endsAtMs + clockAheadMs;
    const decision = { decisionId, expiresAtMs, hasBudgets: answer['budgets'] !== undefined };
    const obligations = obligationsOf(answer['obligations']);
    if (obligations === undefined) return undefined;
    // The service never sends DEGRADE without obligations, so the answer is incomplete. Those of an ALLOW have to be met alike.
    const isWhole = verdict === 'ALLOW' || (verdict === 'DEGRADE' && obligations.length > 0);
    return isWhole ? new Allowed(question, attempt, decision, obligations) : undefined;
  }
}

export type Ruling =
  | { readonly kind: 'allowed'; readonly allowed: Allowed }
  | { readonly kind: 'denied'; readonly decisionId: string; readonly reasons: readonly DecisionReason[] }
  | {
      readonly kind: 'escalated';
      readonly decisionId: string;
      readonly reasons: readonly DecisionReason[];
      /** Undefined: the service opened none, so the call can't be approved. */
      readonly approval: { readonly id: string; readonly expiresAt: string } | undefined;
    }
  /** A decision that was made for another request, or that does not stand any more: the question has to be asked again. */
  | { readonly kind: 'void' }
  /** No decision: Custos is away, too slow, refuses the request or answers something else. */
  | { readonly kind: 'none'; readonly sentence: string };

function obligationsOf(value: unknown): Obligation[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const obligations = value.flatMap((one: unknown) => {
    const type = objectOf(one)?.['type'];
    return typeof type === 'string' ? [{ ...objectOf(one), type }] : [];
  });
  return obligations.length === value.length ? obligations : undefined;
}

function reasonsOf(value: unknown): DecisionReason[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((reason: unknown) => {
    const { code, message } = objectOf(reason) ?? {};
    return typeof code === 'string' && typeof message === 'string' ? [{ code, message }] : [];
  });
}

/** Whether the answer is about this agent, server, tool and these arguments: a proxy or a cache may have confused answers. */
function answers({ agentId, server, call }: Question, answer: Readonly<Record<string, unknown>>): boolean {
  const tool = objectOf(answer['tool']);
  return (
    answer['agent_id'] === agentId &&
    answer['dry_run'] === undefined &&
    tool?.['server'] === server &&
    tool['name'] === call.name &&
    tool['arguments_digest'] === call.argumentsDigest
  );
}

const NO_DECISION: Ruling = { kind: 'none', sentence: 'Custos gave an answer that is no decision about this call.' };

/** An answer with status 200. */
interface DecisionAnswer {
  /** Parsed. */
  readonly body: unknown;
  /** X-Request-Id as the service has seen it: a proxy can replace the guard's. */
  readonly requestId: string | null;
  /** How far the clock of the guard is ahead of the service's. */
  readonly clockAheadMs: number;
}

/**
 * A decision counts only for the request that made it: within a minute the service gives the decision that used an approval to each
 * request with the same key, and another guard may already have forwarded a call for it.
 */
export function readDecision(question: Question, attempt: Attempt, answer: DecisionAnswer): Ruling {
  const body = objectOf(answer.body);
  const decisionId = body?.['decision_id'];
  if (body === undefined || typeof decisionId !== 'string' || decisionId === '' || !answers(question, body))
    return NO_DECISION;
  // An absence must not equal an absence: nothing shows for which request such a decision was made.
  const madeFor = body['request_id'];
  const isOwn = typeof madeFor === 'string' && madeFor !== '' && [attempt.id, answer.requestId].includes(madeFor);
  if (!isOwn) return { kind: 'void' };
  const reasons = reasonsOf(body['reasons']);
  const isNo = body['allowed'] === false;
  switch (body['verdict']) {
    case 'ALLOW':
    case 'DEGRADE': {
      const allowed = Allowed.from(question, attempt, decisionId, body, answer.clockAheadMs);
      return allowed === undefined ? NO_DECISION : { kind: 'allowed', allowed };
    }
    case 'DENY':
      return isNo ? { kind: 'denied', decisionId, reasons } : NO_DECISION;
    case 'ESCALATE': {
      const { approval_id: id, expires_at: expiresAt } = objectOf(body['approval']) ?? {};
      const approval = typeof id === 'string' && typeof expiresAt === 'string' ? { id, expiresAt } : undefined;
      return isNo ? { kind: 'escalated', decisionId, reasons, approval } : NO_DECISION;
    }
    default:
      return NO_DECISION;
  }
}
