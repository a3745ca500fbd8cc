// `npm run check:drift`: checks that the generated files match the code. With --write it updates them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findRoot } from '../../shared/platform/config/root.ts';
import { GENERATED_FILES } from './generated.ts';

const write = process.argv.includes('--write');
const root = findRoot();
let drifted = 0;

for (const { file, content } of GENERATED_FILES) {
  const target = path.join(root, file);
  const wanted = await content();
  if (existsSync(target) && readFileSync(target, 'utf8') === wanted) continue;
  if (write) {
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, wanted);
    console.log(`written: ${file}`);
  } else {
    drifted += 1;
    console.error(`${file} is not what the code gives: run "npm run generate" and look at the difference.`);
  }
}
process.exitCode = drifted === 0 ? 0 : 1;
