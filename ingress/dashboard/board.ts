// bull-board below /dashboard/queues/board: the queues in detail, for operators, read-only unless a setting allows changes.
import { createRequire } from 'node:module';
import path from 'node:path';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { RecordedChange } from '../../shared/kernel/recorded-change.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { QUEUE_NAMES } from '../../shared/kernel/jobs.ts';
import { type AdmissionDeps, authenticate } from '../request/authenticate.ts';
import { Exchange } from '../request/exchange.ts';
import type { RouterDeps } from '../router.ts';
import { actionOf, type OperatorTrail } from './operator-trail.ts';
import { safetyHeaders } from './page.ts';
import type { QueueReader } from './queue-reader.ts';
import { foreignBoardRequest } from './same-site.ts';

const require = createRequire(import.meta.url);

export const BOARD_PATH = '/dashboard/queues/board';

const SAFE = new Set(['GET', 'HEAD']);
/** bull-board's page links to fonts on another host. The Content-Security-Policy would block them; the link to our styles replaces it. */
const FONTS = /<link href="https:\/\/fonts\.googleapis\.com[^>]*>/g;

/** bull-board uses inline styles, and scripts only from files. */
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
  readonly queues: Pick<QueueReader, 'opened' | 'counts'>;
  /** How a session is found and requests without one are counted. */
  readonly admission: AdmissionDeps;
  readonly trail: OperatorTrail;
  /** Whether operators may change queues and jobs (CUSTOS_QUEUE_ADMIN). */
  readonly mayChange: boolean;
  /** The address of a file of the dashboard (page.ts). */
  readonly assetAddress: (name: string) => string;
}

/** @throws {ApiError} E6002 */
function refuseAway(error: unknown): never {
  throw new ApiError('E6002', "The queues' store does not answer now; accepted work waits in the outbox.", {
    headers: { 'retry-after': '2' },
    cause: error,
  });
}

async function makeBoard({ queues, mayChange, assetAddress }: BoardDeps): Promise<RequestHandler> {
  const opened = await queues.opened().catch(refuseAway);
  // Imported on first use: most ingress processes never serve the board, and its packages cost memory and start-up time.
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
      uiBasePath: path.dirname(require.resolve('@bull-board/ui/package.json')),
      uiConfig: {
        boardTitle: 'Custos queues',
        boardLogo: { path: assetAddress('icon.svg'), width: 26, height: 26 },
        favIcon: { default: assetAddress('icon.svg'), alternative: assetAddress('icon.svg') },
        miscLinks: [{ text: 'Back to the dashboard', url: '/dashboard/queues' }],
      },
    },
  });
  // Typed as any; it is an Express application, which is a request handler.
  return serverAdapter.getRouter() as RequestHandler;
}

/** What a request of the board changes: `/api/queues/<queue>/...` names the queue and the command. */
function changeOf(requestPath: string): RecordedChange {
  const [queue = '', ...command] = requestPath.split('/').slice(3).map(decodeURIComponent);
  return { subject: 'queue', id: queue, fields: [{ name: 'command', to: command.join(' ') }] };
}

/** Replaces the link to foreign fonts in pages by the one to this stylesheet. */
function withOwnStyles(res: Response, stylesheet: string): void {
  const send = res.send.bind(res);
  const link = `<link rel="stylesheet" href="${stylesheet}">`;
  res.send = (body: unknown) => send(typeof body === 'string' ? body.replaceAll(FONTS, link) : body);
}

/** The handler of the board, to be mounted at BOARD_PATH. It connects to the queues on the first request of an operator. */
export function createBoard(deps: BoardDeps, edge: RouterDeps): RequestHandler {
  const { queues, admission, trail, mayChange } = deps;
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
    if (!isOperatorsKey(key))
      throw new ApiError(
        'E1004',
        "The queues need a live admin:* key of the operator's organisation that is bound to no agents.",
      );
    if (!SAFE.has(req.method) && !mayChange)
      throw new ApiError('E1004', 'The queues are read-only here; CUSTOS_QUEUE_ADMIN=on lets operators change them.');
    return key;
  };

  const answer = async (x: Exchange, req: Request, res: Response, next: NextFunction): Promise<void> => {
    const key = await admit(x, req);
    x.key = key;
    const handler = await board();
    // Checked first: bull-board would show the internal error of the store's client.
    if (req.path.startsWith('/api/')) await queues.counts(QUEUE_NAMES[0]).catch(refuseAway);
    res.set({
      ...safetyHeaders(x, edge.https),
      'Content-Security-Policy': POLICY,
      'Cache-Control': 'no-store',
    });
    withOwnStyles(res, deps.assetAddress('board.css'));
    const ended = new Promise<void>((resolve) => {
      res.once('close', () => {
        x.record(res.statusCode);
        resolve();
      });
    });
    if (SAFE.has(req.method)) return void handler(req, res, next);
    const context = { requestId: x.requestId, address: edge.addressOf(req), path: x.path };
    await trail.around(actionOf(context, key, `${req.method} ${BOARD_PATH}`), async () => {
      handler(req, res, next);
      await ended;
      return { status: res.statusCode, change: changeOf(req.path) };
    });
  };

  return (req, res, next) => {
    const x = new Exchange(edge, req, res, BOARD_PATH);
    answer(x, req, res, next).catch((error: unknown) => {
      // Part of an answer has been sent already.
      if (res.headersSent) return;
      const isSignedOut = error instanceof ApiError && error.status === 401;
      // A browser window is redirected to the page on which to sign in.
      if (isSignedOut && req.method === 'GET' && String(req.headers.accept).includes('text/html')) {
        x.answer({ status: 303, headers: { location: '/dashboard/queues' } });
      } else x.fail(error);
    });
  };
}
