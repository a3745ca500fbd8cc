// Live numbers as server-sent events: one timer for all streams, and every stream's session is looked at before each send.
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { type AdmissionDeps, authenticate, refuseUnknown } from '../request/authenticate.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Sessions } from './sessions.ts';

/** What pages can follow: a name, and what is said of it to the holder of a key. Called for each stream: it shares work itself. */
export interface Topic {
  readonly name: string;
  load(key: AuthenticatedKey): Promise<unknown>;
}

/** With the heartbeat's three seconds below the five in which the end of a worker must be seen. */
const TICK_MS = 1_500;
/** Streams of one process, of one organisation that is not the operator's, and of one key: a browser opens one for each visible tab. */
const MAX_STREAMS = 200;
const MAX_STREAMS_PER_TENANT = 40;
const MAX_STREAMS_PER_KEY = 20;
/** What tenants together leave to the operator. */
const KEPT_FOR_OPERATOR = 20;
/** Bytes that a client may leave unread before it is let go. */
const MAX_UNREAD = 1_000_000;
/** How long a client may take to read that its stream has ended. */
const LAST_WORDS_MS = 5_000;

export interface Events {
  /** @param admission how a session is found and strangers are counted */
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
  readonly keyId: string;
  readonly organisationId: string;
  readonly isOperator: boolean;
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
  /** The end of a stream, also when its client reads nothing any more. */
  const finish = (stream: Stream): void => {
    const { res } = stream.x;
    drop(stream);
    res.end();
    setTimeout(() => res.destroy(), LAST_WORDS_MS).unref();
  };
  const isFull = ({ keyId, organisationId, isOperator }: AuthenticatedKey): boolean => {
    const all = [...streams];
    if (all.filter((stream) => stream.keyId === keyId).length >= MAX_STREAMS_PER_KEY) return true;
    if (isOperator) return all.length >= MAX_STREAMS;
    const ofTenant = all.filter((stream) => stream.organisationId === organisationId).length;
    const ofTenants = all.filter((stream) => !stream.isOperator).length;
    return (
      ofTenant >= MAX_STREAMS_PER_TENANT || ofTenants >= MAX_STREAMS - KEPT_FOR_OPERATOR || all.length >= MAX_STREAMS
    );
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
        finish(stream);
      } else say(stream, message('trouble', troubleOf(error)));
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
      throw new ApiError('E2001', 'The topics are not known here.', {
        errors: [{ pointer: '?topics', message: `must be a list of ${topics.map(({ name }) => name).join(', ')}` }],
      });
    if (closed || isFull(key))
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
    // There is nothing to follow in an answer without a body.
    if (req.method === 'HEAD') {
      res.end();
      return x.record(200);
    }
    const stream: Stream = {
      x,
      headers: req.headers,
      keyId: key.keyId,
      organisationId: key.organisationId,
      isOperator: key.isOperator,
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
    serve: (x, admission) => void open(x, admission).catch((error: unknown) => refuseUnknown(admission, x, error)),
    close() {
      closed = true;
      clearInterval(timer);
      for (const { x } of streams) x.res.end();
    },
  };
}
