// The state for a request over HTTP: that of its MCP session, or a new one on servers without sessions.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestId } from '../mcp/messages.ts';
import type { Shown } from './definitions.ts';
import { newState, type ServerState, Session, type SessionOptions } from './session.ts';

/** Clients that end without a DELETE leave their sessions behind. */
const MAX_SESSIONS = 10_000;

export class HttpSessions {
  private readonly options: Omit<SessionOptions, 'state'>;
  private readonly sessions = new Map<string, Session>();
  /** Sessions that have begun through this guard. */
  private readonly begun = new WeakSet<Session>();
  /** Of requests without a session: a server may list other tools to other credentials. */
  private readonly states = new Map<string, ServerState>();
  /** To any client without a session: they can't be told apart, and one client may change its credentials. */
  private readonly shown: Shown = new Map();
  /** Requests without a session that are being handled, by credentials. */
  private readonly single = new Map<Session, string>();

  constructor(options: Omit<SessionOptions, 'state'>) {
    this.options = options;
  }

  /** @returns the state, and what to call when the request has been answered */
  of(headers: IncomingHttpHeaders): { readonly session: Session; readonly done: () => void } {
    const id = sessionIdOf(headers);
    if (id !== undefined) return { session: this.named(id), done: () => undefined };
    const caller = callerOf(headers);
    const state = this.states.get(caller) ?? newState(this.shown);
    keep(this.states, caller, state);
    const session = new Session({ ...this.options, state });
    this.single.set(session, caller);
    const done = (): void => {
      this.single.delete(session);
      session.end();
    };
    return { session, done };
  }

  /** Cancels a call on hold of a request without a session, if the id names only one. @returns whether it did */
  cancelSingle(headers: IncomingHttpHeaders, id: RequestId): boolean {
    const caller = callerOf(headers);
    const found = [...this.single].filter(([session, other]) => other === caller && session.isInUse(id));
    const [only] = found;
    return found.length === 1 && only !== undefined && only[0].cancel(id);
  }

  /** The server may have given its client another session: some clients take it from any answer. @param before that of the request */
  begin(request: IncomingHttpHeaders, answer: IncomingHttpHeaders, before: Session): void {
    const [from, id] = [sessionIdOf(request), sessionIdOf(answer)];
    if (id === undefined || id === from) return;
    if (from !== undefined) return void keep(this.sessions, id, before);
    const session = this.named(id);
    session.adopt(before);
    this.begun.add(session);
  }

  /**
   * Whether a stream can be resumed: the guard must know all calls of the session, because a result that had to be redacted can be among
   * the events that the server repeats.
   */
  canResume(headers: IncomingHttpHeaders): boolean {
    const session = this.sessions.get(sessionIdOf(headers) ?? '');
    return session !== undefined && this.begun.has(session);
  }

  delete(headers: IncomingHttpHeaders): void {
    const id = sessionIdOf(headers);
    if (id === undefined) return;
    this.sessions.get(id)?.end();
    this.sessions.delete(id);
  }

  end(): void {
    for (const session of [...this.sessions.values(), ...this.single.keys()]) session.end();
  }

  private named(id: string): Session {
    const session = this.sessions.get(id) ?? new Session({ ...this.options, state: newState() });
    keep(this.sessions, id, session)?.end();
    return session;
  }
}

function sessionIdOf(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['mcp-session-id'];
  return typeof id === 'string' ? id : undefined;
}

function callerOf({ authorization }: IncomingHttpHeaders): string {
  return createHash('sha256')
    .update(authorization ?? '')
    .digest('hex');
}

/** Puts a value last. @returns the one that was used the longest ago, when there are too many */
function keep<T>(values: Map<string, T>, key: string, value: T): T | undefined {
  values.delete(key);
  values.set(key, value);
  const [oldest] = values;
  if (values.size <= MAX_SESSIONS || oldest === undefined) return undefined;
  values.delete(oldest[0]);
  return oldest[1];
}
