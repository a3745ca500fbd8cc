// The HTML document that all dashboard pages share, and how it and its files are sent.
import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../request/exchange.ts';
import type { Asset, Assets } from './assets.ts';

const BASE = '/dashboard/assets';

/** Of a file of the bundle. The version in it changes with any file, so browsers may cache it forever. */
export const assetAddress = ({ version }: Pick<Assets, 'version'>, name: string): string =>
  `${BASE}/${version}/${name}`;

export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** The Content-Security-Policy allows only files of this service. The document links to all files of the first load. */
export function buildPage(assets: Assets): Page {
  const at = (name: string): string => assetAddress(assets, name);
  const links = [
    ...assets.fonts.map((name) => `<link rel="preload" href="${at(name)}" as="font" type="font/woff2" crossorigin>`),
    `<link rel="stylesheet" href="${at('style.css')}">`,
    ...assets.scripts.map((name) => `<link rel="modulepreload" href="${at(name)}">`),
    `<script type="module" src="${at('main.js')}"></script>`,
  ].join('\n    ');
  return {
    html: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Custos</title>
    <link rel="icon" type="image/svg+xml" href="${at('icon.svg')}">
    ${links}
  </head>
  <body>
    <div id="app"></div>
    <noscript>These pages need JavaScript. Everything they show is also in the API: <a href="/docs">/docs</a>.</noscript>
  </body>
</html>
`,
    contentSecurityPolicy: [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ].join('; '),
  };
}

/** The headers of every answer with a page or a file. */
export function safetyHeaders(x: Exchange, https: boolean): Record<string, string> {
  return {
    'X-Request-Id': x.requestId,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    ...(https ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

function acceptsGzip(req: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(req.headers['accept-encoding'] ?? '');
}

export function sendPage(x: Exchange, https: boolean, page: Page): void {
  x.res.writeHead(200, {
    ...safetyHeaders(x, https),
    'Content-Security-Policy': page.contentSecurityPolicy,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page.html),
    // The document links to the files of one version, so browsers must revalidate it.
    'Cache-Control': 'no-cache',
  });
  x.res.end(page.html);
  x.record(200);
}

/** @param isCurrent whether the version in the address is that of the content, which may then be cached forever */
export function sendAsset(x: Exchange, https: boolean, asset: Asset, isCurrent: boolean): void {
  const gzip = acceptsGzip(x.req) && asset.type.startsWith('text/');
  const body = gzip ? asset.gzipped() : asset.body;
  x.res.writeHead(200, {
    ...safetyHeaders(x, https),
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Content-Type': asset.type,
    'Content-Length': body.length,
    'Cache-Control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
    Vary: 'Accept-Encoding',
    ...(gzip ? { 'Content-Encoding': 'gzip' } : {}),
  });
  x.res.end(body);
  x.record(200);
}
