// Decides one tool call: asks Custos, waits for a human where one is needed, and asks again when the tool has changed meanwhile.
import { OpenAttempts, waitForHuman } from './approvals.ts';
import { type Clock, startTimer } from './clock.ts';
import type { Custos } from './custos.ts';
import type { Allowed, Attempt, Question, Ruling } from './decision.ts';
import type { Definition } from './definitions.ts';
import { type Terms, termsOf } from './obligations.ts';
import { Refusals, waitingText } from './refusals.ts';
import type { ToolCall } from './tool-call.ts';

export interface GuardOptions {
  readonly agentId: string;
  readonly server: string;
  readonly custos: Pick<Custos, 'ask' | 'approval'>;
  readonly clock: Clock;
  /** How long a call waits for a human. */
  readonly waitMs: number;
  /** Ids of attempts. */
  readonly newId: () => string;
}

/** What surrounds a call. */
export interface CallContext {
  /** The definition of a tool; lists the server's tools when needed. */
  readonly find: (tool: string) => Promise<Definition>;
  /** Whether the call may wait for a human. */
  readonly mayWait: boolean;
  /** Whether a decision about this digest still covers calls of the tool. */
  readonly isStill: (tool: string, digest: string | undefined) => boolean;
  /** The attempt of the earlier round that this call continues, if the server has asked for input. */
  readonly resume: (question: Question) => Attempt | undefined;
  /** Takes back what `resume` gave, because the round could not go on: the client can send it again. */
  readonly suspend: (question: Question, attempt: Attempt) => void;
  /** Aborted when the client cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** Resolves when the calls before this one are settled or wait for a human: a server sees calls in the client's order. */
  readonly turn: () => Promise<unknown>;
  /** The call waits for a human from now on; later calls may overtake it. */
  readonly onWaiting: () => void;
  readonly notify: (message: string) => void;
  /** The call was permitted, and is not forwarded under this decision. */
  readonly onUnused: (allowed: Allowed) => void;
}

export type Settled =
  | {
      readonly kind: 'permitted';
      readonly allowed: Allowed;
      readonly terms: Terms;
      /** Since the decision was read. */
      readonly ageMs: () => number;
    }
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'cancelled' };

/**
 * A decision is for one immediate action: one that has waited so long for its turn may stand no longer, and is requested again, under the same
 * attempt.
 */
const MAX_AGE_MS = 5_000;
/** Calls that are decided, or wait for a human, at once: each has a connection to the service. More are refused. */
export const MAX_CALLS = 500;
/** Calls are refused when the definition of their tool changes faster than questions are answered. */
const MAX_ROUNDS = 10;
/** An approval from earlier that can't be used: the question is then asked as if there were none. */
const UNUSABLE = ['APPROVAL_EXPIRED', 'APPROVAL_MISMATCH', 'APPROVAL_USED'];

type Refusal = Extract<Settled, { kind: 'refused' }>;

interface Round {
  readonly question: Question;
  readonly definition: Definition;
  readonly deadlineMs: number;
  readonly attempt: Attempt;
}

/** The question is asked again, without an approval unless an attempt names one. */
interface Again {
  readonly kind: 'again';
  readonly attempt?: Attempt;
}

export class Guard {
  readonly refusals: Refusals;
  private readonly options: GuardOptions;
  private readonly open = new OpenAttempts();
  private calls = 0;

  constructor(options: GuardOptions) {
    this.options = options;
    this.refusals = new Refusals(options.server);
  }

  async decide(call: ToolCall, context: CallContext): Promise<Settled> {
    if (this.calls >= MAX_CALLS)
      return refused(this.refusals.byGuard(call.name, `${MAX_CALLS} other calls are being decided`));
    this.calls += 1;
    try {
      return await this.decideCall(call, context);
    } finally {
      this.calls -= 1;
    }
  }

