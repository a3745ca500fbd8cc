#!/usr/bin/env node
// The command `custos`. The package contains the build. A checkout is built first when its sources are newer, for example after "npm ci".
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
// The examples use the TypeScript client, right after "npm ci && npm start".
const SOURCES = ['cli', 'clients/typescript/src', 'ingress', 'shared', 'workers'];
const BUILDS = ['dist/licences.txt', 'dist/ingress/dashboard/bundle/manifest.json', 'clients/typescript/dist/src/index.js'];

function changedMs(name) {
  return statSync(path.join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isOutdated() {
  const builtMs = Math.min(...BUILDS.map(changedMs));
  return SOURCES.some((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).some((name) => changedMs(path.join(folder, name)) > builtMs),
  );
}

if (existsSync(path.join(root, 'tsconfig.json')) && isOutdated()) {
  // Standard output is for the result of the command. A shell finds npm on every platform.
  const { status } = spawnSync('npm run bundle --silent && npm run build:client --silent', { cwd: root, shell: true, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
  // Bundler and compiler do not touch files whose content stays the same.
  for (const name of BUILDS) utimesSync(path.join(root, name), new Date(), new Date());
}
await import('../dist/cli/main.js');
