// One request and its answer: identity, trace, and everything that is written to the client.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asApiError } from '../../shared/platform/db/database.ts';
import { ApiError, toProblem } from '../../shared/kernel/errors.ts';
import { newId } from '../../shared/kernel/ids.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { Metrics } from '../../shared/platform/observe/metrics.ts';
import type { RequestSpan, Tracing } from '../../shared/platform/observe/tracing.ts';
import { ClientGone, drain, hasBody } from './read.ts';
import type { EdgeClock, EdgeLog } from '../ports.ts';
import type { Reply } from '../route.ts';

export interface ExchangeDeps {
  readonly logger: EdgeLog;
  readonly metrics: Metrics;
  readonly clock: EdgeClock;
  readonly isStopping: () => boolean;
  /** Absent: no spans. */
  readonly tracing?: Pick<Tracing, 'request'> | undefined;
  /** Served over TLS: browsers are told to stay there. */
  readonly https: boolean;
}

const SANE_ID = /^[A-Za-z0-9._:-]{1,128}$/;
/** W3C Trace Context, level 1: version 00 exactly, a later version may say more; ids are not all zero, version is not ff. */
const TRACEPARENT =
  /^(?:00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?)$/;

/** What an answer says of itself, whatever it is: nothing may be run, framed, sniffed or kept from it. */
const SAFETY = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
  'X-Frame-Options',
  'DENY',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];
const SAFETY_HTTPS = [...SAFETY, 'Strict-Transport-Security', 'max-age=31536000'];
const CACHE_NONE = ['Cache-Control', 'no-store'];
const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** The request's id: the caller's when it is sane, else a new one. */
export function requestIdOf(req: IncomingMessage, nowMs: number): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : newId('req', nowMs);
}

/** The path of a request without its query, for problem documents. */
function pathOf(req: IncomingMessage): string {
  const url = (req as { originalUrl?: string }).originalUrl ?? req.url ?? '/';
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  // A proxy may send the absolute form (RFC 9112 section 3.2.2).
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
}

/** Whether an If-None-Match header names the entity tag (weak comparison, RFC 9110 section 13.1.2). */
function matchesEtag(header: string, etag: string): boolean {
  const bare = etag.replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === bare);
}

/** Postgres cannot store U+0000 in text (22021); a schema that forgot to say so must not make it an internal error. */
function asRequestError(error: unknown): unknown {
  if ((error as { code?: unknown } | null)?.code !== '22021') return error;
  return new ApiError('E2001', 'The request contains the character U+0000, which is not allowed here.', {
    cause: error,
  });
}

