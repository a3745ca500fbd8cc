// The state of one session between a client and a server: calls on hold, calls on their way, lists of tools that were asked for.
import { createHash } from 'node:crypto';
import { objectOf } from '../../shared/kernel/json.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { OpenAttempts } from './approvals.ts';
import type { Allowed, Attempt, Question } from './decision.ts';
import { Definitions, type PageRequest } from './definitions.ts';
import { keyOf } from './guard.ts';
import type { Message } from '../mcp/frames.ts';
import type { HideDenied } from './hiding.ts';
import { idKey, isRequestId, type Passed, type RequestId, refusalText, responseIdOf } from '../mcp/messages.ts';
import { redactedResponse, type Terms } from './obligations.ts';
import type { Reporter } from './reports.ts';
import type { ToolCall } from './tool-call.ts';

/** What the guard knows of the server as one client sees it. */
export interface ServerState {
  readonly definitions: Definitions;
  /** Of calls for which the server has asked for input (2026-07-28). */
  readonly unfinished: OpenAttempts;
}

export function newState(): ServerState {
  return { definitions: new Definitions(), unfinished: new OpenAttempts() };
}

export interface SessionOptions {
  readonly state: ServerState;
  readonly reporter: Pick<Reporter, 'called' | 'notCalled'>;
  /** Undefined: lists pass as they are. */
  readonly hide: HideDenied | undefined;
  readonly log: (line: string) => void;
}

const SAME: Passed = { kind: 'same' };

export class Session {
  readonly definitions: Definitions;
  private readonly options: SessionOptions;
  private readonly held = new Map<string, Set<AbortController>>();
  private readonly forwarded = new Map<string, Allowed>();
  private readonly lists = new Map<string, PageRequest>();
  /** Kept after the answer: a server can repeat it, or a client can fetch it again on another stream. */
  private readonly redactions = new Map<string, { readonly fields: readonly string[]; readonly call: ToolCall }>();

  constructor(options: SessionOptions) {
    this.options = options;
    this.definitions = options.state.definitions;
  }

  /** Whether a call with this id is on hold or unanswered. */
  isInUse(id: RequestId): boolean {
    return this.held.has(idKey(id)) || this.forwarded.has(idKey(id));
  }

  /** Registers a call on hold, so that it can be cancelled. `release` ends that. */
  hold(id: RequestId): { readonly controller: AbortController; readonly release: () => void } {
    const key = idKey(id);
    const controller = new AbortController();
    const controllers = this.held.get(key) ?? new Set();
    this.held.set(key, controllers.add(controller));
    const release = (): void => {
      controllers.delete(controller);
      if (controllers.size === 0) this.held.delete(key);
    };
    return { controller, release };
  }

  /** Registers a call that goes to the server now. */
  forward({ id }: ToolCall, allowed: Allowed, { redact }: Terms): void {
    this.forwarded.set(idKey(id), allowed);
    if (redact.length > 0) this.redactions.set(idKey(id), { fields: redact, call: allowed.question.call });
  }

  /**
   * The attempt of the round before, which the service answers with the same decision while it stands. The state and the arguments must
   * be those of that round; otherwise it is another call.
   */
  resume(question: Question): Attempt | undefined {
    const { continues } = question.call;
    return continues && this.options.state.unfinished.take(roundKey(question, continues.state));
  }

  /** Keeps the attempt for the round after this question. */
  suspend(question: Question, attempt: Attempt, state = question.call.continues?.state): void {
    this.options.state.unfinished.keep(roundKey(question, state), attempt);
  }

  /** A permitted call does not go to the server after all. */
  unused(allowed: Allowed): void {
    this.options.reporter.notCalled(allowed);
  }

  /** Looks at a message of the client that is not a tool call. @returns whether it concerns only calls on hold and stops here */
  fromClient({ value }: Message): boolean {
    const { method, id } = value;
    const params = objectOf(value['params']);
    if (method === 'tools/list' && isRequestId(id))
      this.lists.set(idKey(id), this.definitions.requested(params?.['cursor']));
    const cancelled = params?.['requestId'];
    return method === 'notifications/cancelled' && isRequestId(cancelled) && this.cancel(cancelled);
  }

