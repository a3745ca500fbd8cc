// Generates TypeScript types from an OpenAPI document with openapi-typescript, and type-checks programs that use them.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findRoot } from '../../shared/platform/config/root.ts';
import { temporaryFolder } from './folders.ts';

const MODULES = path.join(findRoot(), 'node_modules');
const run = promisify(execFile);

const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
/**
 * openapi-typescript needs the compiler's API of TypeScript 5, which TypeScript 7 does not have. `@ts-morph/common` contains
 * it, and a second package `typescript` would replace the command `tsc`.
 */
const HOOK = dataUrl(`export async function resolve(specifier, context, next) {
  if (specifier !== 'typescript') return next(specifier, context);
  const { url } = await next('@ts-morph/common', context);
  return { url: 'data:text/javascript,' + encodeURIComponent('import all from ' + JSON.stringify(url) + '; export default all.ts;'), shortCircuit: true };
}`);
const WITH_TYPESCRIPT_5 = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(HOOK)});`);

/** A folder with `types.d.ts`, the types of a document. */
export async function generateTypes(document: object): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = temporaryFolder('types');
  const [source, file] = [path.join(folder, 'openapi.json'), path.join(folder, 'types.d.ts')];
  writeFileSync(source, JSON.stringify(document));
  const cli = path.join(MODULES, 'openapi-typescript', 'bin', 'cli.js');
  await run(process.execPath, ['--import', WITH_TYPESCRIPT_5, cli, source, '--output', file]);
  return { folder, file };
}

/** The compiler's errors about a program beside the types, in strict mode; empty: there are none. */
export async function typeErrors(folder: string, program: string): Promise<string> {
  const file = path.join(folder, 'program.ts');
  writeFileSync(file, program);
  const tsc = path.join(MODULES, 'typescript', 'bin', 'tsc');
  const options = ['--noEmit', '--strict', '--types', '', '--target', 'es2022', '--module', 'nodenext'];
  return run(process.execPath, [tsc, '--ignoreConfig', ...options, file]).then(
    () => '',
    (error: Error & { readonly stdout?: string }) => error.stdout || error.message,
  );
}
