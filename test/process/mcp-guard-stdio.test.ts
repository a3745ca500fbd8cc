// `custos mcp-guard` as a process over stdio: exit codes, faults of server and service, secrets, and the order of notices.
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { generateKey } from '../../shared/domain/keys/format.ts';
import { MAX_FRAME_BYTES } from '../../cli/mcp/frames.ts';
import { type FakeCustos, startFakeCustos } from '../support/fake-custos.ts';
import { temporaryFolder } from '../support/folders.ts';
import { runCommand } from '../support/command.ts';
import { type GuardProcess, startGuard } from '../support/mcp-guard.ts';
import { waitFor } from '../support/wait.ts';

const call = (id: number, args: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'do', arguments: args },
});

function sentenceOf(response: Record<string, unknown>): string {
  return String((response['result'] as { content: { text: string }[] }).content[0]?.text);
}

describe('custos mcp-guard over stdio', () => {
  let custos: FakeCustos;
  beforeEach(async () => {
    custos = await startFakeCustos();
  });
  afterEach(async () => custos.close().catch(() => undefined));

  const withGuard = async (
    work: (guard: GuardProcess) => Promise<void>,
    args: readonly string[] = [],
  ): Promise<void> => {
    const guard = startGuard(custos, args);
    try {
      await work(guard);
    } finally {
      guard.endDaemon();
      if (guard.child.exitCode === null) await guard.stop();
    }
  };

  it('ends on a signal, although the client does not read', () =>
    withGuard(async (guard) => {
      const { stdout } = guard.child;
      stdout?.pause();
      guard.send(call(1, { steps: 50_000, token: 't' }));
      await waitFor(() => stdout !== null && stdout.readableLength >= stdout.readableHighWaterMark, {
        what: 'an output that is full',
      });
      guard.child.kill('SIGTERM');
      await waitFor(() => guard.child.exitCode !== null, { what: 'the end of the guard' });
      expect(guard.child.exitCode).to.equal(143);
      stdout?.resume();
      await guard.ended;
    }));

  it('ends with the code of the server, although a process that the server has started keeps its output open', () =>
    withGuard(async (guard) => {
      guard.send(call(1, { daemon: true, exit: 7 }));
      await waitFor(() => guard.child.exitCode !== null, { what: 'the end of the guard' });
      expect(guard.child.exitCode).to.equal(7);
    }));

  it('ends when the client reads no more, although the server has more to write', () =>
    withGuard(async (guard) => {
      const { stdout } = guard.child;
      stdout?.pause();
      guard.send(call(1, { steps: 50_000, token: 't' }));
      await waitFor(() => stdout !== null && stdout.readableLength >= stdout.readableHighWaterMark, {
        what: 'an output that is full',
      });
      stdout?.destroy();
      await waitFor(() => guard.child.exitCode !== null, { what: 'the end of the guard' });
      expect(guard.child.exitCode).to.equal(0);
      expect(guard.stderr()).to.not.include('Warning');
    }));

  it('forwards permitted calls, refuses the others, reports with digests, and passes no secret to the server', () =>
    withGuard(async (guard) => {
      custos.answer = ({ tool }) => ({ verdict: tool.arguments['steps'] === undefined ? 'DENY' : 'ALLOW' });
      guard.send(call(1, { steps: 0, secret: 'hush' }));
      guard.send(call(2));
      guard.send({ jsonrpc: '2.0', id: 3, method: 'env' });
      expect(sentenceOf(await guard.response(1))).to.equal('done');
      expect(sentenceOf(await guard.response(2))).to.include('because of the test');
      const { env } = (await guard.response(3))['result'] as { env: string[] };
      expect(env.filter((name) => name.startsWith('CUSTOS'))).to.deep.equal([]);
      expect(guard.received().filter((line) => line.includes('tools/call'))).to.deep.equal([
        JSON.stringify(call(1, { steps: 0, secret: 'hush' })),
      ]);
      guard.child.stdin?.end();
      expect((await guard.ended).code).to.equal(0);
      expect(custos.proofs).to.have.length(1);
      expect(JSON.stringify(custos.proofs)).to.include('sha256:').and.not.include('hush');
      expect(custos.signals).to.deep.equal([]);
    }));

  it('forwards all notifications before the result, in order, and as they arrive', () =>
    withGuard(async (guard) => {
      const reads: string[] = [];
      guard.child.stdout?.on('data', (text: string) => reads.push(text));
      guard.send({
        ...call(1),
        params: { name: 'do', arguments: { steps: 4, token: 't' }, _meta: { progressToken: 't' } },
      });
      await guard.response(1);
      expect(guard.lines().map((line) => (line['params'] as { progress: number } | undefined)?.progress)).to.deep.equal(
        [1, 2, 3, 4, undefined],
      );
      const last = reads.findIndex((text) => text.includes('"progress":4'));
      expect(reads[last]).to.not.include('"result"');
    }));

  it('refuses every call while the service is down, and permits calls again afterwards', () =>
    withGuard(async (guard) => {
      guard.send(call(1));
      await guard.response(1);
      custos.answer = () => ({ cut: true });
      guard.send(call(2));
      expect(sentenceOf(await guard.response(2))).to.include('could not be reached');
      custos.answer = () => ({ status: 401, raw: '{"code":"E1002","detail":"The key has been revoked."}' });
      guard.send(call(3));
      expect(sentenceOf(await guard.response(3))).to.include('E1002, The key has been revoked.');
      await custos.close();
      guard.send(call(4));
      expect(sentenceOf(await guard.response(4))).to.include('could not be reached');
      expect(guard.received().filter((line) => line.includes('tools/call'))).to.have.length(1);
    }));

  it('refuses a call whose decision was lost because the service was killed, and reports nothing', () =>
    withGuard(async (guard) => {
      // The decision is recorded, but its answer is lost.
      custos.answer = () => ({ cut: true });
      guard.send(call(1));
      expect(sentenceOf(await guard.response(1))).to.include('nothing runs without a decision');
      expect([guard.received().some((line) => line.includes('tools/call')), custos.proofs]).to.deep.equal([false, []]);
    }));

  it('returns the result when the service is killed before the report, and logs what was not delivered', () =>
    withGuard(async (guard) => {
      custos.other = () => ({ cut: true });
      guard.send(call(1));
      expect(sentenceOf(await guard.response(1))).to.equal('done');
      guard.child.stdin?.end();
      expect((await guard.ended).code).to.equal(0);
      expect(guard.stderr()).to.include('1 reports of tool calls could not be delivered');
    }));

  it('waits for an approval, with progress notifications, and continues once it is given', () =>
    withGuard(async (guard) => {
      custos.answer = ({ approval_id: approval }) => ({ verdict: approval === undefined ? 'ESCALATE' : 'ALLOW' });
      guard.send({ ...call(1), params: { name: 'do', _meta: { progressToken: 7 } } });
      const [notice] = await waitFor(() => guard.lines().length > 0 && guard.lines());
      custos.approvals.set(/apr_\w+/.exec(JSON.stringify(notice))?.[0] ?? '', 'approved');
      expect(sentenceOf(await guard.response(1))).to.equal('done');
    }));

  it('stops waiting as soon as the call is cancelled', () =>
    withGuard(async (guard) => {
      custos.answer = () => ({ verdict: 'ESCALATE' });
      guard.send({ ...call(1), params: { name: 'do', _meta: { progressToken: 7 } } });
      await waitFor(() => guard.lines().length > 0);
      guard.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
      custos.answer = () => ({ verdict: 'ALLOW' });
      guard.send(call(2));
      await guard.response(2);
      expect(guard.lines().some(({ id }) => id === 1)).to.equal(false);
      expect(guard.received().filter((line) => line.includes('tools/call'))).to.have.length(1);
    }));

  for (const [what, args, code] of [
    ['ends', { exit: 7 }, 7],
    ['is killed', { signal: true }, 137],
  ] as const)
    it(`ends with ${code} when the server ${what} during a call, and reports the call as unanswered`, () =>
      withGuard(async (guard) => {
        guard.send(call(1, args));
        expect((await guard.ended).code).to.equal(code);
        expect(custos.proofs.map(({ payload }) => (payload as { outcome: string }).outcome)).to.deep.equal([
          'unanswered',
        ]);
      }));

  for (const [what, frame] of [
    ['garbage', 'hello'],
    ['an ambiguous message', '{"method":"ping","method":"tools/call","id":1}'],
    ['a frame of 16 MB and one byte', `"${'x'.repeat(MAX_FRAME_BYTES)}`],
  ] as const)
    it(`ends the session with 1 after ${what} from the client, which gets an error`, () =>
      withGuard(async (guard) => {
        guard.send(frame);
        expect((await guard.ended).code).to.equal(1);
        expect(guard.lines().map(({ error }) => (error as { code: number }).code)).to.deep.equal([-32_700]);
        expect(guard.stderr()).to.include('because of the client');
        expect(guard.received()).to.deep.equal([]);
      }));

  it('ends the session with 1 after garbage from the server', () =>
    withGuard(async (guard) => {
      guard.send(call(1, { garbage: true }));
      expect((await guard.ended).code).to.equal(1);
      expect(guard.stderr()).to.include('because of the server');
    }));

  it('accepts a frame of 16 MB', () =>
    withGuard(async (guard) => {
      const head = '{"jsonrpc":"2.0","method":"x","params":"';
      guard.send(`${head}${'x'.repeat(MAX_FRAME_BYTES - head.length - 3)}"}`);
      guard.send(call(1));
      await guard.response(1);
      expect(guard.received()[0]).to.have.length(MAX_FRAME_BYTES - 1);
    }));

  it('reads the key from a file, too', async () => {
    const file = path.join(temporaryFolder(), 'key');
    writeFileSync(file, `${custos.key}\n`);
    const guard = startGuard(custos, ['--key-file', file, '--url', custos.url], {
      CUSTOS_KEY: undefined,
      CUSTOS_URL: undefined,
    });
    guard.send(call(1));
    expect(sentenceOf(await guard.response(1))).to.equal('done');
    await guard.stop();
  });
});

