// The operators' pages put together: documents, files, the API behind a session, and live events.
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Queues } from '../../shared/platform/queues/queues.ts';
import { ANONYMOUS_PER_SECOND, type AnonymousLimiter, createAnonymousLimiter } from '../request/address-limit.ts';
import { type Site, ANSWERED_METHODS, byPrecision, expressPath } from '../app.ts';
import type { AdmissionDeps } from '../request/authenticate.ts';
import { Exchange } from '../request/exchange.ts';
import { createCompiler } from '../request/schema.ts';
import type { LimitAnswer, Limiter } from '../ports.ts';
import type { Route } from '../route.ts';
import { createHandler, type RouterDeps, type RouteHandler } from '../router.ts';
import { type Assets, loadAssets } from './assets.ts';
import { createAttempts } from './attempts.ts';
import { createAudit } from './audit.ts';
import { createDevices } from './devices.ts';
import { BOARD_PATH, createBoard } from './board.ts';
import { createEvents, type Topic } from './events.ts';
import { buildPage, type Page, sendAsset, sendPage } from './page.ts';
import { sessionRoutes, type SignIn } from './routes/session.ts';
import { foreignRequest } from './same-site.ts';
import { createSessions } from './sessions.ts';

const PATH = '/dashboard';
/** Pages and files by client address: a page with all its files is about fifty requests, once. */
const FILES_PER_SECOND = 200;
/** Requests of a session's key, apart from the key's own limit: somebody who watches must not use up what agents need. */
const REQUESTS_PER_SECOND = 50;

export interface DashboardDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly logger: Logger;
  /** The installation's folder. */
  readonly root: string;
  readonly https: boolean;
  /** CUSTOS_PEPPER. */
  readonly pepper: string;
  /** Checks a key that somebody signs in with. */
  readonly signIn: SignIn;
  /** Called with every use of a key. */
  readonly onUse: (keyId: string, atMs: number) => void;
  /** Routes of /v1 that are served below /dashboard/api, too, with the session's key. */
  readonly business: readonly Route[];
  /** Routes of the dashboard's own; their paths begin with /dashboard/api/. */
  readonly own: readonly Route[];
  readonly topics: readonly Topic[];
  readonly queues: Pick<Queues, 'opened' | 'counts'>;
  /** Whether requests are limited (CUSTOS_RATE_LIMIT); wrong keys always are. */
  readonly rateLimit: boolean;
  /** Whether operators may change queues and jobs on the board. */
  readonly queueAdmin: boolean;
}

export interface Dashboard {
  readonly site: Site;
  /** All routes below it; their paths begin with /dashboard/api/. */
  readonly routes: readonly Route[];
  /** Ends the live streams, which would otherwise keep the server open. */
  close(): void;
}

/** /v1/... as the pages ask for it: the same route, and what it changes is audited. */
function withSession(route: Route, audited: (route: Route) => Route): Route {
  const moved = { ...route, path: `${PATH}/api${route.path}` };
  return route.method === 'GET' ? moved : audited(moved);
}

/**
 * What agents do, and what costs more than a request, takes from the key's own limit as at /v1: a session must not be a
 * way around it.
 */
function countsForKey({ method, access, cost }: Route): boolean {
  const isWork =
    typeof access === 'object' && access.some((scope) => scope === 'intents:write' || scope === 'trust:write');
  return cost !== undefined || (method !== 'GET' && isWork);
}

/** Limits of the dashboard's own. */
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
  const audit = createAudit({ db, nowMs, logger });
  const events = createEvents({ sessions, topics: deps.topics });
  const limits = createLimits(monotonicMs, deps.rateLimit);
  const routes: Route[] = [
    ...sessionRoutes({
      sessions,
      audit,
      attempts: createAttempts(db, nowMs),
      devices: createDevices(deps.pepper),
      strangers: limits.session,
      signIn: deps.signIn,
    }),
    ...deps.own.map((route) => (route.method === 'GET' ? route : audit.audited(route))),
    ...deps.business.map((route) => withSession(route, audit.audited)),
  ];
  let loaded: { readonly assets: Assets; readonly page: Page } | undefined;
  const load = (): { readonly assets: Assets; readonly page: Page } => {
    if (loaded === undefined) {
      const assets = loadAssets(deps.root);
      loaded = { assets, page: buildPage(assets) };
    }
    return loaded;
  };

  const create = (edge: RouterDeps): RequestHandler => {
    const router: Router = express.Router({ caseSensitive: true, strict: true });
    /** @param active whether it is a person who asks */
    const admissionOf = (active: boolean): AdmissionDeps => ({
      authenticate: async (headers, beforeLookUp) => (await sessions.find(headers, active, beforeLookUp)).key,
      limiter: limits.session,
      addressOf: edge.addressOf,
    });
    const [asked, watched] = [admissionOf(true), admissionOf(false)];
    const inside: RouterDeps = { ...edge, ...asked };
    const asAtV1: RouterDeps = {
      ...inside,
      limiter: { ...limits.session, consume: (key, cost) => edge.limiter.consume(key, cost) },
    };

    router.use('/api', (req, res, next) => {
      const refusal = foreignRequest(req);
      if (refusal === undefined) return next();
      new Exchange(edge, req, res, `${PATH}/api`).fail(refusal);
    });
    router.get('/api/events', (req, res) => events.serve(new Exchange(edge, req, res, `${PATH}/api/events`), watched));
    const compile = createCompiler();
    for (const route of byPrecision(routes)) {
      const path = expressPath(route.path.slice(PATH.length));
      router[ANSWERED_METHODS[route.method]](
        path,
        lazily(() => createHandler(countsForKey(route) ? asAtV1 : inside, route, compile)),
      );
    }

    router.use(
      BOARD_PATH.slice(PATH.length),
      createBoard({ queues: deps.queues, admission: asked, audit, mayChange: deps.queueAdmin }, edge),
    );

    /** A page or a file: for everybody, counted by address. */
    const open = (name: string, answer: (x: Exchange) => void): RequestHandler => {
      return (req: Request, res: Response) => {
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
    };
    router.get(
      '/assets/:version/*name',
      open(`${PATH}/assets`, (x) => {
        const { assets } = load();
        const [version = '', ...name] = x.path.slice(`${PATH}/assets/`.length).split('/');
        const asset = assets.get(name.join('/'));
        if (asset === undefined) throw new ApiError('E4004', 'There is no such file.');
        // During an update another process may have named another version: the newest is better than none.
        sendAsset(x, edge.https, asset, version === assets.version);
      }),
    );
    const page = open(PATH, (x) => sendPage(x, edge.https, load().page));
    router.get('/', page);
    router.get('/*rest', (req, res, next) =>
      /^\/(?:api|assets)(?:\/|$)/.test(req.path) ? next() : page(req, res, next),
    );
    // The application says itself which methods there are.
    return (req, res, next) => (req.method === 'OPTIONS' ? next() : router(req, res, next));
  };
  return {
    routes,
    site: { path: PATH, methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], create },
    close: () => events.close(),
  };
}

/** A handler that is made when it is first needed: most installations never use most of them here. */
function lazily(make: () => RouteHandler): RouteHandler {
  let handler: RouteHandler | undefined;
  return (req, res, next) => (handler ??= make())(req, res, next);
}
