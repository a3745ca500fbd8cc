// The files of the dashboard: its scripts and styles, and the libraries they use, all from this installation.
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
  /** By path below the version, such as `client/main.js`. */
  get(name: string): Asset | undefined;
  /** Paths of the client's scripts. */
  readonly scripts: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The packages that the client imports by name, with the file that is sent to browsers. */
const VENDORED = {
  preact: { from: 'preact', file: undefined, name: 'preact.mjs' },
  'preact/hooks': { from: 'preact/hooks', file: undefined, name: 'preact-hooks.mjs' },
  htm: { from: 'htm', file: undefined, name: 'htm.mjs' },
  'htm/preact': { from: 'htm/preact', file: undefined, name: 'htm-preact.mjs' },
  uplot: { from: 'uplot', file: 'uPlot.esm.js', name: 'uplot.js' },
} as const;
const UPLOT_STYLES = { from: 'uplot', file: 'uPlot.min.css', name: 'uplot.css' } as const;

/** The import map: the addresses of the packages that the client imports by name. */
export function importMap(prefix: string): string {
  const imports = Object.entries(VENDORED).map(([specifier, { name }]) => [specifier, `${prefix}/vendor/${name}`]);
  return JSON.stringify({ imports: Object.fromEntries(imports) as Record<string, string> });
}

function asset(name: string, body: Buffer): Asset {
  let gzipped: Buffer | undefined;
  return {
    type: TYPES[path.extname(name)] ?? 'application/octet-stream',
    body,
    gzipped: () => (gzipped ??= gzipSync(body)),
  };
}

function vendorFile({ from, file }: { readonly from: string; readonly file: string | undefined }): Buffer {
  const entry = fileURLToPath(import.meta.resolve(from));
  return readFileSync(file === undefined ? entry : path.join(path.dirname(entry), file));
}

/** The paths of all files below a folder that end in one of these texts, relative to it. */
function filesBelow(folder: string, ...ends: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => ends.some((end) => name.endsWith(end)))
    .sort();
}

/**
 * Reads all files into memory (about half a megabyte).
 * @param root the installation's folder
 * @throws {ApiError} E6001 when the client is not built
 */
export function loadAssets(root: string): Assets {
  const client = fileURLToPath(new URL('client', import.meta.url));
  const own = path.join(root, 'ingress', 'dashboard', 'assets');
  const files = new Map<string, Asset>();
  const add = (name: string, body: Buffer): void => void files.set(name, asset(name, body));
  try {
    readFileSync(path.join(client, 'main.js'));
  } catch (error) {
    throw new ApiError('E6001', 'The dashboard is not built; "npm run build" does it.', { cause: error });
  }
  for (const name of filesBelow(client, '.js')) add(`client/${name}`, readFileSync(path.join(client, name)));
  for (const name of filesBelow(own, '.css', '.svg')) add(name, readFileSync(path.join(own, name)));
  for (const entry of [...Object.values(VENDORED), UPLOT_STYLES]) add(`vendor/${entry.name}`, vendorFile(entry));
  const digest = createHash('sha256');
  for (const [name, { body }] of files) digest.update(`${name}\n${body.length}\n`).update(body);
  return {
    version: digest.digest('hex').slice(0, 16),
    get: (name) => files.get(name),
    scripts: [...files.keys()].filter((name) => name.startsWith('client/')),
  };
}
