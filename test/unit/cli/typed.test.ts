// The time since a command was typed, in processes with different parents.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { text } from 'node:stream/consumers';
import { describeUnless } from '../../support/skip.ts';

const TYPED = new URL('../../../cli/typed.js', import.meta.url).href;
/** A later start of the child, in milliseconds. */
const LATER_MS = 200;

/**
 * How much longer ago the command was typed than its process started, under a parent with this title: at most the first
 * number and at least the second, because the clock goes on while it is computed.
 */
async function beforeTheStartMs(title: string): Promise<readonly [atMost: number, atLeast: number]> {
  const child = `import(${JSON.stringify(TYPED)}).then(({ sinceTypedMs }) => {
    const from = performance.now();
    const since = sinceTypedMs();
    console.log(JSON.stringify([since - from, since - performance.now()]));
  })`;
  const parent = `process.title = ${JSON.stringify(title)};
    setTimeout(() => require('node:child_process').spawnSync('sh', ['-c', 'node -e "$CHILD"; true'], { stdio: 'inherit' }), ${LATER_MS});`;
  // The title may be as long as the arguments.
  const run = spawn(process.execPath, ['-e', parent], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CHILD: child },
  });
  // The child prints two numbers.
  return JSON.parse(await text(run.stdout)) as [number, number];
}

describeUnless(existsSync('/proc/self/stat') ? undefined : 'this system has no /proc', 'sinceTypedMs', () => {
  it('counts from the start of npm when npm runs the command, also in a shell', async () => {
    const [, atLeast] = await beforeTheStartMs('npm exec custos start');
    expect(atLeast).to.be.at.least(LATER_MS);
  });

  it('counts from the start of the process under any other parent', async () => {
    const [atMost, atLeast] = await beforeTheStartMs('my-supervisor');
    expect(atMost).to.be.at.least(0);
    expect(atLeast).to.be.at.most(0);
  });
});
