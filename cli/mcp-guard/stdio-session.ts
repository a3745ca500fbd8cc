// A session over stdio: lines in, lines out. Order is kept each way; only tool calls that wait for an answer are overtaken.
import { type Json, objectOf } from '../../shared/kernel/json.ts';
import type { Progress } from './client-writer.ts';
import { assertOneLine, type Frame, type Message, readFrame, readServerFrame } from '../mcp/frames.ts';
import type { Guard } from './guard.ts';
import { isOnlyCall, type Part, readIncoming } from './held-call.ts';
import {
  idKey,
  isRequestId,
  listText,
  ownId,
  type Passed,
  progressText,
  progressTokenOf,
  responseIdOf,
} from '../mcp/messages.ts';
import type { Session } from './session.ts';
import { settleCall } from './settle.ts';
import type { ToolCall } from './tool-call.ts';

export interface StdioEnds {
  toClient(line: Buffer, progress: Progress): void;
  toServer(line: Buffer): void;
}

export interface StdioOptions {
  readonly guard: Guard;
  readonly session: Session;
  readonly ends: StdioEnds;
  /** UUIDs. */
  readonly newId: () => string;
  readonly log: (line: string) => void;
}

/** How long the server may take to list its tools to the guard. */
const LIST_TIMEOUT_MS = 5_000;

/** A batch of which the server has to answer a part: refusals travel in the array with its answers. */
interface Batch {
  readonly awaited: Set<string>;
  readonly refusals: readonly string[];
}

export class StdioSession {
  private readonly options: StdioOptions;
  private readonly running = new Set<Promise<void>>();
  private readonly batches = new Set<Batch>();
  private readonly ownLists = new Map<string, (response: Json | undefined) => void>();
  /** Resolves when the calls so far are settled or wait for a human. */
  private turns: Promise<unknown> = Promise.resolve();
  /** Set while a line of the server is filtered; later lines queue behind it. */
  private filtering: Promise<void> | undefined;
  private readonly waiting = new Set<() => void>();
  /** Of requests without an answer, by id. */
  private readonly progressTokens = new Map<string, string>();
  private isEnded = false;

  constructor(options: StdioOptions) {
    this.options = options;
  }

  /** @throws {FrameError} */
  fromClient(line: Buffer): void {
    assertOneLine(line);
    const frame = readFrame(line);
    const parts = readIncoming(frame);
    for (const { value } of frame.messages) {
      const token = progressTokenOf(value);
      if (token !== undefined && isRequestId(value['id'])) this.progressTokens.set(idKey(value['id']), idKey(token));
    }
    const stops = parts.map((part) => part.kind === 'message' && this.options.session.fromClient(part.message));
    if (parts.some(({ kind }) => kind === 'held')) {
      const work = this.settle(frame, parts, line).finally(() => this.running.delete(work));
      this.running.add(work);
    } else if (frame.isBatch || !stops.includes(true)) this.options.ends.toServer(line);
  }

  /** @throws {FrameError} */
  fromServer(line: Buffer): void {
    assertOneLine(line);
    const frame = readServerFrame(line);
    this.inOrder(() => this.pass(frame, line));
  }

  /** The client sends nothing more: drops calls that wait for a human, and settles the others. */
  async clientEnded(): Promise<void> {
    this.isEnded = true;
    for (const cancelWait of this.waiting) cancelWait();
    await Promise.all(this.running);
  }

  /** Nothing more will come from the server. Resolves when the calls on hold are dropped and all calls are reported. */
  async serverEnded(): Promise<void> {
    for (const resolve of this.ownLists.values()) resolve(undefined);
    this.options.session.end();
    await Promise.all(this.running);
  }

  private async settle(frame: Frame, parts: readonly Part[], line: Buffer): Promise<void> {
    const before = this.turns;
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    this.turns = Promise.all([before, left]);
    const cancelWaits: (() => void)[] = [];
    let notices = 0;
    const around = {
      ...this.options,
      mayWait: isOnlyCall(parts),
      listPage: (call: ToolCall) => async (cursor: string | undefined) => this.listPage(call, cursor),
      turn: async () => before,
      onWaiting: (cancelWait: () => void) => {
        leave();
        cancelWaits.push(cancelWait);
        this.waiting.add(cancelWait);
        if (this.isEnded) cancelWait();
      },
      notify: ({ progressToken }: ToolCall, message: string) => {
        notices += 1;
        if (progressToken !== undefined) this.toClient(progressText(progressToken, notices, message));
      },
    };
    try {
      const settled = await Promise.all(
        parts.map(async (part) => (part.kind === 'held' ? settleCall(part.hold, around) : part)),
      );
      // From here to the writing nothing is awaited: a cancellation comes before it, or finds the call forwarded.
      const sent = settled.map((one) => {
        if (one.kind === 'message') return { kind: 'text', text: one.message.text } as const;
        return one.kind === 'permitted' ? one.send() : one;
      });
      const texts = sent.flatMap((one) => (one.kind === 'text' ? [one.text] : []));
      const refusals = sent.flatMap((one) => (one.kind === 'refused' ? [one.response] : []));
      const isUnchanged = sent.every((one, i) => one.kind === 'text' && one.text === frame.messages[i]?.text);
      this.write(frame, texts, refusals, isUnchanged ? line : undefined);
    } finally {
      leave();
      for (const cancelWait of cancelWaits) this.waiting.delete(cancelWait);
    }
  }

