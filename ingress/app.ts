// The Express application: every route of the list, the pages, and the answers to requests that match none of them.
import express, { type Request, type RequestHandler, type Response } from 'express';
import { ApiError } from '../shared/kernel/errors.ts';
import { compact } from './openapi/compact.ts';
import { buildOpenApi, type OpenApiDocument } from './openapi/document.ts';
import type { HaltedEnvironment, ReadinessCheck } from './readiness.ts';
import { limitPublic, operatorCheck } from './request/authenticate.ts';
import { Exchange } from './request/exchange.ts';
import { compile } from './request/schema.ts';
import { assertSingleHeaders } from './request/validate.ts';
import type { Access, Route } from './route.ts';
import { createHandler, type RouterDeps } from './router.ts';
import { createDocsPages, docsRoutes } from './routes/docs.ts';
import { healthRoutes } from './routes/health.ts';
import { referenceRoutes } from './routes/reference.ts';
import type { ServedApp } from './server.ts';

/**
 * A part of the address space that authenticates in its own way (a session instead of a key) and counts and limits its
 * requests itself. What it does not answer gets the application's own 404 or 405.
 */
export interface Site {
  readonly path: string;
  /** The methods of a path of the site; empty when it has none of this name. */
  methodsOf(path: string): readonly string[];
  /** @param edge what the routes of the application itself are served with */
  create(edge: RouterDeps): RequestHandler;
}

export interface AppConfig {
  readonly version: string;
  /** Express's `trust proxy`: whose X-Forwarded-For is trusted. Absent or false: nobody's. */
  readonly trustProxy?: boolean | number | string;
  /** Served over TLS (here or at a trusted proxy): answers carry Strict-Transport-Security. */
  readonly https?: boolean;
  /** Who may read /metrics; absent: everybody. */
  readonly metricsAccess?: Access;
  /** The folder of policy.json and lexicon.json. */
  readonly schemaDir: string;
}

export interface AppDeps extends Omit<RouterDeps, 'addressOf' | 'https'> {
  /** The business routes; health, readiness, metrics, reference, OpenAPI and schemas are added here. */
  readonly routes: readonly Route[];
  readonly sites?: readonly Site[];
  readonly readiness: readonly ReadinessCheck[];
  /** The halted environments, for /ready. */
  readonly halted: () => Promise<readonly HaltedEnvironment[]>;
  readonly config: AppConfig;
}

/** For createExpressServer (ingress/server.ts). */
export interface App extends ServedApp {
  /** All routes that are served, those added here included. */
  readonly routes: readonly Route[];
  readonly document: () => OpenApiDocument;
}

/** The page that a browser gets at `/`, if this application has it. */
const HOME = '/dashboard';

/** Pages that are not JSON. */
const DOCS = { path: '/docs', methodsOf: () => ['GET'] };

export const ANSWERED_METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

/** `/v1/agents/{agentId}` as Express writes it: `/v1/agents/:agentId`. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function pathPattern(template: string): RegExp {
  const source = template
    .split(/\{\w+\}/)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]+');
  return new RegExp(`^${source}$`);
}

/** The methods that routes have for a path. */
export function routeMethods(routes: readonly Route[]): (path: string) => string[] {
  const table = routes.map(({ path, method }) => ({ pattern: pathPattern(path), method }));
  return (path) => table.flatMap(({ pattern, method }) => (pattern.test(path) ? [method] : []));
}

/** The methods of a path, for 405 and OPTIONS; empty when no route and no page has it. */
function createMethodsOf(
  routes: readonly Route[],
  pages: readonly Pick<Site, 'path' | 'methodsOf'>[],
): (path: string) => string[] {
  const ofRoutes = routeMethods(routes);
  return (path) => {
    const page = pages.find((one) => `${path}/`.startsWith(`${one.path}/`));
    const methods = new Set<string>([...ofRoutes(path), ...(page?.methodsOf(path) ?? [])]);
    if (methods.size === 0) return [];
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods.add('OPTIONS')].sort();
  };
}

/** Literal paths before templates: `/v1/proofs/batch` is not the proof named batch. */
export function byPrecision(routes: readonly Route[]): Route[] {
  const isTemplate = ({ path }: Route): number => Number(path.includes('{'));
  return [...routes].sort((a, b) => isTemplate(a) - isTemplate(b));
}

function checkUnique(routes: readonly Route[]): void {
  const names = routes.map((route) => `${route.method} ${route.path}`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`the route ${twice} is defined twice`);
}

/**
 * Builds the application.
 * @throws {Error} when two routes are the same
 */
