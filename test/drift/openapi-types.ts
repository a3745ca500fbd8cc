// TypeScript types of an OpenAPI document, by openapi-typescript.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findRoot } from '../../shared/platform/config/root.ts';

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

/** Writes the types of a document to `types.d.ts` in the folder. @returns its path */
export async function writeTypes(document: object, folder: string): Promise<string> {
  const [source, file] = [path.join(folder, 'openapi.json'), path.join(folder, 'types.d.ts')];
  writeFileSync(source, JSON.stringify(document));
  const cli = path.join(findRoot(), 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
  await run(process.execPath, ['--import', WITH_TYPESCRIPT_5, cli, source, '--output', file]);
  return file;
}