export class Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** The path template, for logs and metrics. */
  readonly route: string;
  key: AuthenticatedKey | undefined;
  /** What the limiter wants said. */
  limitHeaders: Readonly<Record<string, string>> | undefined;
  private readonly deps: ExchangeDeps;
  private readonly startedMs: number;
  private readonly span: RequestSpan | undefined;
  private answered = false;

  constructor(deps: ExchangeDeps, req: IncomingMessage, res: ServerResponse, route: string) {
    this.deps = deps;
    this.req = req;
    this.res = res;
    this.route = route;
    this.startedMs = deps.clock.monotonicMs();
    this.requestId = requestIdOf(req, deps.clock.nowMs());
    this.span = deps.tracing?.request(req.method ?? 'GET', route, this.given);
  }

  get path(): string {
    return pathOf(this.req);
  }

  /** The trace context of what this request causes: that of its span, or the caller's when nothing is traced here. */
  get traceparent(): string | undefined {
    return this.span?.traceparent ?? this.given;
  }

  /** The caller's trace context, when it sent a valid one: as version 00, because it is kept with records. */
  private get given(): string | undefined {
    const given = this.req.headers.traceparent;
    if (typeof given !== 'string' || !TRACEPARENT.test(given)) return undefined;
    if (given.startsWith('00')) return given;
    // Of what a later version says more, only the flag `sampled` has a meaning here (section 3.2.4 there).
    return `00${given.slice(2, 53)}0${Number.parseInt(given.slice(53, 55), 16) & 1}`;
  }

  /** Begins the work of the request, within its span when there is one. */
  begin(work: () => void): void {
    if (this.span === undefined) work();
    else this.span.run(work);
  }

  /** Sends the handler's reply. */
  answer(reply: Reply): void {
    if (this.answered) return;
    try {
      const etag = reply.headers?.['etag'];
      const asked = this.req.headers['if-none-match'];
      if (
        etag !== undefined &&
        asked !== undefined &&
        reply.status === 200 &&
        (this.req.method === 'GET' || this.req.method === 'HEAD') &&
        matchesEtag(asked, etag)
      ) {
        this.send(304, undefined, undefined, reply.headers);
        return;
      }
      const text = reply.text ?? (reply.body === undefined ? undefined : JSON.stringify(reply.body));
      this.send(reply.status, text, reply.contentType ?? JSON_TYPE, reply.headers);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Sends the problem document of an error; what is not an ApiError is logged and shown as E6001. */
  fail(error: unknown): void {
    if (this.answered) return;
    if (error instanceof ClientGone) {
      this.answered = true;
      // The status that proxies log for it; no answer has it.
      this.span?.end(499, {});
      this.deps.logger.info({ requestId: this.requestId, route: this.route }, 'client went away');
      return;
    }
    const known = asRequestError(asApiError(error));
    const shown =
      known instanceof ApiError
        ? known
        : new ApiError('E6001', 'Something went wrong here; the request id finds it in the log.');
    if (shown.status >= 500)
      this.deps.logger.error(
        { requestId: this.requestId, route: this.route, err: shown.cause ?? error },
        shown.message,
      );
    const problem = JSON.stringify(toProblem(shown, this.path, this.requestId));
    try {
      this.send(shown.status, problem, PROBLEM_TYPE, shown.headers);
    } catch (unsendable) {
      this.answered = true;
      this.deps.logger.error(
        { requestId: this.requestId, route: this.route, err: unsendable },
        'an answer could not be sent',
      );
      this.res.destroy();
    }
  }

  private send(
    status: number,
    text: string | undefined,
    contentType: string | undefined,
    extra: Readonly<Record<string, string>> | undefined,
  ): void {
    const { req, res, deps } = this;
    const headers = deps.https ? [...SAFETY_HTTPS] : [...SAFETY];
    headers.push('X-Request-Id', this.requestId);
    if (extra?.['cache-control'] === undefined) headers.push(...CACHE_NONE);
    if (this.limitHeaders !== undefined)
      for (const name in this.limitHeaders) headers.push(name, this.limitHeaders[name] as string);
    if (extra !== undefined) for (const name in extra) headers.push(name, extra[name] as string);
    if (text !== undefined) {
      if (contentType !== undefined) headers.push('Content-Type', contentType);
      headers.push('Content-Length', String(Buffer.byteLength(text)));
    } else if (status !== 204 && status !== 304) headers.push('Content-Length', '0');
    if (deps.isStopping()) headers.push('Connection', 'close');
    res.writeHead(status, headers);
    this.answered = true;
    // node:http leaves the body out of an answer to HEAD.
    if (text === undefined) res.end();
    else res.end(text);
    if (!req.complete && hasBody(req)) drain(req);
    this.record(status);
  }

  /** Counts and logs an answer; called from outside only for one that a page's own handler has sent. */
  record(status: number): void {
    const { deps, req } = this;
    const durationMs = deps.clock.monotonicMs() - this.startedMs;
    const method = req.method ?? 'GET';
    deps.metrics.observeRequest(this.route, method, status, durationMs);
    this.span?.end(status, {
      'custos.request_id': this.requestId,
      ...(this.key === undefined
        ? {}
        : { 'custos.key_id': this.key.keyId, 'custos.organisation': this.key.organisationSlug }),
    });
    deps.logger.info(
      {
        requestId: this.requestId,
        method,
        route: this.route,
        status,
        durationMs: Math.round(durationMs * 100) / 100,
        keyId: this.key?.keyId,
        organisation: this.key?.organisationSlug,
        traceparent: this.traceparent,
      },
      'request',
    );
  }
}
