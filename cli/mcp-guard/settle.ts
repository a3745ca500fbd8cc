// Settles one tool call on hold, the same way for every transport: permitted, refused with a text for the client, or dropped.
import type { ListPage } from './definitions.ts';
import type { Guard, Settled } from './guard.ts';
import type { HeldCall } from './held-call.ts';
import { refusalText } from '../mcp/messages.ts';
import type { Session } from './session.ts';
import type { ToolCall } from './tool-call.ts';

/** The transport around a call. */
export interface Around {
  readonly guard: Guard;
  readonly session: Session;
  /** Whether calls may wait for a human. */
  readonly mayWait: boolean;
  readonly listPage: (call: ToolCall) => ListPage;
  readonly turn: () => Promise<unknown>;
  /** @param cancelWait ends the wait, as a cancellation does */
  readonly onWaiting: (cancelWait: () => void) => void;
  /** Shows progress of the call, if the client wants to see it. */
  readonly notify: (call: ToolCall, message: string) => void;
  /** The client is gone. */
  readonly gone?: AbortSignal;
  readonly log: (line: string) => void;
}

export type SettledCall =
  /** Sends the call, at once: undefined when it was cancelled in the meantime, a refusal when its tool has changed. */
  | { readonly kind: 'permitted'; readonly send: () => Sent }
  | { readonly kind: 'refused'; readonly response: string }
  | { readonly kind: 'dropped' };

export type Sent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly response: string }
  | { readonly kind: 'dropped' };

/** Registers the call before it returns for the first time, so that a cancellation right behind it finds it. */
export async function settleCall(hold: HeldCall, around: Around): Promise<SettledCall> {
  const { guard, session } = around;
  const { read } = hold;
  if (read.kind === 'unanswerable') {
    around.log('A tool call without a usable id was dropped: it could not be answered.');
    return { kind: 'dropped' };
  }
  if (read.kind === 'malformed') {
    const sentence = guard.refusals.malformed(read.sentence);
    return { kind: 'refused', response: refusalText(read.id, sentence, read.withResultType) };
  }
  const { call } = read;
  if (session.isInUse(call.id))
    return refusal(call, guard.refusals.byGuard(call.name, 'its request id is that of a call without an answer yet'));
  const { controller, release } = session.hold(call.id);
  const { signal } = controller;
  const cancelWait = (): void => controller.abort();
  around.gone?.addEventListener('abort', cancelWait, { once: true });
  if (around.gone?.aborted === true) cancelWait();
  const end = (): void => {
    release();
    around.gone?.removeEventListener('abort', cancelWait);
  };
  try {
    const settled = await guard.decide(call, {
      find: async (name) => session.definitions.find(name, around.listPage(call)),
      mayWait: around.mayWait,
      isStill: (name, digest) => session.definitions.isStill(name, digest),
      resume: (question) => session.resume(question),
      suspend: (question, attempt) => session.suspend(question, attempt),
      signal,
      turn: around.turn,
      onWaiting: () => around.onWaiting(cancelWait),
      notify: (message) => around.notify(call, message),
      onUnused: (allowed) => session.unused(allowed),
    });
    if (settled.kind === 'permitted')
      return { kind: 'permitted', send: () => send(hold, call, settled, { around, signal, end }) };
    end();
    return settled.kind === 'refused' ? refusal(call, settled.sentence) : { kind: 'dropped' };
  } catch (error) {
    end();
    throw error;
  }
}

function send(
  hold: HeldCall,
  call: ToolCall,
  permitted: Extract<Settled, { kind: 'permitted' }>,
  { around, signal, end }: { readonly around: Around; readonly signal: AbortSignal; readonly end: () => void },
): Sent {
  const { guard, session } = around;
  const { allowed, terms } = permitted;
  end();
  // Other calls of a batch may have taken longer to decide than this one, and the machine may have been suspended.
  const isSame = session.definitions.isStill(call.name, allowed.question.definitionDigest);
  const why = isSame ? guard.lapseOf(permitted) : 'the definition of the tool has just changed';
  if (signal.aborted || why !== undefined) session.unused(allowed);
  if (signal.aborted) return { kind: 'dropped' };
  if (why !== undefined) return refusal(call, guard.refusals.byGuard(call.name, why));
  const text = hold.release(allowed, terms);
  session.forward(call, allowed, terms);
  return { kind: 'text', text };
}

function refusal(call: ToolCall, sentence: string): { readonly kind: 'refused'; readonly response: string } {
  return { kind: 'refused', response: refusalText(call.id, sentence, call.withResultType) };
}
