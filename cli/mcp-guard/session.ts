// The state of one session between a client and a server: calls on hold, calls on their way, lists of tools that were asked for.
import { createHash } from 'node:crypto';
import { objectOf } from '../../shared/kernel/json.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { OpenAttempts } from './approvals.ts';
import type { Allowed, Attempt, Question } from './decision.ts';
import { Definitions, type PageRequest, type Shown } from './definitions.ts';
import { keyOf } from './guard.ts';
import type { Message } from '../mcp/frames.ts';
import type { HideDenied } from './hiding.ts';
import { memberOf, splice } from '../mcp/json-text.ts';
import {
  idKey,
  isRequestId,
  isResponse,
  needsResultType,
  type Passed,
  type RequestId,
  refusalText,
} from '../mcp/messages.ts';
import type { Terms } from './obligations.ts';
import { redactedResponse } from './redaction.ts';
import type { Reporter } from './reports.ts';
import type { ToolCall } from './tool-call.ts';

/** What the guard knows of the server as one client sees it. */
export interface ServerState {
  readonly definitions: Definitions;
  /** Of calls for which the server has asked for input (2026-07-28). */
  readonly unfinished: OpenAttempts;
}

/** @param shown what other clients were shown, if they can't be told apart */
export function newState(shown?: Shown): ServerState {
  return { definitions: new Definitions(shown), unfinished: new OpenAttempts() };
}

export interface SessionOptions {
  readonly state: ServerState;
  readonly reporter: Pick<Reporter, 'called' | 'notCalled'>;
  /** Undefined: lists pass as they are. */
  readonly hide: HideDenied | undefined;
  readonly log: (line: string) => void;
}

const SAME: Passed = { kind: 'same' };
/** Answers that come again after so many others are dropped. */
const MAX_DONE = 1_000;

/** A request of the client that went to the server. */
interface Sent {
  readonly withResultType: boolean;
  /** Of a tool call. */
  readonly allowed: Allowed | undefined;
  /** Names of fields that no answer may show. */
  readonly redact: readonly string[];
  /** Of a request for tools. */
  readonly list: PageRequest | undefined;
}

export class Session {
  readonly definitions: Definitions;
  private readonly options: SessionOptions;
  private readonly held = new Map<string, Set<AbortController>>();
  /** Requests without an outcome. */
  private readonly open = new Map<string, Sent>();
  /** The latest others: a server can repeat an answer, or a client can fetch it again on another stream. */
  private readonly done = new Map<string, Sent>();
  private hasRedacted = false;

  constructor(options: SessionOptions) {
    this.options = options;
    this.definitions = options.state.definitions;
  }

  /** Whether a result of this session has to be redacted: then nothing may pass that the guard can't read. */
  get mustRedact(): boolean {
    return this.hasRedacted;
  }

