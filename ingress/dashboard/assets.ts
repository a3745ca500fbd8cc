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

interface VendorFile {
  /** The name that the client imports. */
  readonly from: string;
  /** Beside the package's entry point; absent: the entry point. */
  readonly file?: string;
  readonly name: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The packages that the client imports by name, with the file that is sent to browsers. */
const VENDORED: readonly VendorFile[] = [
  { from: 'preact', name: 'preact.mjs' },
  { from: 'preact/hooks', name: 'preact-hooks.mjs' },
  { from: 'htm', name: 'htm.mjs' },
  { from: 'htm/preact', name: 'htm-preact.mjs' },
  { from: 'uplot', file: 'uPlot.esm.js', name: 'uplot.js' },
];
const UPLOT_STYLES: VendorFile = { from: 'uplot', file: 'uPlot.min.css', name: 'uplot.css' };

/** The import map: the addresses of the packages that the client imports by name. */
export function importMap(prefix: string): string {
  const imports = Object.fromEntries(VENDORED.map(({ from, name }) => [from, `${prefix}/vendor/${name}`]));
  return JSON.stringify({ imports });
}

function asset(name: string, body: Buffer): Asset {
  let gzipped: Buffer | undefined;
  return {
    type: TYPES[path.extname(name)] ?? 'application/octet-stream',
    body,
    gzipped: () => (gzipped ??= gzipSync(body)),
  };
}

function readVendorFile({ from, file }: VendorFile): Buffer {
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
  for (const entry of [...VENDORED, UPLOT_STYLES]) add(`vendor/${entry.name}`, readVendorFile(entry));
  const digest = createHash('sha256');
  for (const [name, { body }] of files) digest.update(`${name}\n${body.length}\n`).update(body);
  return {
    version: digest.digest('hex').slice(0, 16),
    get: (name) => files.get(name),
    scripts: [...files.keys()].filter((name) => name.startsWith('client/')),
  };
}
