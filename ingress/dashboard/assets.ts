// The files of the dashboard for browsers: the bundle that the build writes (bundle.mjs).
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ApiError } from '../../shared/kernel/errors.ts';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** Compressed on first use. */
  gzipped(): Buffer;
}

export interface Assets {
  /** A digest of all files. It is part of their addresses, so that browsers may cache them forever. */
  readonly version: string;
  /** By file name, such as `main.js`. */
  get(name: string): Asset | undefined;
  /** The scripts of the first load: main.js and what it imports. */
  readonly scripts: readonly string[];
  readonly fonts: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const MANIFEST = 'manifest.json';

function asset(name: string, body: Buffer): Asset {
  let gzipped: Buffer | undefined;
  return {
    type: TYPES[path.extname(name)] ?? 'application/octet-stream',
    body,
    gzipped: () => (gzipped ??= gzipSync(body)),
  };
}

function readBundle(folder: string): ReadonlyMap<string, Buffer> {
  try {
    const names = readdirSync(folder).sort();
    return new Map(names.map((name) => [name, readFileSync(path.join(folder, name))]));
  } catch (error) {
    throw new ApiError('E6001', 'The dashboard is not built; "npm run build" does it.', { cause: error });
  }
}

/**
 * Reads all files into memory (about half a megabyte).
 * @throws {ApiError} E6001 when the client is not built
 */
export function loadAssets(): Assets {
  const bundle = readBundle(fileURLToPath(new URL('bundle', import.meta.url)));
  const digest = createHash('sha256');
  for (const [name, body] of bundle) digest.update(`${name}\n${body.length}\n`).update(body);
  const files = new Map(
    [...bundle].filter(([name]) => name !== MANIFEST).map(([name, body]) => [name, asset(name, body)]),
  );
  // Written by bundle.mjs.
  const { first } = JSON.parse(String(bundle.get(MANIFEST))) as { readonly first: readonly string[] };
  return {
    version: digest.digest('hex').slice(0, 16),
    get: (name) => files.get(name),
    scripts: first,
    fonts: [...files.keys()].filter((name) => name.endsWith('.woff2')),
  };
}
