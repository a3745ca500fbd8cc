// Live numbers as server-sent events: one timer for all streams, and every stream's session is looked at before each send.
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../shared/errors.ts';
import type { AuthenticatedKey } from '../../shared/keys/types.ts';
import type { Exchange } from '../middleware/exchange.ts';
import type { Sessions } from './sessions.ts';

/** What pages can follow: a name, and what is said of it to the holder of a key. Called for each stream: it shares work itself. */
export interface Topic {
  readonly name: string;
  load(key: AuthenticatedKey): Promise<unknown>;
}

/** With the heartbeat's three seconds below the five in which the end of a worker must be seen. */
const TICK_MS = 1_500;
/** Streams of one process, and of one key: browsers open one for each visible tab. */
const MAX_STREAMS = 200;
const MAX_STREAMS_PER_KEY = 20;
/** Bytes that a client may leave unread before it is let go. */
const MAX_UNREAD = 1_000_000;

export interface Events {
  serve(x: Exchange): void;
  close(): void;
}

export interface EventsDeps {
  readonly sessions: Sessions;
  readonly topics: readonly Topic[];
}

interface Stream {
  readonly x: Exchange;
  readonly headers: IncomingHttpHeaders;
  readonly keyId: string;
  readonly topics: readonly Topic[];
  busy: boolean;
}

function message(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** An error as pages are told it: nothing internal. */
function troubleOf(error: unknown): { code: string; detail: string } {
  return error instanceof ApiError
    ? { code: error.code, detail: error.message }
    : { code: 'E6001', detail: 'The numbers could not be read.' };
}

export function createEvents({ sessions, topics }: EventsDeps): Events {
  const streams = new Set<Stream>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const drop = (stream: Stream): void => {
    if (!streams.delete(stream)) return;
    stream.x.record(200);
    if (streams.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  const say = ({ x: { res } }: Stream, text: string): void => {
    if (res.writableLength > MAX_UNREAD) res.destroy();
    else if (!res.writableEnded) res.write(text);
  };
  const send = async (stream: Stream): Promise<void> => {
    if (stream.busy) return;
    stream.busy = true;
    try {
      const { key } = await sessions.find(stream.headers, false);
      for (const topic of stream.topics) say(stream, message(topic.name, await topic.load(key)));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        say(stream, message('ended', troubleOf(error)));
        stream.x.res.end();
      } else say(stream, message('trouble', troubleOf(error)));
    } finally {
      stream.busy = false;
    }
  };

  const open = async (x: Exchange): Promise<void> => {
    const { req, res } = x;
    const names = new URLSearchParams(/\?(.*)$/.exec(req.url ?? '')?.[1]).get('topics')?.split(',') ?? [];
    const unknown = names.find((name) => !topics.some((topic) => topic.name === name));
    if (names.length === 0 || unknown !== undefined)
      throw new ApiError('E2001', 'The topics are not known here.', {
        errors: [{ pointer: '?topics', message: `must be a list of ${topics.map(({ name }) => name).join(', ')}` }],
      });
    const { key } = await sessions.find(req.headers, false);
    if (!key.scopes.has('admin:*')) throw new ApiError('E1004', 'The dashboard needs a key with the scope admin:*.');
    const own = [...streams].filter(({ keyId }) => keyId === key.keyId).length;
    if (closed || streams.size >= MAX_STREAMS || own >= MAX_STREAMS_PER_KEY)
      throw new ApiError('E6002', 'Too many pages are open; live numbers come back when some are closed.', {
        headers: { 'retry-after': '5' },
      });
    if (res.destroyed) return;
    x.key = key;
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // A proxy must neither keep nor gather nor compress it.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': x.requestId,
    });
    const stream: Stream = {
      x,
      headers: req.headers,
      keyId: key.keyId,
      topics: topics.filter((topic) => names.includes(topic.name)),
      busy: false,
    };
    streams.add(stream);
    res.once('close', () => drop(stream));
    // The page decides itself when it comes back.
    res.write('retry: 2000\n\n');
    timer ??= setInterval(() => {
      for (const each of streams) void send(each);
    }, TICK_MS);
    await send(stream);
  };

  return {
    serve: (x) => void open(x).catch((error: unknown) => x.fail(error)),
    close() {
      closed = true;
      clearInterval(timer);
      for (const { x } of streams) x.res.end();
    },
  };
}