  /** @returns whether a call on hold was cancelled; one that has been forwarded is the server's to cancel */
  cancel(id: RequestId): boolean {
    const key = idKey(id);
    const controllers = this.held.get(key);
    for (const controller of controllers ?? []) controller.abort();
    if (controllers === undefined) this.settle(key, 'cancelled');
    return controllers !== undefined;
  }

  /** Looks at a message of the server before the client gets it. Asynchronous only when a list has to be filtered. */
  fromServer(message: Message): Passed | Promise<Passed> {
    const { value } = message;
    if (value['method'] === 'notifications/tools/list_changed') this.definitions.changed();
    const id = responseIdOf(value);
    if (id === undefined) return SAME;
    const key = idKey(id);
    if (this.held.has(key)) {
      this.options.log(`The server answered the call ${key}, which it has not been sent. The answer was dropped.`);
      return { kind: 'none' };
    }
    this.settle(key, outcomeOf(value), value);
    const redaction = this.redactions.get(key);
    if (redaction !== undefined) return { kind: 'other', text: this.redact(id, value, redaction) };
    const list = this.lists.get(key);
    return list === undefined ? SAME : this.listed(key, message, list);
  }

  /** No answer will come to these calls, if they have none yet. */
  unanswered(ids: readonly RequestId[]): void {
    for (const id of ids) this.settle(idKey(id), 'unanswered');
  }

  /** Reports calls that were never answered. */
  end(): void {
    for (const key of [...this.forwarded.keys()]) this.settle(key, 'unanswered');
    for (const controllers of this.held.values()) for (const controller of controllers) controller.abort();
  }

  private settle(
    key: string,
    outcome: Parameters<Reporter['called']>[0]['outcome'],
    response?: Readonly<Record<string, unknown>>,
  ): void {
    const allowed = this.forwarded.get(key);
    if (allowed === undefined) return;
    this.forwarded.delete(key);
    const { attempt, question } = allowed;
    const result = objectOf(response?.['result']);
    if (result?.['resultType'] === 'input_required')
      this.suspend(question, { ...attempt, rounds: attempt.rounds + 1 }, result['requestState']);
    this.options.reporter.called({ allowed, outcome, resultDigest: resultDigestOf(response) });
  }

  private redact(
    id: RequestId,
    value: Readonly<Record<string, unknown>>,
    { fields, call }: { readonly fields: readonly string[]; readonly call: ToolCall },
  ): string {
    const sentence = 'The result of this call had to be redacted and could not be, so it was withheld.';
    try {
      const shown = redactedResponse(value, fields);
      return shown === undefined ? refusalText(id, sentence, call.withResultType) : JSON.stringify(shown);
    } catch {
      // Nesting that exhausts the stack.
      return refusalText(id, sentence, call.withResultType);
    }
  }

  private listed(key: string, message: Message, request: PageRequest): Passed | Promise<Passed> {
    this.lists.delete(key);
    const result = objectOf(message.value['result']);
    if (result === undefined) return SAME;
    this.definitions.observe(result, request);
    const { hide } = this.options;
    return hide === undefined ? SAME : hide(message, (name) => this.definitions.current(name));
  }
}

function roundKey(question: Question, state: unknown): string {
  return JSON.stringify([keyOf(question), state ?? null]);
}

function outcomeOf(response: Readonly<Record<string, unknown>>): 'success' | 'failure' | 'pending' {
  const result = objectOf(response['result']);
  if (result === undefined || result['isError'] === true) return 'failure';
  const { resultType = 'complete', task } = result;
  return resultType === 'complete' && task === undefined ? 'success' : 'pending';
}

function resultDigestOf(response: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (response === undefined) return undefined;
  try {
    const text = canonicalize(response['result'] ?? response['error']);
    return `sha256:${createHash('sha256').update(text).digest('hex')}`;
  } catch {
    // A lone surrogate, or nesting that exhausts the stack.
    return undefined;
  }
}
