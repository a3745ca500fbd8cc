// The dashboard as one Express site: its pages and files, the API behind a session, and live events.
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { ANONYMOUS_PER_SECOND, type AnonymousLimiter, createAnonymousLimiter } from '../request/address-limit.ts';
import { type Site, ANSWERED_METHODS, byPrecision, expressPath, routeMethods } from '../app.ts';
import type { AdmissionDeps } from '../request/authenticate.ts';
import { Exchange } from '../request/exchange.ts';
import { compile } from '../request/schema.ts';
import type { LimitAnswer, Limiter } from '../request/limit.ts';
import type { Route } from '../route.ts';
import { createHandler, type RouterDeps } from '../router.ts';
import { loadAssets } from './assets.ts';
import { createAttempts } from './attempts.ts';
import { createDevices } from './devices.ts';
import { BOARD_PATH, createBoard } from './board.ts';
import { createEvents, type Topic } from './events.ts';
import { createOperatorTrail } from './operator-trail.ts';
import { assetAddress, buildPage, sendAsset, sendPage } from './page.ts';
import type { QueueReader } from './queue-reader.ts';
import { sessionRoutes, type SignIn } from './routes/session.ts';
import { assertShown, foreignRequest } from './same-site.ts';
import { createSessions } from './sessions.ts';

const PATH = '/dashboard';
const EVENTS_PATH = `${PATH}/api/events`;
const ASSETS_PATH = `${PATH}/assets`;
/** Every other path below PATH is that of a page. */
const NOT_A_PAGE = /^\/dashboard\/(?:api|assets)(?:\/|$)/;
/** For pages and files, by client address: the first load of a page is about ten requests. */
const FILES_PER_SECOND = 200;
/** For a session's key, apart from the key's own limit: watching the dashboard must not use up the limit of agents. */
const REQUESTS_PER_SECOND = 50;

export interface DashboardDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly logger: Logger;
  readonly https: boolean;
  /** CUSTOS_PEPPER. */
  readonly pepper: string;
  readonly signIn: SignIn;
  /** Called with every use of a key. */
  readonly onUse: (keyId: string, atMs: number) => void;
  /** The routes of /v1, which are also served below /dashboard/api with the session's key. */
  readonly business: readonly Route[];
  /** The dashboard's own routes; their paths begin with /dashboard/api/. */
  readonly own: readonly Route[];
  readonly topics: readonly Topic[];
  readonly queues: Pick<QueueReader, 'opened' | 'counts'>;
  /** Whether requests are limited (CUSTOS_RATE_LIMIT). Sign-in attempts always are. */
  readonly rateLimit: boolean;
  /** Whether operators may change queues and jobs on the board. */
  readonly queueAdmin: boolean;
}

export interface Dashboard {
  readonly site: Site;
  /** All routes of the dashboard; their paths begin with /dashboard/api/. */
  readonly routes: readonly Route[];
  /** Ends the live streams, which would keep the server open. */
  close(): void;
}

/**
 * Whether a route counts against the key's own limit, as at /v1: what agents do, and what costs more than one request. A
 * session must not be a way around that limit.
 */
function countsForKey({ method, access, cost }: Route): boolean {
  const isWork =
    typeof access === 'object' && access.some((scope) => scope === 'intents:write' || scope === 'trust:write');
  return cost !== undefined || (method !== 'GET' && isWork);
}

function createLimits(
  monotonicMs: () => number,
  enabled: boolean,
): { readonly session: Limiter; readonly files: AnonymousLimiter } {
  const limiter = (perSecond: number): AnonymousLimiter =>
    createAnonymousLimiter({ monotonicMs, perSecond: enabled ? perSecond : Number.POSITIVE_INFINITY });
  const keys = limiter(REQUESTS_PER_SECOND);
  const strangers = limiter(ANONYMOUS_PER_SECOND);
  return {
    session: {
      consume: (key): LimitAnswer => keys.consume(key.keyId),
      consumeAnonymous: (address) => strangers.consume(address),
      peekAnonymous: (address) => strangers.peek(address),
    },
    files: limiter(FILES_PER_SECOND),
  };
}

