// One request and its answer: its id, trace and key, sending the answer, and the line in the access log.
import type { Request, Response } from 'express';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { newId, REQUEST_ID_PATTERN } from '../../shared/kernel/ids.ts';
import { toProblem } from '../../shared/api/problem.ts';
import type { Metrics } from '../../shared/platform/observe/metrics.ts';
import type { RequestSpan, Tracing } from '../../shared/platform/observe/tracing.ts';
import type { LoggedIds, Reply } from '../route.ts';
import type { AccessLogRule } from './access-log.ts';
import { answerHeaders, isNotModified, shownError } from './answer.ts';
import { ClientGone, drain, hasBody } from './read.ts';

/** The part of a pino logger that is used here; neither keys nor bodies are logged. */
export interface EdgeLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Wall clock and monotonic clock, both in milliseconds. */
export interface EdgeClock {
  nowMs(): number;
  /** The time by which something may be old (shared/platform/db/clock.ts). Absent: that of `nowMs`. */
  deletionMs?(): number;
  monotonicMs(): number;
}

export interface ExchangeDeps {
  readonly logger: EdgeLog;
  readonly metrics: Metrics;
  readonly isLogged: AccessLogRule;
  readonly clock: EdgeClock;
  readonly isStopping: () => boolean;
  /** Absent: no spans. */
  readonly tracing?: Pick<Tracing, 'request'> | undefined;
  /** Served over TLS: browsers must not fall back to plain HTTP. */
  readonly https: boolean;
}

/** The status that proxies log when a client went away; none gets it. */
const GONE_STATUS = 499;
const REQUEST_ID = new RegExp(REQUEST_ID_PATTERN);
/** W3C Trace Context, level 1: version 00 exactly, a later version may have more; ids are not all zero, version is not ff. */
const TRACEPARENT =
  /^(?:00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?)$/;

/** The caller's trace context, when it sent a valid one: as version 00, because it is stored with records. */
function givenTraceparent(given: string | string[] | undefined): string | undefined {
  if (typeof given !== 'string' || !TRACEPARENT.test(given)) return undefined;
  if (given.startsWith('00')) return given;
  // Of the flags of a later version, only `sampled` has a meaning here (section 3.2.4 there).
  return `00${given.slice(2, 53)}0${Number.parseInt(given.slice(53, 55), 16) & 1}`;
}

/** The path of a request without its query. */
function pathOf({ originalUrl }: Request): string {
  const [path = ''] = originalUrl.split('?', 1);
  // A proxy may send the absolute form (RFC 9112 section 3.2.2).
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
}

