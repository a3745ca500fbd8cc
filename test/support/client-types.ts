// Generates TypeScript types from an OpenAPI document, and type-checks programs that use them.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findRoot } from '../../shared/platform/config/root.ts';
import { writeTypes } from '../drift/openapi-types.ts';
import { temporaryFolder } from './folders.ts';

const run = promisify(execFile);

/** A folder with `types.d.ts`, the types of a document. */
export async function generateTypes(document: object): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = temporaryFolder('types');
  return { folder, file: await writeTypes(document, folder) };
}

/** The compiler's errors about a program beside the types, in strict mode; empty: there are none. */
export async function typeErrors(folder: string, program: string): Promise<string> {
  const file = path.join(folder, 'program.ts');
  writeFileSync(file, program);
  const tsc = path.join(findRoot(), 'node_modules', 'typescript', 'bin', 'tsc');
  const options = [
    '--noEmit',
    '--strict',
    '--types',
    '',
    '--target',
    'es2022',
    '--lib',
    'es2022',
    '--skipDefaultLibCheck',
    '--module',
    'nodenext',
  ];
  return run(process.execPath, [tsc, '--ignoreConfig', ...options, file]).then(
    () => '',
    (error: Error & { readonly stdout?: string }) => error.stdout || error.message,
  );
}
