// A tool call on hold. THE INVARIANT OF THE GUARD: no call reaches the server without an ALLOW (or a kept DEGRADE) on record.
//
// It holds by construction. The text of a call is private to its HeldCall, and only `release` returns it, once. `release` needs an
// `Allowed` for this call, which is made only from a recorded decision of Custos. Every frame of a client passes `readIncoming`, which
// puts each `tools/call` of the frame on hold. So after an error, a crash between decision and forwarding, or an outage of the service the
// call is not forwarded. The reverse does not hold: a decision on record may belong to a call that was never carried out.
import type { Allowed } from './decision.ts';
import { assertUnambiguous, type Frame, type Message } from '../mcp/frames.ts';
import { limited, type Terms } from './obligations.ts';
import { isToolCall, type ReadCall, readCall } from './tool-call.ts';

export class HeldCall {
  readonly read: ReadCall;
  readonly #text: string;
  #isReleased = false;

  constructor(message: Message) {
    this.read = readCall(message);
    this.#text = message.text;
  }

  /** @throws {Error} unless `allowed` is for this call, and on a second release: the guard would be broken */
  release(allowed: Allowed, { limits }: Terms): string {
    const isOwn = this.read.kind === 'call' && allowed.question.call === this.read.call;
    if (!isOwn || this.#isReleased) throw new Error('a call without a decision of its own');
    this.#isReleased = true;
    return limited(this.#text, limits);
  }
}

/** One message of a client's frame. */
export type Part =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'held'; readonly hold: HeldCall };

/** The calls of a batch are sent together: while a human decided about one, the decisions about the others would get old. */
export function isOnlyCall(parts: readonly Part[]): boolean {
  return parts.filter(({ kind }) => kind === 'held').length === 1;
}

/** @throws {FrameError} when a message does not mean the same to every parser */
export function readIncoming({ messages }: Frame): Part[] {
  for (const message of messages) assertUnambiguous(message);
  return messages.map((message) =>
    isToolCall(message) ? { kind: 'held', hold: new HeldCall(message) } : { kind: 'message', message },
  );
}