export function createDashboard(deps: DashboardDeps): Dashboard {
  const { db, nowMs, monotonicMs, logger, https } = deps;
  const sessions = createSessions({ db, nowMs, secure: https, onUse: deps.onUse });
  const trail = createOperatorTrail({ db, nowMs, logger });
  const events = createEvents({ sessions, topics: deps.topics });
  const limits = createLimits(monotonicMs, deps.rateLimit);
  const routes: Route[] = [
    ...sessionRoutes({
      sessions,
      trail,
      attempts: createAttempts(db, nowMs),
      devices: createDevices(deps.pepper),
      strangers: limits.session,
      signIn: deps.signIn,
    }),
    ...deps.own.map(trail.recorded),
    ...deps.business.map((route) => trail.recorded({ ...route, path: `${PATH}/api${route.path}` })),
  ];
  const load = once(() => {
    const assets = loadAssets();
    return { assets, page: buildPage(assets) };
  });

  const ofRoutes = once(() => routeMethods(routes));
  const methodsOf = (path: string): readonly string[] => {
    if (path.startsWith(`${BOARD_PATH}/`)) return Object.keys(ANSWERED_METHODS);
    const isRead = !NOT_A_PAGE.test(path) || path === EVENTS_PATH || path.startsWith(`${ASSETS_PATH}/`);
    return isRead ? ['GET'] : ofRoutes()(path);
  };

  const create = (edge: RouterDeps): RequestHandler => {
    const router: Router = express.Router({ caseSensitive: true, strict: true });
    /** @param active whether a person causes the requests */
    const admissionOf = (active: boolean): AdmissionDeps => ({
      async authenticate(headers, beforeLookUp) {
        const { key } = await sessions.find(headers, active, beforeLookUp);
        assertShown(headers, key);
        return key;
      },
      limiter: limits.session,
      addressOf: edge.addressOf,
    });
    const [active, passive] = [admissionOf(true), admissionOf(false)];
    const sessionLimits: RouterDeps = { ...edge, ...active };
    const keyLimits: RouterDeps = {
      ...sessionLimits,
      limiter: { ...limits.session, consume: (key, cost) => edge.limiter.consume(key, cost) },
    };

    router.use('/api', (req, res, next) => {
      const refusal = foreignRequest(req);
      if (refusal === undefined) return next();
      new Exchange(edge, req, res, `${PATH}/api`).fail(refusal);
    });
    router.get('/api/events', (req, res) => events.serve(new Exchange(edge, req, res, EVENTS_PATH), passive));
    for (const route of byPrecision(routes)) {
      const path = expressPath(route.path.slice(PATH.length));
      // Created on first use: most installations never call most of these routes.
      const handler = once(() => createHandler(countsForKey(route) ? keyLimits : sessionLimits, route, compile));
      router[ANSWERED_METHODS[route.method]](path, (req, res) => handler()(req, res));
    }

    router.use(
      BOARD_PATH.slice(PATH.length),
      createBoard(
        {
          queues: deps.queues,
          admission: active,
          trail,
          mayChange: deps.queueAdmin,
          assetAddress: (name) => assetAddress(load().assets, name),
        },
        edge,
      ),
    );

    /** Serves pages and files to everybody, limited by address. */
    const open =
      (name: string, answer: (x: Exchange) => void): RequestHandler =>
      (req: Request, res: Response) => {
        const x = new Exchange(edge, req, res, name);
        try {
          if (!limits.files.consume(edge.addressOf(req)).allowed)
            throw new ApiError('E3001', 'Too many requests; come back in a second.', {
              headers: { 'retry-after': '1' },
            });
          answer(x);
        } catch (error) {
          x.fail(error);
        }
      };
    router.get(
      '/assets/:version/*name',
      open(ASSETS_PATH, (x) => {
        const { assets } = load();
        const [version = '', ...name] = x.path.slice(ASSETS_PATH.length + 1).split('/');
        const asset = assets.get(name.join('/'));
        if (asset === undefined) throw new ApiError('E4004', 'There is no such file.');
        // During an update another process may have sent a page of another version; this one's file is better than none.
        sendAsset(x, edge.https, asset, version === assets.version);
      }),
    );
    const page = open(PATH, (x) => sendPage(x, edge.https, load().page));
    router.get('/', page);
    router.get('/*rest', (req, res, next) => (NOT_A_PAGE.test(req.baseUrl + req.path) ? next() : page(req, res, next)));
    // The application answers OPTIONS.
    return (req, res, next) => (req.method === 'OPTIONS' ? next() : router(req, res, next));
  };
  return {
    routes,
    site: { path: PATH, methodsOf, create },
    close: () => events.close(),
  };
}

/** Calls `make` on first use and returns that value from then on. An error is not kept. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
