// Live numbers as server-sent events: one timer for all streams, and each stream's session is checked before each send.
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../shared/kernel/errors.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { type AdmissionDeps, authenticate } from '../request/authenticate.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Sessions } from './sessions.ts';

/** What pages can subscribe to. `load` is called for each stream, so a topic caches by itself. */
export interface Topic {
  readonly name: string;
  load(key: AuthenticatedKey): Promise<unknown>;
}

/** With the heartbeat's three seconds it stays below the five in which the end of a worker must be visible. */
const TICK_MS = 1_500;
/** Limits of one process: in all, for one organisation other than the operator's, and for one key. Each visible tab has a stream. */
const MAX_STREAMS = 200;
const MAX_STREAMS_PER_TENANT = 40;
const MAX_STREAMS_PER_KEY = 20;
/** Streams that other organisations together leave to the operator. */
const RESERVED_FOR_OPERATOR = 20;
/** Unread bytes after which a client is disconnected. */
const MAX_UNREAD_BYTES = 1_000_000;
/** Time for a client to read the last event of its stream. */
const END_TIMEOUT_MS = 5_000;

export interface Events {
  /** @param admission how a session is found and requests without one are counted */
  serve(x: Exchange, admission: AdmissionDeps): void;
  close(): void;
}

export interface EventsDeps {
  readonly sessions: Sessions;
  readonly topics: readonly Topic[];
}

interface Stream {
  readonly x: Exchange;
  readonly headers: IncomingHttpHeaders;
  readonly key: AuthenticatedKey;
  readonly topics: readonly Topic[];
  busy: boolean;
}

function message(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** An error without internal details. */
function problemOf(error: unknown): { code: string; detail: string } {
  return error instanceof ApiError
    ? { code: error.code, detail: error.message }
    : { code: 'E6001', detail: 'The numbers could not be read.' };
}

export function createEvents({ sessions, topics }: EventsDeps): Events {
  const streams = new Set<Stream>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const remove = (stream: Stream): void => {
    if (!streams.delete(stream)) return;
    stream.x.record(200);
    if (streams.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  const write = ({ x: { res } }: Stream, text: string): void => {
    if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
    else if (!res.writableEnded) res.write(text);
  };
  /** Ends a stream, also when its client does not read any more. */
  const finish = (stream: Stream): void => {
    const { res } = stream.x;
    remove(stream);
    res.end();
    setTimeout(() => res.destroy(), END_TIMEOUT_MS).unref();
  };
  const isFull = (asking: AuthenticatedKey): boolean => {
    const { keyId, organisationId } = asking;
    const count = (counts: (stream: Stream) => boolean): number => [...streams].filter(counts).length;
    if (streams.size >= MAX_STREAMS || count(({ key }) => key.keyId === keyId) >= MAX_STREAMS_PER_KEY) return true;
    return (
      !isOperatorsKey(asking) &&
      (count(({ key }) => key.organisationId === organisationId) >= MAX_STREAMS_PER_TENANT ||
        count(({ key }) => !isOperatorsKey(key)) >= MAX_STREAMS - RESERVED_FOR_OPERATOR)
    );
  };
  const send = async (stream: Stream): Promise<void> => {
    if (stream.busy) return;
    stream.busy = true;
    try {
      const { key } = await sessions.find(stream.headers, false);
      for (const topic of stream.topics) write(stream, message(topic.name, await topic.load(key)));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        write(stream, message('ended', problemOf(error)));
        finish(stream);
      } else write(stream, message('trouble', problemOf(error)));
    } finally {
      stream.busy = false;
    }
  };

  const open = async (x: Exchange, admission: AdmissionDeps): Promise<void> => {
    const { req, res } = x;
    const key = await authenticate(admission, x);
    if (!key.scopes.has('admin:*')) throw new ApiError('E1004', 'The dashboard needs a key with the scope admin:*.');
    const names = new URLSearchParams(/\?(.*)$/.exec(req.url ?? '')?.[1]).get('topics')?.split(',') ?? [];
    const unknown = names.find((name) => !topics.some((topic) => topic.name === name));
    if (names.length === 0 || unknown !== undefined)
      throw new ApiError('E2001', 'The request names no topic, or one that does not exist.', {
        errors: [{ pointer: '?topics', message: `must be a list of ${topics.map(({ name }) => name).join(', ')}` }],
      });
    if (closed || isFull(key))
      throw new ApiError('E6002', 'Too many dashboard pages are open; live numbers return when some are closed.', {
        headers: { 'retry-after': '5' },
      });
    if (res.destroyed) return;
    x.key = key;
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // A proxy must not cache, buffer or compress it.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': x.requestId,
    });
    // The answer to HEAD has no body to stream.
    if (req.method === 'HEAD') {
      res.end();
      return x.record(200);
    }
    const stream: Stream = {
      x,
      headers: req.headers,
      key,
      topics: topics.filter((topic) => names.includes(topic.name)),
      busy: false,
    };
    streams.add(stream);
    res.once('close', () => remove(stream));
    // The page reconnects by itself (client/live.ts).
    res.write('retry: 2000\n\n');
    timer ??= setInterval(() => {
      for (const each of streams) void send(each);
    }, TICK_MS);
    await send(stream);
  };

  return {
    serve: (x, admission) => void open(x, admission).catch((error: unknown) => x.fail(error)),
    close() {
      closed = true;
      clearInterval(timer);
      for (const { x } of streams) x.res.end();
    },
  };
}