  private async decideCall(call: ToolCall, context: CallContext): Promise<Settled> {
    const { agentId, server, custos, clock, waitMs } = this.options;
    const deadlineMs = clock.nowMs() + (context.mayWait ? waitMs : 0);
    let next: Attempt | undefined;
    let askedAs: string | undefined;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const definition = await context.find(call.name);
      if (definition.kind === 'unusable') return refused(this.refusals.byGuard(call.name, definition.sentence));
      const { digest, annotations } =
        definition.kind === 'known' ? definition : { digest: undefined, annotations: undefined };
      const question = { agentId, server, call, definitionDigest: digest, annotations };
      const key = keyOf(question);
      // An approval is good for the definition that the human saw.
      if (key !== askedAs) next = context.resume(question) ?? this.open.take(key);
      askedAs = key;
      if (context.signal.aborted) return { kind: 'cancelled' };
      const attempt = next ?? this.attempt();
      const ruling = await custos.ask(question, attempt, context.signal);
      const settled = await this.follow(ruling, { question, definition, deadlineMs, attempt }, context);
      if (settled.kind === 'again') next = settled.attempt;
      else return context.signal.aborted && settled.kind === 'refused' ? { kind: 'cancelled' } : settled;
    }
    return refused(this.refusals.byGuard(call.name, 'the definition of the tool or its approval keeps changing'));
  }

  /** Why a call can't be sent under a decision any more; undefined: it can, now. */
  lapseOf({ allowed: { expiresAtMs }, ageMs }: Pick<Extract<Settled, { kind: 'permitted' }>, 'allowed' | 'ageMs'>) {
    if (this.options.clock.dateMs() >= expiresAtMs) return 'its decision has expired';
    return ageMs() > MAX_AGE_MS ? 'its decision has become too old while the call waited' : undefined;
  }

  private attempt(approvalId?: string): Attempt {
    return { id: this.options.newId(), approvalId, rounds: 0 };
  }

  private async follow(ruling: Ruling, round: Round, context: CallContext): Promise<Settled | Again> {
    const { question, attempt } = round;
    const { name } = question.call;
    switch (ruling.kind) {
      case 'none':
        // The answer that used the approval may be lost: the same attempt gets it again. A later round belongs to its own call only.
        if (attempt.rounds > 0) context.suspend(question, attempt);
        else if (attempt.approvalId !== undefined) this.open.keep(keyOf(question), attempt);
        return refused(this.refusals.withoutDecision(name, ruling.sentence));
      case 'void':
        return { kind: 'again' };
      case 'denied': {
        const isUnusable =
          attempt.approvalId !== undefined && ruling.reasons.some(({ code }) => UNUSABLE.includes(code));
        if (isUnusable) return { kind: 'again' };
        return refused(this.refusals.denied(name, ruling.decisionId, ruling.reasons));
      }
      case 'escalated':
        return this.escalated(ruling, round, context);
      case 'allowed': {
        const ageMs = startTimer(this.options.clock);
        await context.turn();
        if (ageMs() > MAX_AGE_MS) return { kind: 'again', attempt };
        const settled = this.allowed(ruling.allowed, ageMs, round, context);
        if (settled.kind !== 'permitted') context.onUnused(ruling.allowed);
        return settled;
      }
    }
  }

  private allowed(
    allowed: Allowed,
    ageMs: () => number,
    { question, definition }: Round,
    context: CallContext,
  ): Settled | Again {
    const { call, definitionDigest } = question;
    if (context.signal.aborted) return { kind: 'cancelled' };
    if (!context.isStill(call.name, definitionDigest)) return { kind: 'again' };
    const limitArguments = definition.kind === 'known' ? definition.limitArguments : [];
    const terms = termsOf(allowed.obligations, call, limitArguments);
    if (typeof terms === 'string') return refused(this.refusals.degraded(call.name, allowed.decisionId, terms));
    return { kind: 'permitted', allowed, terms, ageMs };
  }

  private async escalated(
    { decisionId, approval, reasons }: Extract<Ruling, { kind: 'escalated' }>,
    { question, deadlineMs }: Round,
    context: CallContext,
  ): Promise<Settled | Again> {
    const { custos, clock } = this.options;
    const { name } = question.call;
    if (approval === undefined) return refused(this.refusals.withoutApproval(name, decisionId, reasons));
    context.onWaiting();
    const notify = (): void => context.notify(waitingText(name, approval.id, reasons));
    const { signal } = context;
    const waited = await waitForHuman(approval.id, { custos, clock, deadlineMs, signal, notify });
    const attempt = this.attempt(approval.id);
    switch (waited.kind) {
      case 'decided':
        return { kind: 'again', attempt };
      case 'used':
        return { kind: 'again' };
      case 'cancelled':
        this.open.keep(keyOf(question), attempt);
        return { kind: 'cancelled' };
      case 'late':
        this.open.keep(keyOf(question), attempt);
        return refused(this.refusals.notApprovedInTime(name, approval, reasons));
      case 'failed':
        return refused(this.refusals.withoutDecision(name, waited.sentence));
    }
  }
}

/** Equal for calls that one approval can be for. */
export function keyOf({ call, definitionDigest }: Question): string {
  return JSON.stringify([call.name, call.argumentsDigest, definitionDigest ?? null]);
}

function refused(sentence: string): Refusal {
  return { kind: 'refused', sentence };
}
