// The Python client: its own tests, for what the conformance cases do not hold.
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { cleanEnv } from '../../support/process.ts';
import { describeUnless } from '../../support/skip.ts';

const PACKAGE = path.join(findRoot(), 'clients', 'python');

/** In CI, a missing Python makes the tests fail instead. */
const isAbsent = spawnSync('python3', ['--version']).error !== undefined && process.env['CI'] === undefined;

describeUnless(isAbsent ? 'python3 is not installed (apt-get install python3)' : undefined, 'the Python client', () => {
  it('passes its own tests', async () => {
    const args = ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'];
    const env = cleanEnv({ PYTHONDONTWRITEBYTECODE: '1' });
    try {
      await promisify(execFile)('python3', args, { cwd: PACKAGE, env, timeout: 110_000 });
    } catch (error) {
      throw new Error((error as { stderr?: string }).stderr ?? 'no output', { cause: error });
    }
  }).timeout(120_000);
});
