// The queues in detail: bull-board below /dashboard/queues/board, for operators, read-only unless a setting says otherwise.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { QUEUE_NAMES } from '../../shared/kernel/jobs.ts';
import type { Queues } from '../../shared/platform/queues/queues.ts';
import { type AdmissionDeps, authenticate, refuseUnknown } from '../request/authenticate.ts';
import { Exchange } from '../request/exchange.ts';
import type { RouterDeps } from '../router.ts';
import { actionOf, type Audit } from './audit.ts';
import { foreignBoardRequest } from './same-site.ts';

export const BOARD_PATH = '/dashboard/queues/board';

const SAFE = new Set(['GET', 'HEAD']);
/** The link to another host's fonts that its page holds; the page's policy would refuse it, too. */
const FONTS = /<link href="https:\/\/fonts\.googleapis\.com[^>]*>/g;

/** Its page brings its own styles, in the page and in elements; scripts come from files alone, and all of it from here. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'self'",
  "form-action 'none'",
].join('; ');

export interface BoardDeps {
  readonly queues: Pick<Queues, 'opened' | 'counts'>;
  /** How a session is found and strangers are counted. */
  readonly admission: AdmissionDeps;
  readonly audit: Audit;
  /** Whether the board may change anything (CUSTOS_QUEUE_ADMIN). */
  readonly mayChange: boolean;
}

/** What is said while the queues' store is away. */
function away(error: unknown): never {
  throw new ApiError('E6002', "The queues' store does not answer now; accepted work waits in the outbox.", {
    headers: { 'retry-after': '2' },
    cause: error,
  });
}

async function makeBoard({ queues, mayChange }: BoardDeps): Promise<RequestHandler> {
  const opened = await queues.opened().catch(away);
  // Few ingress processes are ever asked for the board, and its packages take memory and time to start.
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(BOARD_PATH);
  createBullBoard({
    queues: opened.map((queue) => new BullMQAdapter(queue, { readOnlyMode: !mayChange })),
    serverAdapter,
    options: {
      uiBasePath: path.dirname(fileURLToPath(import.meta.resolve('@bull-board/ui/package.json'))),
      uiConfig: { boardTitle: 'Custos queues', miscLinks: [{ text: 'Dashboard', url: '/dashboard' }] },
    },
  });
  // Its types say any: it is an Express application, which is a request handler.
  return serverAdapter.getRouter() as RequestHandler;
}

/** Takes out of a page what would ask another host. */
function withoutForeignFonts(res: Response): void {
  const send = res.send.bind(res);
  res.send = (body: unknown) => send(typeof body === 'string' ? body.replaceAll(FONTS, '') : body);
}

/** The board's handler, to be mounted at BOARD_PATH. It connects to the queues when an operator first comes. */
export function createBoard(deps: BoardDeps, edge: RouterDeps): RequestHandler {
  const { queues, admission, audit, mayChange } = deps;
  let making: Promise<RequestHandler> | undefined;
  const board = (): Promise<RequestHandler> => {
    making ??= makeBoard(deps).catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    return making;
  };

  const admit = async (x: Exchange, req: Request): Promise<AuthenticatedKey> => {
    const refusal = foreignBoardRequest(req);
    if (refusal !== undefined) throw refusal;
    const key = await authenticate(admission, x);
    if (!key.scopes.has('admin:*') || !key.isOperator || key.environment !== 'live')
      throw new ApiError('E1004', "The queues need a live admin:* key of the operator's organisation.");
    if (!SAFE.has(req.method) && !mayChange)
      throw new ApiError('E1004', 'The queues are read-only here; CUSTOS_QUEUE_ADMIN=on lets operators change them.');
    return key;
  };

  const answer = async (x: Exchange, req: Request, res: Response, next: NextFunction): Promise<void> => {
    const key = await admit(x, req);
    x.key = key;
    const handler = await board();
    // Asked first, because bull-board would pass on what the store's client says of being away.
    if (req.path.startsWith('/api/')) await queues.counts(QUEUE_NAMES[0]).catch(away);
    res.set({
      'X-Request-Id': x.requestId,
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'no-store',
      ...(edge.https ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
    });
    withoutForeignFonts(res);
    const ended = new Promise<void>((resolve) => {
      res.once('close', () => {
        x.record(res.statusCode);
        resolve();
      });
    });
    if (SAFE.has(req.method)) return void handler(req, res, next);
    const context = { requestId: x.requestId, address: edge.addressOf(req), path: x.path };
    await audit.around(actionOf(context, key, `${req.method} ${BOARD_PATH}`), async () => {
      handler(req, res, next);
      await ended;
      return { status: res.statusCode };
    });
  };

  return (req, res, next) => {
    const x = new Exchange(edge, req, res, BOARD_PATH);
    answer(x, req, res, next).catch((error: unknown) => {
      // What is on its way already cannot become an answer of another kind.
      if (res.headersSent) return;
      const isSignedOut = error instanceof ApiError && error.status === 401;
      // Somebody who opens the board in a window is better served with the page on which to sign in.
      if (isSignedOut && req.method === 'GET' && String(req.headers.accept).includes('text/html')) {
        // Counted as any other request without a session, so that the look-up before the next one can be refused.
        void admission.limiter.consumeAnonymous(admission.addressOf(req));
        x.answer({ status: 303, headers: { location: '/dashboard/queues' } });
      } else refuseUnknown(admission, x, error);
    });
  };
}
