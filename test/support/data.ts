// Test data beside the tests, read from the sources because the build does not copy it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findRoot } from '../../shared/platform/config/root.ts';

/** @param file a JSON file below `test/` */
export function dataOf<T>(file: string): T {
  // The shape is defined by the test; a wrong one fails the test.
  return JSON.parse(readFileSync(path.join(findRoot(), 'test', file), 'utf8')) as T;
}