export class Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly requestId: string;
  /** The value of X-Request-Id in the answer. */
  private readonly shownId: string;
  /** The path template, for logs and metrics. */
  readonly route: string;
  key: AuthenticatedKey | undefined;
  /** `RateLimit` headers; sent with the answer. */
  limitHeaders: Readonly<Record<string, string>> | undefined;
  /** Time that the caller asked to wait; not part of the measured duration. */
  waitedMs = 0;
  private readonly deps: ExchangeDeps;
  private readonly startedMs: number;
  private readonly span: RequestSpan | undefined;
  private isAnswered = false;
  private logged: LoggedIds | undefined;

  /** @param echoesAnyId whether an X-Request-Id that is not taken over is echoed all the same */
  constructor(deps: ExchangeDeps, req: Request, res: Response, route: string, echoesAnyId = false) {
    this.deps = deps;
    this.req = req;
    this.res = res;
    this.route = route;
    this.startedMs = deps.clock.monotonicMs();
    const givenId = req.headers['x-request-id'];
    this.requestId =
      typeof givenId === 'string' && REQUEST_ID.test(givenId) ? givenId : newId('req', deps.clock.nowMs());
    this.shownId = echoesAnyId && typeof givenId === 'string' && givenId !== '' ? givenId : this.requestId;
    this.span = deps.tracing?.request(req.method, route, givenTraceparent(req.headers['traceparent']));
  }

  get path(): string {
    return pathOf(this.req);
  }

  monotonicMs(): number {
    return this.deps.clock.monotonicMs();
  }

  /** The trace context for everything that this request causes: that of its span, or the caller's when nothing is traced here. */
  get traceparent(): string | undefined {
    return this.span?.traceparent ?? givenTraceparent(this.req.headers['traceparent']);
  }

  /** Runs the steps of the request and answers with their reply or their error, all within its span, if there is one. */
  run(steps: () => Promise<Reply>): void {
    const serve = (): Promise<void> =>
      steps().then(
        (value) => this.answer(value),
        (error: unknown) => this.fail(error),
      );
    if (this.span === undefined) void serve();
    else void this.span.run(serve);
  }

  /** Sends the handler's reply. */
  answer(reply: Reply): void {
    if (this.isAnswered) return;
    this.logged = reply.logged;
    const { method, headers } = this.req;
    try {
      if ((method === 'GET' || method === 'HEAD') && isNotModified(reply, headers['if-none-match']))
        this.send({ ...reply, status: 304 }, undefined);
      else this.send(reply, reply.text ?? (reply.body === undefined ? undefined : JSON.stringify(reply.body)));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Sends the problem document of an error; an unexpected error is logged and shown as E6001. */
  fail(error: unknown): void {
    if (this.isAnswered) return;
    const { requestId, route } = this;
    const { logger } = this.deps;
    if (error instanceof ClientGone) {
      this.isAnswered = true;
      this.span?.end(GONE_STATUS, {});
      if (this.deps.isLogged(GONE_STATUS, 0)) logger.info({ requestId, route }, 'client went away');
      return;
    }
    const shown = shownError(error);
    if (shown.status >= 500) logger.error({ requestId, route, err: shown.cause ?? error }, shown.message);
    this.logged = shown.decisionId === undefined ? undefined : { decisionId: shown.decisionId };
    const problem = JSON.stringify(toProblem(shown, this.path, requestId));
    const { status, headers } = shown;
    try {
      this.send({ status, headers, contentType: 'application/problem+json; charset=utf-8' }, problem);
    } catch (unsendable) {
      this.isAnswered = true;
      logger.error({ requestId, route, err: unsendable }, 'an answer could not be sent');
      this.res.destroy();
    }
  }

  private send(reply: Reply, text: string | undefined): void {
    const { req, res, shownId: requestId, limitHeaders, deps } = this;
    const context = { requestId, https: deps.https, isStopping: deps.isStopping(), limitHeaders };
    res.writeHead(reply.status, answerHeaders(reply, text, context));
    this.isAnswered = true;
    // node:http leaves the body out of an answer to HEAD.
    res.end(text);
    if (!req.complete && hasBody(req)) drain(req);
    this.record(reply.status);
  }

  /** Counts the answer, and logs it when the rule says so. Called from outside only for an answer that a page's own handler has sent. */
  record(status: number): void {
    const { deps, req, key, requestId, route } = this;
    const durationMs = deps.clock.monotonicMs() - this.startedMs - this.waitedMs;
    deps.metrics.observeRequest(route, req.method, status, durationMs);
    this.span?.end(status, {
      'custos.request_id': requestId,
      ...(key === undefined ? {} : { 'custos.key_id': key.keyId, 'custos.organisation': key.organisationSlug }),
    });
    if (!deps.isLogged(status, durationMs)) return;
    deps.logger.info(
      {
        requestId,
        method: req.method,
        route,
        status,
        durationMs: Math.round(durationMs * 100) / 100,
        ...(this.waitedMs > 0 ? { waitedMs: Math.round(this.waitedMs) } : {}),
        keyId: key?.keyId,
        organisation: key?.organisationSlug,
        ...this.logged,
        traceparent: this.traceparent,
      },
      'request',
    );
  }
}
