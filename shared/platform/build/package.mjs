// Builds what `npm pack` puts into the package: every file anew, and none that an earlier state of the sources has left. No file is missing
// meanwhile, because a service of this checkout may be running.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..', '..');
const target = path.join(root, 'dist');
/** What the bundlers write, who remove their own files of earlier builds. */
const BUNDLED = /^(?:\.|licences\.txt$|service\.cjs$|chunks\/|ingress\/dashboard\/bundle\/)/;
/** What the compiler makes of one source file. */
const COMPILED = /\.(?:js|d\.ts)(?:\.map)?$/;

function filesOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

function hasSource(file) {
  return existsSync(path.join(root, file)) || existsSync(path.join(root, file.replace(COMPILED, '.ts')));
}

for (const file of filesOf(target)) {
  // Otherwise the compiler does not write again what it believes to be there.
  if (file.endsWith('.tsbuildinfo')) rmSync(path.join(target, file));
  // Otherwise the bundler would keep those of earlier builds for an hour.
  if (file.startsWith('chunks/')) utimesSync(path.join(target, file), 0, 0);
}
const { status } = spawnSync('npm run build --silent', { cwd: root, shell: true, stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(1);
for (const file of filesOf(target)) if (!BUNDLED.test(file) && !hasSource(file)) rmSync(path.join(target, file));
