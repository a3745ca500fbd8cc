// The OpenAPI document, the JSON Schemas of policies, and the interactive reference pages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import { Type } from 'typebox';
import { closed } from '../../shared/api/common.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';
import { cacheable } from './caching.ts';

const require = createRequire(import.meta.url);

export interface DocsDeps {
  /** The OpenAPI document's text; read at the first request, because it describes these routes too. */
  readonly document: () => string;
  readonly schemaDir: string;
}

/** The published schemas, by the name in the address. */
const SCHEMA_NAMES = [
  'policy',
  'policy-test',
  'lexicon',
  'tools',
  'resource',
  'attributes',
  'terms',
  'authzen',
] as const;

/** @throws {ApiError} E4001 when the installation lacks the file */
function schemaReply(file: string): Reply {
  try {
    const text = readFileSync(file, 'utf8');
    return cacheable({ status: 200, text, contentType: 'application/schema+json' }, 'public, max-age=300');
  } catch (error) {
    throw new ApiError('E4001', 'The installation lacks this schema.', { cause: error });
  }
}

/** The published JSON Schemas. Each is read at the first request for it, and again when that failed. */
function schemaRoute(schemaDir: string): Route {
  const replies = new Map<string, Reply>();
  const read = (file: string): Reply => {
    const name = SCHEMA_NAMES.find((one) => `${one}.json` === file);
    if (name === undefined)
      throw new ApiError('E4001', `The schemas are ${SCHEMA_NAMES.map((one) => `${one}.json`).join(', ')}.`);
    const reply = schemaReply(path.join(schemaDir, `${name}.schema.json`));
    replies.set(file, reply);
    return reply;
  };
  return defineRoute({
    method: 'GET',
    path: '/schemas/{file}',
    operationId: 'getSchema',
    access: 'none',
    cached: true,
    tag: 'Service',
    summary: 'The JSON Schema of a kind of file',
    description: 'For editors that check and complete files of a policy set while they are written.',
    request: {
      params: closed({
        file: Type.String({
          description: `${SCHEMA_NAMES.map((one) => `${one}.json`).join(', ')}.`,
          examples: ['policy.json'],
        }),
      }),
    },
    responses: {
      200: {
        description: 'A JSON Schema (2020-12)',
        schema: Type.Object({}, { additionalProperties: true }),
        contentType: 'application/schema+json',
      },
    },
    errors: ['E4001'],
    handler: ({ params }) => replies.get(params.file) ?? read(params.file),
  });
}

export function docsRoutes(deps: DocsDeps): Route[] {
  let reply: Reply | undefined;
  return [
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      access: 'none',
      cached: true,
      tag: 'Service',
      summary: 'This description (OpenAPI 3.1)',
      description: 'The same document as these reference pages show.',
      responses: {
        200: {
          description: 'The document',
          schema: Type.Object(
            { openapi: Type.String({ description: 'The version of OpenAPI.' }) },
            { additionalProperties: true },
          ),
        },
      },
      handler: () => (reply ??= cacheable({ status: 200, text: deps.document() }, 'public, max-age=60')),
    }),
    schemaRoute(deps.schemaDir),
  ];
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Custos reference</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" sizes="32x32">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The same description is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/initializer.js"></script>
  </body>
</html>
`;

/** validatorUrl null: the badge of swagger.io would reveal this host to another one. */
const INITIALIZER = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;

/** Helmet for the pages: only files of this host; no upgrade to https, which would break pages over plain http. */
function pageHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        // Swagger UI sets style attributes and a style element; scripts stay strict.
        'style-src': ["'self'", "'unsafe-inline'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
  });
}

/** The interactive reference below /docs; it loads nothing from other hosts. */
export function createDocsPages(): Router {
  const assets = path.dirname(require.resolve('swagger-ui-dist/package.json'));
  const pages = express.Router({ caseSensitive: true });
  pages.use(pageHeaders());
  pages.get('/', (_req, res) => void res.type('html').set('Cache-Control', 'no-cache').send(PAGE));
  pages.get('/initializer.js', (_req, res) => void res.type('js').set('Cache-Control', 'no-cache').send(INITIALIZER));
  for (const name of ASSETS) {
    // `send` refuses a folder whose name starts with a dot, and the installation may be below one.
    pages.get(`/${name}`, (_req, res, next) =>
      res.sendFile(name, { root: assets, dotfiles: 'allow', maxAge: '1h' }, (error) =>
        error ? next(error) : undefined,
      ),
    );
  }
  return pages;
}
