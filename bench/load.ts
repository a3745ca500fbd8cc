// The load generator, a process of its own: a closed loop over raw kept-alive connections that does as little work as possible.
// It shares two cores with the measured service; reading answers with node:http would cost as much as serving them.
import net from 'node:net';
import type { LoadJob, LoadResult } from './load-types.ts';
import { quantile } from './numbers.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('ontent-Length: ');
const READ_BYTES = 65_536;
/** Number of latencies kept; further requests of a job are counted but not timed. */
const MAX_SAMPLES = 2_000_000;
/** A connection whose answer takes longer than this counts as broken. */
const ANSWER_TIMEOUT_MS = 10_000;

let unseen = 0;

interface LoadRequest {
  readonly bytes: Buffer;
  /** Position of the nine digits that change in every request; -1 when there are none. */
  readonly digitsAt: number;
}

function requestsOf(job: LoadJob): LoadRequest[] {
  return job.bodies.map((body) => {
    const bytes = Buffer.from(
      `POST ${job.path} HTTP/1.1\r\nHost: 127.0.0.1:${job.port}\r\nAuthorization: Bearer ${job.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    const at = job.replace === undefined ? -1 : bytes.indexOf(job.replace);
    return { bytes, digitsAt: at === -1 ? -1 : at + 1 };
  });
}

function number(bytes: Buffer, at: number): number {
  let value = 0;
  for (let i = at; ; i += 1) {
    const digit = (bytes[i] ?? 0) - 48;
    if (digit < 0 || digit > 9) return value;
    value = value * 10 + digit;
  }
}

/** Runs one job; resolves when every request in flight has been answered. */
function run(job: LoadJob): Promise<LoadResult> {
  const requests = requestsOf(job);
  const samples = new Float32Array(MAX_SAMPLES);
  let sampled = 0;
  let answers = 0;
  let accepted = 0;
  let errors = 0;
  let firstError: string | undefined;
  let nth = 0;
  let open = job.connections;
  const expected = job.status ?? 200;
  const startedMs = performance.now();
  const countFromMs = startedMs + job.warmUpMs;
  const endMs = countFromMs + job.durationMs;

  return new Promise((resolve) => {
    const closed = (): void => {
      open -= 1;
      if (open > 0) return;
      const sorted = samples.subarray(0, sampled).sort();
      resolve({
        answers,
        elapsedMs: Math.min(job.durationMs, performance.now() - countFromMs),
        errors,
        accepted,
        p50: quantile(sorted, 0.5),
        p99: quantile(sorted, 0.99),
        max: quantile(sorted, 1),
        firstError,
      });
    };

    const connect = (): void => {
      const own = new Map<LoadRequest, Buffer>();
      let sentMs = 0;
      let status = 0;
      /** Missing bytes of the answer; -1 while its head is not complete. */
      let missing = -1;
      let head: Buffer | undefined;
      let ended = false;

      /** Sends now, or when it is time for the next request. */
      const sendInTime = (): void => {
        const atMs = job.rate === undefined ? 0 : startedMs + (nth * 1_000) / job.rate;
        const waitMs = atMs - performance.now();
        if (waitMs > 0) setTimeout(sendInTime, waitMs);
        else send();
      };

      const send = (): void => {
        const request = requests[nth % requests.length] as LoadRequest;
        nth += 1;
        let { bytes } = request;
        if (request.digitsAt !== -1) {
          // Each connection has its own copy: a write of another connection may still use the bytes.
          bytes = own.get(request) ?? Buffer.from(bytes);
          own.set(request, bytes);
          unseen += 1;
          bytes.write(String(unseen).padStart(9, '0'), request.digitsAt, 'latin1');
        }
        sentMs = performance.now();
        socket.write(bytes);
      };

      const answered = (): void => {
        const nowMs = performance.now();
        if (status === expected) accepted += 1;
        else errors += 1;
        if (nowMs >= countFromMs && nowMs < endMs && status === expected) {
          answers += 1;
          if (sampled < MAX_SAMPLES) samples[sampled++] = nowMs - sentMs;
        }
        missing = -1;
        head = undefined;
        if (nowMs < endMs) sendInTime();
        else {
          ended = true;
          socket.end();
        }
      };

      const received = (length: number, buffer: Uint8Array): boolean => {
        const bytes = buffer as Buffer;
        if (missing >= 0) {
          missing -= length;
          if (missing <= 0) answered();
          return true;
        }
        const chunk = bytes.subarray(0, length);
        const all = head === undefined ? chunk : Buffer.concat([head, chunk]);
        const end = all.indexOf(HEAD_END);
        if (end === -1) {
          // Copied, because the buffer is reused for the next chunk.
          head = Buffer.from(all);
          return true;
        }
        status = number(all, 9);
        const lengthAt = all.indexOf(LENGTH);
        const bodyBytes = lengthAt === -1 || lengthAt > end ? 0 : number(all, lengthAt + LENGTH.length);
        if (status !== expected) firstError ??= all.toString('utf8', 0, 600);
        missing = bodyBytes - (all.length - end - HEAD_END.length);
        if (missing <= 0) answered();
        return true;
      };

      const socket = net.connect({
        host: '127.0.0.1',
        port: job.port,
        noDelay: true,
        // One buffer per connection instead of one per chunk.
        onread: { buffer: Buffer.allocUnsafe(READ_BYTES), callback: received },
      });
      socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')));
      socket.once('connect', sendInTime);
      socket.once('error', (error) => {
        firstError ??= String(error);
      });
      socket.once('close', () => {
        if (!ended) {
          errors += 1;
          firstError ??= 'the connection was closed before the answer';
        }
        closed();
      });
    };
    for (let i = 0; i < job.connections; i += 1) connect();
  });
}

// The benchmark sends one job at a time over the channel. This process ends when the channel closes.
process.on('message', (job: LoadJob) => {
  void run(job).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit(0));