describe('the command line of custos mcp-guard', () => {
  const base = ['mcp-guard', '--agent', 'a', '--server', 's'];
  const env = { CUSTOS_URL: 'http://127.0.0.1:9', CUSTOS_KEY: 'x' };
  const KEYED = { ...env, CUSTOS_KEY: generateKey('test').key };
  for (const [what, args, given, words] of [
    ['no server', base, env, 'Name either a command'],
    ['two servers', [...base, '--listen', '0', '--upstream', 'http://x', '--', 'true'], env, 'Name either a command'],
    ['half of an HTTP server', [...base, '--listen', '0'], env, 'Name either a command'],
    ['no port', [...base, '--listen', 'x', '--upstream', 'http://x'], env, 'a host and a port'],
    ['a public port and no token', [...base, '--listen', '0.0.0.0:0', '--upstream', 'http://x'], KEYED, 'need a token'],
    [
      'a short token',
      [...base, '--listen', '0', '--upstream', 'http://x'],
      { ...KEYED, CUSTOS_LISTEN_TOKEN: 'short' },
      'at least 32',
    ],
    ['no address', [...base, '--', 'true'], {}, 'Where does Custos run?'],
    ['an invalid address', [...base, '--url', 'x', '--', 'true'], env, '--url must be an address'],
    ['no key', [...base, '--', 'true'], { CUSTOS_URL: env.CUSTOS_URL }, 'An API key is needed'],
    ['an invalid key', [...base, '--', 'true'], env, 'CUSTOS_KEY holds no API key'],
    ['a missing key file', [...base, '--key-file', '/nowhere', '--', 'true'], env, "can't be read"],
    ['a wait that is not a number', [...base, '--wait', '5m', '--', 'true'], env, 'whole number from 0'],
    [
      'an agent with a control character',
      ['mcp-guard', '--agent', 'a\n', '--server', 's', '--', 'true'],
      env,
      '--agent has 1 to 256',
    ],
    [
      'a server with the prefix of the service itself',
      ['mcp-guard', '--agent', 'a', '--server', 'custos:x', '--', 'true'],
      env,
      'does not begin with "custos:"',
    ],
  ] as const)
    it(`is refused with 2 when it has ${what}`, async () => {
      const { code, stderr, stdout } = await runCommand(args, given);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.include(words);
    });

  it('never accepts a key as an argument', async () => {
    const { stdout } = await runCommand(['mcp-guard', '--help']);
    expect(stdout).to.not.match(/--key[ =]</);
  });

  for (const [what, host, error] of [
    ['is taken', '127.0.0.1', 'EADDRINUSE'],
    ['is of another machine', '192.0.2.1', 'EADDRNOTAVAIL'],
    ['has an unknown name', 'unknown.invalid', /ENOTFOUND|EAI_AGAIN/],
  ] as const)
    it(`ends with one sentence when the address to listen on ${what}`, async () => {
      const taken = net.createServer();
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const { port } = taken.address() as net.AddressInfo;
      const args = [...base, '--listen', `${host}:${port}`, '--upstream', 'http://127.0.0.1:9/mcp'];
      const { code, stderr } = await runCommand(args, { ...KEYED, CUSTOS_LISTEN_TOKEN: 'x'.repeat(32) });
      await new Promise((resolve) => taken.close(resolve));
      expect([code, stderr.split('\n').length]).to.deep.equal([1, 2]);
      expect(stderr).to.match(new RegExp(`Cannot listen on ${host} port ${port} \\((${new RegExp(error).source})\\)`));
    });

  it('ends with a message when the server can not be started', async () => {
    const custos = await startFakeCustos();
    const env = { CUSTOS_URL: custos.url, CUSTOS_KEY: custos.key };
    const { code, stderr } = await runCommand([...base, '--', '/nowhere/server'], env);
    expect([code, stderr]).to.deep.equal([1, "custos: The MCP server /nowhere/server can't be started (ENOENT).\n"]);
    await custos.close();
  });
});
