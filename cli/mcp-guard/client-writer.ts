// Writes lines to the client over stdio: in order, and a response never in the same moment as the last progress notice of its request.
import type { Writable } from 'node:stream';

/** What a line means for the progress of requests, by the text of their tokens. */
export interface Progress {
  /** Tokens of which the line is a notice. */
  readonly notices: readonly string[];
  /** Tokens of requests that the line answers. */
  readonly ends: readonly string[];
}

/**
 * The official clients (1.x and 2.x) handle a notification one microtask later than a response. When both arrive in one read, the response
 * removes the handler first, and the last progress notice is lost. The guard makes that likely, because it reads both at once where a
 * server wrote them one after the other. So it gives a client this long to read the notice, also on a busy machine.
 */
const AFTER_PROGRESS_MS = 50;

interface Line extends Progress {
  readonly bytes: Buffer;
}

export class ClientWriter {
  private readonly out: Writable;
  private readonly queue: Line[] = [];
  private readonly nowMs: () => number;
  private readonly noticedMs = new Map<string, number>();
  private isPaused = false;

  constructor(out: Writable, nowMs: () => number) {
    this.out = out;
    this.nowMs = nowMs;
  }

  write(bytes: Buffer, progress: Progress): void {
    this.queue.push({ bytes, ...progress });
    if (!this.isPaused) this.flush();
  }

  /** Resolves when everything so far has been handed to the operating system. */
  async end(): Promise<void> {
    while (this.queue.length > 0) await new Promise((resolve) => setTimeout(resolve, AFTER_PROGRESS_MS));
    if (this.out.writableLength > 0) await new Promise<void>((resolve) => this.out.write('', () => resolve()));
  }

  private flush(): void {
    this.isPaused = false;
    for (let [line] = this.queue; line !== undefined; [line] = this.queue) {
      const noticed = line.ends.map((token) => this.noticedMs.get(token) ?? Number.NEGATIVE_INFINITY);
      const restMs = Math.max(...noticed) + AFTER_PROGRESS_MS - this.nowMs();
      if (restMs > 0) {
        this.isPaused = true;
        setTimeout(() => this.flush(), restMs);
        return;
      }
      this.queue.shift();
      this.out.write(line.bytes);
      for (const token of line.notices) this.noticedMs.set(token, this.nowMs());
      for (const token of line.ends) this.noticedMs.delete(token);
    }
  }
}