  /** @param line the frame's own bytes, when all of it goes on as it came */
  private write(frame: Frame, texts: readonly string[], refusals: readonly string[], line: Buffer | undefined): void {
    const [first] = texts;
    if (first !== undefined) {
      const text = frame.isBatch ? `[${texts.join(',')}]` : first;
      this.options.ends.toServer(line ?? Buffer.from(`${text}\n`));
    }
    if (refusals.length === 0) return;
    if (!frame.isBatch) return refusals.forEach((refusal) => this.toClient(refusal));
    const awaited = new Set(texts.flatMap((text) => requestKeysOf(text)));
    if (awaited.size > 0) this.batches.add({ awaited, refusals });
    else this.toClient(`[${refusals.join(',')}]`);
  }

  /** Writes a message that the guard itself has made. */
  private toClient(text: string): void {
    this.inOrder(() => {
      const { messages } = readFrame(Buffer.from(text));
      this.options.ends.toClient(Buffer.from(`${text}\n`), this.progressOf(messages));
      return undefined;
    });
  }

  /** Runs at once, or behind the list that is being filtered: nothing for the client overtakes it. */
  private inOrder(work: () => Promise<void> | undefined): void {
    const running = this.filtering === undefined ? work() : this.filtering.then(work);
    if (running === undefined) return;
    this.filtering = running;
    void running.then(() => {
      if (this.filtering === running) this.filtering = undefined;
    });
  }

  /** One page of the server's tools, by a request that the guard adds. */
  private async listPage(call: ToolCall, cursor: string | undefined): Promise<Json | undefined> {
    const id = ownId(call.id, this.options.newId());
    const response = await new Promise<Json | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), LIST_TIMEOUT_MS);
      this.ownLists.set(idKey(id), (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.options.ends.toServer(Buffer.from(`${listText(id, cursor, call.envelope)}\n`));
    });
    // The entry stays after a timeout, so that a late answer does not reach the client.
    return objectOf(response?.['result']);
  }

  /** @returns a promise only while a list is filtered */
  private pass(frame: Frame, line: Buffer): Promise<void> | undefined {
    const seen = frame.messages.map((message) => {
      const id = responseIdOf(message.value);
      const own = id === undefined ? undefined : this.ownLists.get(idKey(id));
      if (id === undefined || own === undefined) return this.options.session.fromServer(message);
      this.ownLists.delete(idKey(id));
      own(message.value);
      return { kind: 'none' } as const;
    });
    const ready = seen.filter((one) => !(one instanceof Promise)) as Passed[];
    if (ready.length === seen.length) return this.show(frame, ready, line);
    return Promise.all(seen).then((passed) => this.show(frame, passed, line));
  }

  private show(frame: Frame, passed: readonly Passed[], line: Buffer): undefined {
    const answered = frame.messages.flatMap(({ value }) => {
      const id = responseIdOf(value);
      return id === undefined ? [] : [idKey(id)];
    });
    const extra = this.refusalsFor(answered, frame.isBatch);
    if (extra.length === 0 && passed.every(({ kind }) => kind === 'same')) {
      this.options.ends.toClient(line, this.progressOf(frame.messages));
      return undefined;
    }
    const texts = passed.flatMap((one, i) =>
      one.kind === 'same' ? [frame.messages[i]?.text ?? ''] : one.kind === 'other' ? [one.text] : [],
    );
    const lines = frame.isBatch ? [`[${[...texts, ...extra].join(',')}]`] : texts;
    if (!frame.isBatch && extra.length > 0) lines.push(`[${extra.join(',')}]`);
    const progress = this.progressOf(frame.messages);
    for (const text of lines) if (text !== '[]') this.options.ends.toClient(Buffer.from(`${text}\n`), progress);
    return undefined;
  }

  private progressOf(messages: readonly Message[]): Progress {
    const [notices, ends]: [string[], string[]] = [[], []];
    for (const { value } of messages) {
      const noticed = objectOf(value['params'])?.['progressToken'];
      if (value['method'] === 'notifications/progress' && isRequestId(noticed)) notices.push(idKey(noticed));
      const id = responseIdOf(value);
      const ended = id === undefined ? undefined : this.progressTokens.get(idKey(id));
      if (id === undefined || ended === undefined) continue;
      ends.push(ended);
      this.progressTokens.delete(idKey(id));
    }
    return { notices, ends };
  }

  /** Refusals that go with these answers: with the first array, or behind the last single answer. */
  private refusalsFor(answered: readonly string[], isArray: boolean): string[] {
    const refusals: string[] = [];
    for (const batch of this.batches) {
      const before = batch.awaited.size;
      for (const key of answered) batch.awaited.delete(key);
      if (batch.awaited.size === before || !(isArray || batch.awaited.size === 0)) continue;
      refusals.push(...batch.refusals);
      this.batches.delete(batch);
    }
    return refusals;
  }
}

function requestKeysOf(text: string): string[] {
  // A message that was parsed before.
  const { id, method } = JSON.parse(text) as Json;
  return isRequestId(id) && method !== undefined ? [idKey(id)] : [];
}