export function createApp(deps: AppDeps): App {
  const { config, sites = [] } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('trust proxy', config.trustProxy ?? false);

  const trustsProxy = config.trustProxy !== undefined && config.trustProxy !== false;
  const routerDeps: RouterDeps = {
    ...deps,
    https: config.https === true,
    // `req.ip` walks X-Forwarded-For, which costs time, even when no proxy is trusted.
    addressOf: (req) => (trustsProxy ? req.ip : req.socket.remoteAddress) ?? '',
  };

  const routes: Route[] = [
    ...deps.routes,
    ...healthRoutes({
      readiness: deps.readiness,
      halted: deps.halted,
      isStopping: deps.isStopping,
      metrics: deps.metrics,
      access: config.metricsAccess ?? 'none',
      isOperator: operatorCheck(deps),
    }),
    ...referenceRoutes(),
    ...docsRoutes({ document: () => JSON.stringify(compact(document())), schemaDir: config.schemaDir }),
  ];
  checkUnique(routes);
  // Built at the first request for it, because a start must be fast.
  const document = (): OpenApiDocument => buildOpenApi(routes, { version: config.version });

  for (const route of byPrecision(routes))
    app[ANSWERED_METHODS[route.method]](expressPath(route.path), createHandler(routerDeps, route, compile));
  app.use(DOCS.path, createDocsHandler(routerDeps));
  for (const site of sites) app.use(site.path, site.create(routerDeps));
  const home = sites.find(({ path }) => path === HOME)?.path;
  const refuse = createRefusal(routerDeps, createMethodsOf(routes, [DOCS, ...sites]), home);
  app.use((req: Request, res: Response) => refuse(req, res));
  const mounted: RequestHandler = app;
  const handler: App['handler'] = (message, answer) => {
    // The server creates them with the prototypes of Express.
    const [req, res] = [message as Request, answer as Response];
    // As in a mounted application, the third argument gets errors, and requests whose URL cannot be parsed, which reach
    // no middleware. Without it Express would answer them with a page of its own, uncounted and without a log line.
    mounted(req, res, (error?: unknown) => refuse(req, res, error));
  };
  return { express: app, handler, routes, document };
}

/**
 * Answers what no route answered: OPTIONS, 405, 404, and errors of Express itself.
 * @param home the page to which a browser that asks for `/` is redirected
 */
function createRefusal(
  deps: RouterDeps,
  methodsOf: (path: string) => string[],
  home: string | undefined,
): (req: Request, res: Response, error?: unknown) => void {
  return (req, res, error) => {
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const x = new Exchange(deps, req, res, 'unmatched');
    x.run(async () => {
      assertSingleHeaders(req);
      if (error !== undefined && error !== null) throw expressError(error);
      await limitPublic(deps, x);
      // A program gets a 404 that names /openapi.json. Without `Vary` a cache would give it the redirection.
      if (x.path === '/' && home !== undefined && isPageRequest(req))
        return { status: 302, headers: { location: home, vary: 'Accept', 'cache-control': 'no-store' } };
      const methods = methodsOf(x.path);
      const headers = { allow: methods.join(', ') };
      // The handler of a page may not know a path below its own.
      if (methods.length === 0 || (methods.includes(req.method) && req.method !== 'OPTIONS')) throw noSuchEndpoint();
      if (req.method === 'OPTIONS') return { status: 204, headers };
      throw new ApiError('E4005', `The endpoint has no ${req.method}.`, { headers });
    });
  };
}

const noSuchEndpoint = (): ApiError =>
  new ApiError('E4004', 'There is no such endpoint; /openapi.json lists them all.');

/** Whether a browser loads a page: programs name no type, or JSON. */
function isPageRequest(req: Request): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && req.accepts(['json', 'html']) === 'html';
}

/** The error of a request that Express refused: a path that cannot be decoded carries status 400. */
function expressError(error: unknown): unknown {
  if (error instanceof URIError || (error as { status?: unknown } | null)?.status === 400) {
    return new ApiError('E2001', 'The path is not valid percent-encoded UTF-8.', {
      errors: [{ pointer: '', message: 'the path is not valid percent-encoded UTF-8' }],
      cause: error,
    });
  }
  return error;
}

/** The reference pages, with a request id, a line in the access log, and the limits of every public path. */
function createDocsHandler(deps: RouterDeps): RequestHandler {
  const pages = createDocsPages();
  return (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    const x = new Exchange(deps, req, res, DOCS.path);
    limitPublic(deps, x).then(
      () => {
        for (const [name, value] of Object.entries({ 'X-Request-Id': x.requestId, ...x.limitHeaders }))
          res.setHeader(name, value);
        let isHandedOn = false;
        res.once('finish', () => {
          if (!isHandedOn) x.record(res.statusCode);
        });
        pages(req, res, (error?: unknown) => {
          isHandedOn = true;
          if (error !== undefined && error !== null) next(error);
          // The application would count it a second time.
          else x.fail(noSuchEndpoint());
        });
      },
      (error: unknown) => x.fail(error),
    );
  };
}
