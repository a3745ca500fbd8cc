// Bundles the dashboard's client for browsers: scripts, styles and the font, below dist/ingress/dashboard/bundle.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { licencesOf } from '../../shared/platform/build/licences.mjs';

const here = import.meta.dirname;
const root = path.join(here, '..', '..');
const target = path.join(root, 'dist', 'ingress', 'dashboard', 'bundle');

/** The scripts that a browser loads with the entry point: it and what it imports statically, transitively. */
function firstScripts(outputs, name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const { path: imported, kind } of outputs[name].imports)
    if (kind === 'import-statement') firstScripts(outputs, imported, found);
  return found;
}

/** The shared modules are bundled from their sources, so the bundle does not depend on the compiler's output. */
const sharedSources = {
  name: 'shared-sources',
  setup({ onResolve }) {
    onResolve({ filter: /^#shared\// }, ({ path: name }) => ({
      path: path.join(root, name.replace(/^#/, '').replace(/\.js$/, '.ts')),
    }));
  },
};

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: path.join(here, 'client', 'main.ts'),
    style: path.join(here, 'assets', 'styles', 'all.css'),
    board: path.join(here, 'assets', 'styles', 'board.css'),
    icon: path.join(here, 'assets', 'icon.svg'),
  },
  tsconfig: path.join(here, 'client', 'tsconfig.json'),
  outdir: target,
  assetNames: '[name]',
  plugins: [sharedSources],
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  loader: { '.svg': 'copy', '.woff2': 'file' },
  metafile: true,
  write: false,
  logLevel: 'warning',
});
const relative = (name) => path.relative(target, path.resolve(root, name)).split(path.sep).join('/');
const main = Object.keys(metafile.outputs).find((name) => name.endsWith('/main.js'));
const manifest = { first: [...firstScripts(metafile.outputs, main)].map(relative) };
const licences = [
  ...licencesOf(root, Object.keys(metafile.inputs)),
  `lucide\n\n${readFileSync(path.join(here, 'assets', 'lucide.LICENSE'), 'utf8')}`,
];
const files = new Map([
  ...outputFiles.map(({ path: name, contents }) => [relative(name), Buffer.from(contents)]),
  ['licences.txt', Buffer.from(licences.join('\n\n----\n\n'))],
  ['manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
]);
mkdirSync(target, { recursive: true });
for (const [name, body] of files) {
  const file = path.join(target, name);
  // An unchanged file is not touched: a service of this checkout may be reading it.
  if (!existsSync(file) || !readFileSync(file).equals(body)) writeFileSync(file, body);
}
// Names of chunks contain a digest, so the chunks of the previous build remain otherwise.
for (const name of readdirSync(target)) if (!files.has(name)) rmSync(path.join(target, name));