  /** Whether a call with this id is on hold or unanswered. */
  isInUse(id: RequestId): boolean {
    return this.held.has(idKey(id)) || this.open.get(idKey(id))?.allowed !== undefined;
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
  forward({ id, withResultType }: ToolCall, allowed: Allowed, { redact }: Terms): void {
    if (redact.length > 0) this.hasRedacted = true;
    this.sent(id, { withResultType, allowed, redact, list: undefined });
  }

  /** The client of another session goes on in this one, where answers to its requests may come. */
  adopt({ open, definitions, hasRedacted }: Session): void {
    this.hasRedacted ||= hasRedacted;
    this.definitions.adopt(definitions);
    for (const [key, sent] of open) this.keep(key, { ...sent, allowed: undefined });
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
    if (typeof method === 'string' && isRequestId(id)) {
      const list = method === 'tools/list' ? this.definitions.requested(params?.['cursor']) : undefined;
      this.sent(id, { withResultType: needsResultType(value), allowed: undefined, redact: [], list });
    }
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

  /**
   * Looks at a message of the server before the client gets it. Asynchronous only when a list has to be filtered.
   * @param isHttpError whether it came with a status of 400 or more
   */
  fromServer(message: Message, isHttpError = false): Passed | Promise<Passed> {
    const { value } = message;
    const { method, id = null } = value;
    if (method === 'notifications/tools/list_changed') this.definitions.changed();
    if (!isResponse(value))
      return typeof method === 'string' ? SAME : this.unread('a message that is none of JSON-RPC');
    // An error of HTTP or of the connection, which answers no request.
    if (id === null && (value['result'] ?? null) === null) return this.unread('an error without an id');
    const key = isRequestId(id) ? idKey(id) : '';
    const sent = this.held.has(key) ? undefined : (this.open.get(key) ?? this.done.get(key));
    // The official Python server gives its errors of HTTP the id "server-error".
    if (sent === undefined && isHttpError && !Object.hasOwn(value, 'result'))
      return this.unread('an error of HTTP', { kind: 'other', text: withoutId(message) });
    if (sent === undefined || !isRequestId(id)) return this.drop('an answer to a request that the client did not send');
    this.settle(key, outcomeOf(value), value);
    if (sent.redact.length > 0) return { kind: 'other', text: this.redact(id, value, sent) };
    return sent.list === undefined ? SAME : this.listed(message, sent.list);
  }

  private unread(what: string, passed = SAME): Passed {
    return this.hasRedacted ? this.drop(`${what}, because results have to be redacted`) : passed;
  }

  private drop(what: string): Passed {
    this.options.log(`The server sent ${what}. It was dropped.`);
    return { kind: 'none' };
  }

  /** No answer will come to these calls, if they have none yet. */
  unanswered(ids: readonly RequestId[]): void {
    for (const id of ids) this.settle(idKey(id), 'unanswered');
  }

  /** Reports calls that were never answered. */
  end(): void {
    for (const key of [...this.open.keys()]) this.settle(key, 'unanswered');
    for (const controllers of this.held.values()) for (const controller of controllers) controller.abort();
  }

  private sent(id: RequestId, { redact, ...request }: Sent): void {
    const key = idKey(id);
    const open = this.open.get(key);
    // A client may use an id again. What an answer shows is bounded by all requests that it can be for.
    const before = open ?? this.done.get(key);
    this.done.delete(key);
    this.open.set(key, {
      withResultType: request.withResultType,
      allowed: request.allowed ?? open?.allowed,
      redact: [...new Set([...(before?.redact ?? []), ...redact])],
      list: request.list ?? open?.list,
    });
  }

  private keep(key: string, sent: Sent): void {
    this.done.set(key, sent);
    const [oldest] = this.done.keys();
    if (this.done.size > MAX_DONE && oldest !== undefined) this.done.delete(oldest);
  }

  private settle(
    key: string,
    outcome: Parameters<Reporter['called']>[0]['outcome'],
    response?: Readonly<Record<string, unknown>>,
  ): void {
    const sent = this.open.get(key);
    if (sent === undefined) return;
    this.open.delete(key);
    this.keep(key, { ...sent, allowed: undefined });
    const { allowed } = sent;
    if (allowed === undefined) return;
    const { attempt, question } = allowed;
    const result = objectOf(response?.['result']);
    if (result?.['resultType'] === 'input_required')
      this.suspend(question, { ...attempt, rounds: attempt.rounds + 1 }, result['requestState']);
    this.options.reporter.called({ allowed, outcome, resultDigest: resultDigestOf(response) });
  }

  private redact(
    id: RequestId,
    value: Readonly<Record<string, unknown>>,
    { redact: fields, withResultType }: Sent,
  ): string {
    const sentence = 'The result of this call had to be redacted and could not be, so it was withheld.';
    try {
      const shown = redactedResponse(value, fields);
      return shown === undefined ? refusalText(id, sentence, withResultType) : JSON.stringify(shown);
    } catch {
      // Nesting that exhausts the stack.
      return refusalText(id, sentence, withResultType);
    }
  }

  private listed(message: Message, request: PageRequest): Passed | Promise<Passed> {
    const result = objectOf(message.value['result']);
    if (result === undefined) return SAME;
    this.definitions.observe(result, request);
    const { hide } = this.options;
    return hide === undefined ? SAME : hide(message, (name) => this.definitions.current(name));
  }
}

function withoutId({ text }: Message): string {
  const id = memberOf(text, 'id');
  return id === undefined ? text : splice(text, id, 'null');
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
