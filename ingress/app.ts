// The Express application: every route of the list, the pages, and what is said to requests that fit none of them.
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { ApiError } from '../shared/kernel/errors.ts';
import { checkRequest, countPublic, operatorCheck } from './request/authenticate.ts';
import { Exchange } from './request/exchange.ts';
import { createCompiler } from './request/schema.ts';
import { buildOpenApi, type OpenApiDocument } from './openapi/document.ts';
import type { ReadinessCheck } from './ports.ts';
import type { Access, Route } from './route.ts';
import { createHandler, type RouterDeps } from './router.ts';
import { createDocsPages, docsRoutes } from './routes/docs.ts';
import { healthRoutes } from './routes/health.ts';
import { referenceRoutes } from './routes/reference.ts';

/** What an Express application is called with; its types leave `handle` out. */
type RequestListener = (req: Request, res: Response, next?: (error?: unknown) => void) => void;

/** Pages that are not JSON: an Express handler below a path (`/docs`), read with GET and HEAD unless said. */
export interface Mount {
  readonly path: string;
  readonly methods?: readonly string[];
  readonly handler: RequestHandler;
}

/**
 * A part of the address space that knows who asks in its own way (a session instead of a key) and counts and limits its
 * requests itself. What it does not answer gets the application's own 404 or 405.
 */
export interface Site {
  readonly path: string;
  readonly methods: readonly string[];
  /** @param edge what the routes of the application itself are served with */
  create(edge: RouterDeps): RequestHandler;
}

export interface AppConfig {
  readonly version: string;
  /** Express's `trust proxy`: whose X-Forwarded-For is believed. Absent or false: nobody's. */
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
  readonly mounts?: readonly Mount[];
  readonly sites?: readonly Site[];
  readonly readiness: readonly ReadinessCheck[];
  readonly config: AppConfig;
}

export interface App {
  /** For createExpressServer (ingress/server.ts), or any node:http server. */
  readonly express: Express;
  /** All routes that are served, those added here included. */
  readonly routes: readonly Route[];
  readonly document: OpenApiDocument;
}

export const ANSWERED_METHODS = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

/** `/v1/agents/{agentId}` as Express writes it: `/v1/agents/:agentId`. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The paths of the list, each with its methods, for 405 and OPTIONS. */
function methodsByPath(
  routes: readonly Route[],
  mounts: readonly Pick<Mount, 'path' | 'methods'>[],
): (path: string) => string[] {
  const table = [
    ...routes.map((route) => ({ pattern: pathPattern(route.path, ''), methods: [route.method as string] })),
    ...mounts.map((mount) => ({
      pattern: pathPattern(mount.path, '(?:/.*)?'),
      methods: [...(mount.methods ?? ['GET'])],
    })),
  ];
  return (path) => {
    const methods = new Set(table.filter(({ pattern }) => pattern.test(path)).flatMap((entry) => entry.methods));
    if (methods.size === 0) return [];
    if (methods.has('GET')) methods.add('HEAD');
    methods.add('OPTIONS');
    return [...methods].sort();
  };
}

function pathPattern(template: string, rest: string): RegExp {
  const source = template
    .split(/\{\w+\}/)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]+');
  return new RegExp(`^${source}${rest}$`);
}

/** Literal paths before templates: `/v1/proofs/batch` is not the proof named batch. */
export function byPrecision(routes: readonly Route[]): Route[] {
  const literal = routes.filter((route) => !route.path.includes('{'));
  return [...literal, ...routes.filter((route) => route.path.includes('{'))];
}

function checkUnique(routes: readonly Route[]): void {
  const names = routes.map((route) => `${route.method} ${route.path}`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`the route ${twice} is defined twice`);
}

/**
 * Builds the application.
 * @throws {Error} when two routes are the same or a schema is not valid.
 */
export function createApp(deps: AppDeps): App {
  const { config } = deps;
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
    addressOf: (req) => (trustsProxy ? req.ip : req.socket.remoteAddress) ?? '',
  };

  const routes: Route[] = [
    ...deps.routes,
    ...healthRoutes({
      readiness: deps.readiness,
      isStopping: deps.isStopping,
      metrics: deps.metrics,
      access: config.metricsAccess ?? 'none',
      isOperator: operatorCheck(deps),
    }),
    ...referenceRoutes(),
    ...docsRoutes({ document: () => documentText, schemaDir: config.schemaDir }),
  ];
  checkUnique(routes);
  const document = buildOpenApi(routes, { version: config.version });
  const documentText = JSON.stringify(document);
  const mounts: Mount[] = [{ path: '/docs', handler: createDocsPages() }, ...(deps.mounts ?? [])];

  const compile = createCompiler();
  for (const route of byPrecision(routes))
    app[ANSWERED_METHODS[route.method]](expressPath(route.path), createHandler(routerDeps, route, compile));
  for (const mount of mounts) app.use(mount.path, createMountHandler(routerDeps, mount));
  const sites = deps.sites ?? [];
  for (const site of sites) app.use(site.path, site.create(routerDeps));

  const allowed = methodsByPath(routes, [...mounts, ...sites]);
  /** The end of the line: OPTIONS, 405, 404, and errors of Express itself. */
  const last = (req: Request, res: Response, error: unknown): void => {
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const x = new Exchange(routerDeps, req, res, 'unmatched');
    try {
      checkRequest(x);
      if (error !== undefined && error !== null) throw expressError(error);
      countPublic(routerDeps, x, () => {
        const methods = allowed(x.path);
        // A page's handler may know nothing of a path below its own.
        if (methods.length === 0 || (methods.includes(req.method) && req.method !== 'OPTIONS'))
          x.fail(new ApiError('E4004', 'There is no such endpoint; /openapi.json lists them all.'));
        else if (req.method === 'OPTIONS') x.answer({ status: 204, headers: { allow: methods.join(', ') } });
        else
          x.fail(
            new ApiError('E4005', `The endpoint has no ${req.method}.`, { headers: { allow: methods.join(', ') } }),
          );
      });
    } catch (problem) {
      x.fail(problem);
    }
  };
  app.use((req: Request, res: Response) => last(req, res, undefined));
  // Express ends a request that nothing answered, and one with an error, with a page of its own; ours is a problem document.
  const bare = app as Express & { handle: RequestListener };
  const handle = bare.handle.bind(app);
  bare.handle = (req, res, next) => handle(req, res, next ?? ((error) => last(req, res, error)));
  return { express: app, routes, document };
}

/** What Express and its parts refuse: a path that cannot be decoded carries status 400. */
function expressError(error: unknown): unknown {
  if (error instanceof URIError || (error as { status?: unknown }).status === 400) {
    return new ApiError('E2001', 'The path is not valid percent-encoded UTF-8.', {
      errors: [{ pointer: '', message: 'the path is not valid percent-encoded UTF-8' }],
      cause: error,
    });
  }
  return error;
}

/** A page's handler with what every answer carries: a request id, and the limit for clients without a key. */
function createMountHandler(deps: RouterDeps, mount: Mount): RequestHandler {
  const methods = new Set([...(mount.methods ?? ['GET']), 'HEAD']);
  return (req, res, next) => {
    if (!methods.has(req.method)) return next();
    const x = new Exchange(deps, req, res, mount.path);
    countPublic(deps, x, () => {
      res.setHeader('X-Request-Id', x.requestId);
      let handedOn = false;
      res.once('finish', () => {
        if (!handedOn) x.record(res.statusCode);
      });
      mount.handler(req, res, (error?: unknown) => {
        handedOn = true;
        next(error);
      });
    });
  };
}
