// The OpenAPI document, the JSON Schemas of policies, and the interactive reference pages.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import { Type } from 'typebox';
import { ApiError } from '../../shared/kernel/errors.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';
import { cacheable } from './caching.ts';

export interface DocsDeps {
  /** The OpenAPI document's text; read at the first request, because it describes these routes too. */
  readonly document: () => string;
  readonly schemaDir: string;
}

/** By the name in the address: the id of the operation, and what the schema describes. */
const SCHEMAS = {
  policy: ['getPolicySchema', 'policy files'],
  'policy-test': ['getPolicyTestSchema', 'policy test files'],
  lexicon: ['getLexiconSchema', 'the lexicon'],
  tools: ['getToolsSchema', 'tool catalogues'],
  resource: ['getResourceSchema', 'files of the folder resources'],
  attributes: ['getAttributesSchema', 'the attributes of agents and resources'],
  terms: ['getTermsSchema', 'named conditions and constants'],
  authzen: ['getAuthzenSchema', 'the action names of AuthZEN requests'],
} as const;
type SchemaName = keyof typeof SCHEMAS;
// Object.keys returns string[].
const SCHEMA_NAMES = Object.keys(SCHEMAS) as SchemaName[];

/** @throws {ApiError} E4001 when the installation lacks the file */
function schemaReply(file: string): Reply {
  try {
    const text = readFileSync(file, 'utf8');
    return cacheable({ status: 200, text, contentType: 'application/schema+json' }, 'public, max-age=300');
  } catch (error) {
    throw new ApiError('E4001', 'The installation lacks this schema.', { cause: error });
  }
}

/** A published JSON Schema; read at the first request, and again when that failed. */
function schemaRoute(name: SchemaName, schemaDir: string): Route {
  let reply: Reply | undefined;
  const [operationId, described] = SCHEMAS[name];
  return defineRoute({
    method: 'GET',
    path: `/schemas/${name}.json`,
    operationId,
    access: 'none',
    cached: true,
    tag: 'Service',
    summary: `The JSON Schema of ${described}`,
    description: 'For editors that check and complete files while they are written.',
    responses: {
      200: {
        description: 'A JSON Schema (2020-12)',
        schema: Type.Object({}, { additionalProperties: true }),
        contentType: 'application/schema+json',
      },
    },
    errors: ['E4001'],
    handler: () => (reply ??= schemaReply(path.join(schemaDir, `${name}.schema.json`))),
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
    ...SCHEMA_NAMES.map((name) => schemaRoute(name, deps.schemaDir)),
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
  const assets = path.dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
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
