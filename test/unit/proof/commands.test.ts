// `custos verify`, `custos merkle` and `custos canonicalize` as processes: output, messages and exit codes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { MERKLE_FUNCTIONS } from '../../../cli/merkle.ts';
import { UsageError } from '../../../cli/exit.ts';
import { FAILURES } from '../../../shared/core/proof/failures.ts';
import { publishKey } from '../../../shared/core/proof/keys.ts';
import { createPromiseSigner } from '../../../shared/core/proof/promise.ts';
import { recordDigestOf } from '../../../shared/core/proof/record-read.ts';
import { writeTlogProof } from '../../../shared/core/proof/tlog-proof.ts';
import { writeLogLine } from '../../../shared/core/proof/log-file.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { runCommand } from '../../support/command.ts';
import { V8_OPTIONS, watch } from '../../support/process.ts';
import { describeUnless } from '../../support/skip.ts';
import { LOG_KEY, ORIGIN, PROMISE_KEY, PROMISE_VKEY, sampleLog, TIME_MS, VKEY } from './sample-log.ts';

const MAIN = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'cli', 'main.js');

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Commands that have read standard input in a process of their own. */
const readAlone = new Set<string>();

/** Without settings of the service, because these commands need none. Only the first runs of a command have processes of their own. */
async function custos(args: readonly string[], input?: string | Buffer): Promise<Ended> {
  const [name = ''] = args;
  if (input !== undefined && !readAlone.has(name)) {
    readAlone.add(name);
    return custosAlone(args, input);
  }
  const { code, stdout, stderr } = await runCommand(args, {}, input);
  return { code, out: stdout, err: stderr };
}

/** In a process of its own. */
function custosAlone(args: readonly string[], input: string | Buffer): Ended {
  const ended = spawnSync(process.execPath, [...V8_OPTIONS, MAIN, ...args], {
    input,
    env: { PATH: process.env.PATH },
    timeout: 20_000,
  });
  return { code: ended.status, out: ended.stdout.toString(), err: ended.stderr.toString() };
}

describe('custos verify', () => {
  const folder = temporaryFolder('verify');
  const file = (name: string, content: string | object | Buffer): string => {
    const at = path.join(folder, name);
    const isText = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(at, isText ? content : JSON.stringify(content));
    return at;
  };
  const log = sampleLog(8);
  const receipt = log.receipt(4);
  const keys = file('keys.json', [
    publishKey(LOG_KEY, { origin: ORIGIN, use: 'log' }),
    publishKey(PROMISE_KEY, { origin: ORIGIN, use: 'promise' }),
  ]);

  it('prints what a valid receipt proves, and exits with 0', async () => {
    const { code, out } = await custos(['verify', file('receipt.json', receipt), '--vkey', VKEY]);
    expect(code).to.equal(0);
    expect(out).to.match(
      /^VALID: the proof "p-4" \("deploy" of "agent-1", .*\) is at index 4 of the log "custos.local\/acme\/live"/,
    );
    const text = file('receipt.tlog-proof', writeTlogProof(receipt));
    expect((await custos(['verify', text, '--vkey', PROMISE_VKEY, '--vkey', VKEY])).code).to.equal(0);
    const json = await custos(['verify', '-', '--keys', keys, '--json'], JSON.stringify(receipt));
    expect(JSON.parse(json.out)).to.deep.include({ valid: true, isFromTheStart: false });
  });

  it('reports each failure with its own message and exit code', async () => {
    const altered = Buffer.from(Buffer.from(receipt.record, 'base64').toString().replace('deploy', 'Deploy')).toString(
      'base64',
    );
    const cases = {
      MALFORMED: { ...receipt, more: 1 },
      CHECKPOINT_SIGNATURE: { ...receipt, checkpoint: receipt.checkpoint.replace('\n8\n', '\n9\n') },
      WRONG_INDEX: { ...receipt, index: 5 },
      WRONG_SIZE: { ...receipt, checkpoint: log.checkpoint(3) },
      WRONG_PATH: { ...receipt, path: receipt.path.toReversed() },
      RECORD_ALTERED: { ...receipt, record: altered },
      WRONG_PROOF_ID: { ...receipt, proofId: 'p-5' },
    } as const;
    for (const [failure, content] of Object.entries(cases) as [keyof typeof cases, object][]) {
      const { code, out } = await custos(['verify', file(`${failure}.json`, content), '--vkey', VKEY]);
      expect(code, failure).to.equal(FAILURES[failure].exitCode);
      expect(out).to.match(new RegExp(`^NOT VALID \\(${failure}\\): .*\\.\\n$`));
    }
    const json = await custos(['verify', '-', '--vkey', VKEY, '--json'], JSON.stringify(cases.WRONG_INDEX));
    expect(JSON.parse(json.out)).to.deep.include({ valid: false, failure: 'WRONG_INDEX', exitCode: json.code });
    expect((await custos(['verify', file('receipt.json', receipt), '--vkey', PROMISE_VKEY])).code).to.equal(
      FAILURES.KEY_NOT_OF_LOG.exitCode,
    );
    expect((await custos(['verify', '-', '--vkey', VKEY], Buffer.from([0xff]))).code).to.equal(
      FAILURES.MALFORMED.exitCode,
    );
  });

  it('checks the links of a chain', async () => {
    const [a, b, c] = [1, 4, 7].map((index) => file(`chain-${index}.json`, log.receipt(index)));
    expect((await custos(['verify', a ?? '', '--keys', keys, '--chain', c ?? '', b ?? ''])).out).to.match(
      /one unbroken chain, from its first record on\.\n$/,
    );
    expect((await custos(['verify', a ?? '', '--keys', keys, '--chain', c ?? ''])).code).to.equal(
      FAILURES.CHAIN_BROKEN.exitCode,
    );
  });

  it('shows whether a promise was kept in an exported log', async () => {
    const lines = [
      writeLogLine({ kind: 'header', header: { format: 'custos-log/1', origin: ORIGIN, keys: [] } }),
      ...log.records.map(({ bytes }, index) => writeLogLine({ kind: 'leaf', index, record: bytes })),
      writeLogLine({ kind: 'checkpoint', checkpoint: log.checkpoint(8, TIME_MS + 10_000) }),
    ];
    const exported = file('log.jsonl', lines.join(''));
    const signer = createPromiseSigner({ key: PROMISE_KEY, maxMergeDelaySeconds: 1 });
    const recordDigest = recordDigestOf(log.records[2]?.bytes ?? Buffer.alloc(0)) ?? '';
    const kept = signer.promise({ log: ORIGIN, proofId: 'p-2', recordDigest, issuedAtMs: TIME_MS });
    const broken = signer.promise({ log: ORIGIN, proofId: 'p-99', recordDigest: 'ab'.repeat(32), issuedAtMs: TIME_MS });
    const answer = file('kept.json', { proofId: 'p-2', status: 'pending', promise: kept });
    expect((await custos(['verify', answer, '--keys', keys])).code).to.equal(0);
    expect((await custos(['verify', answer, '--keys', keys, '--log', exported])).out).to.match(
      /^VALID: the promise was kept.* index 2 /,
    );
    const omitted = await custos(['verify', file('broken.json', broken), '--keys', keys, '--log', exported]);
    expect(omitted.code).to.equal(FAILURES.PROMISE_BROKEN.exitCode);
    expect((await custos(['verify', file('b.json', { ...broken, proofId: 'p' }), '--keys', keys])).code).to.equal(
      FAILURES.PROMISE_SIGNATURE.exitCode,
    );
  });

  it('exits with 2 and a message for invalid arguments and files', async () => {
    const good = file('receipt.json', receipt);
    for (const args of [
      [good],
      [path.join(folder, 'absent.json'), '--vkey', VKEY],
      [folder, '--vkey', VKEY],
      [good, '--vkey', `${VKEY}x`],
      [good, '--keys', good],
      [good, '--keys', path.join(folder, 'absent.json')],
      [good, '--vkey', VKEY, '--log', good],
      [good, '--vkey', VKEY, '--bogus'],
      [],
    ]) {
      const { code, out, err } = await custos(['verify', ...args]);
      expect(code, args.join(' ')).to.equal(2);
      expect(out).to.equal('');
      expect(err).to.match(/^custos: .*\n("custos verify --help" shows its usage.\n)?$/);
    }
  });

  it('lists every exit code in its help', async () => {
    const { out } = await custos(['verify', '--help']);
    for (const [failure, { exitCode, meaning }] of Object.entries(FAILURES))
      expect(out).to.match(new RegExp(`^  ${exitCode}  ${failure} +${meaning.replaceAll('.', '\\.')}$`, 'm'));
  });

  it('prints no terminal control characters', async () => {
    const { out } = await custos(
      ['verify', '-', '--vkey', VKEY],
      JSON.stringify({ ...receipt, proofId: 'a\u009b31m\u202e' }),
    );
    expect(out).to.match(/WRONG_PROOF_ID/);
    expect(out).not.to.match(/[\u0080-\u009f\u202e]/);
  });
});

describe('custos merkle', () => {
  const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
  const run = (name: string, input: unknown) => custos(['merkle', name], JSON.stringify(input));

  it('gives the reference root of Certificate Transparency', async () => {
    const { code, out } = await run('root', { leaves });
    expect(code).to.equal(0);
    expect(JSON.parse(out)).to.deep.equal({
      size: 8,
      root: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    });
    expect(JSON.parse((await run('root', { leafHashes: [] })).out).root).to.equal(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  it('builds proofs that it verifies, and exits with 1 for invalid ones', async () => {
    const inclusion = JSON.parse((await run('inclusion', { leaves, index: 5, size: 7 })).out) as { index: number };
    expect(inclusion).to.include({ index: 5, size: 7 });
    expect(await run('verify-inclusion', inclusion)).to.deep.equal({ code: 0, out: '{"valid":true}\n', err: '' });
    expect(await run('verify-inclusion', { ...inclusion, index: 4 })).to.deep.equal({
      code: 1,
      out: '{"valid":false}\n',
      err: '',
    });
    const consistency = JSON.parse((await run('consistency', { leaves, from: 3, to: 7 })).out) as { from: number };
    expect(consistency).to.include({ from: 3, to: 7 });
    expect((await run('verify-consistency', consistency)).code).to.equal(0);
    expect((await run('verify-consistency', { ...consistency, from: 2 })).code).to.equal(1);
  });

  it('refuses invalid input', () => {
    for (const [name, input] of [
      ['root', {}],
      ['root', { leaves, leafHashes: [] }],
      ['root', { leaves: ['A0'] }],
      ['root', { leaves: ['0'] }],
      ['root', { leafHashes: ['00'] }],
      ['root', { leaves, more: 1 }],
      ['inclusion', { leaves, index: 8 }],
      ['inclusion', { leaves: [], index: 0 }],
      ['consistency', { leaves, from: 5, to: 4 }],
      ['verify-inclusion', { index: 0, size: 1, leafHash: '', path: [] }],
      ['verify-inclusion', { index: '0', size: 1, leafHash: '', path: [], root: '' }],
    ] as const)
      expect(() => MERKLE_FUNCTIONS[name](input), JSON.stringify(input)).to.throw(UsageError, /^[A-Z"].*\.$/);
  });

  it('exits with 2 and a message for invalid input', async () => {
    for (const [name, input] of [
      ['root', []],
      ['verify-inclusion', { index: '0', size: 1, leafHash: '', path: [], root: '' }],
      ['verify-consistency', { from: 0, to: 2 ** 60, fromRoot: '', toRoot: '', path: [] }],
    ] as const) {
      const { code, out, err } = await run(name, input);
      expect({ code, out }, JSON.stringify(input)).to.deep.equal({ code: 2, out: '' });
      expect(err).to.match(/^custos: .*\.\n$/);
    }
  });
});

describe('custos canonicalize', () => {
  it('writes the canonical bytes and nothing else', async () => {
    expect(
      await custos(['canonicalize'], '{ "b": [1E30, 4.50, 2e-3], "a": "\\u20ac\\/", "\u00f6": null }'),
    ).to.deep.equal({
      code: 0,
      out: '{"a":"€/","b":[1e+30,4.5,0.002],"ö":null}',
      err: '',
    });
  });

  it('exits with 2 for input that is not strict JSON', async () => {
    for (const input of ['{"a":1,"a":2}', '\ufeff1', Buffer.from([0x22, 0xff, 0x22])]) {
      const { code, out, err } = await custos(['canonicalize'], input);
      expect({ code, out }, String(input)).to.deep.equal({ code: 2, out: '' });
      expect(err).to.match(/^custos: .*\.\n$/);
    }
  });

  it('exits silently and not with 0 when its output pipe is closed', async () => {
    const child = spawn(process.execPath, [MAIN, 'canonicalize'], { env: { PATH: process.env.PATH } });
    const ended = watch(child, 'custos canonicalize');
    child.stdout.destroy();
    await once(child.stdout, 'close');
    // The command writes only after it has read all input.
    child.stdin.end('{}');
    expect(await ended.ended).to.deep.equal({ code: 141, signal: null });
    expect(ended.stderr()).to.equal('');
  });
});

const whyNoFullDisk = existsSync('/dev/full') ? undefined : 'it writes to /dev/full, which Linux has';
describeUnless(whyNoFullDisk, 'a command whose output is full', () => {
  it('reports it in one sentence, and exits with 1', () => {
    const full = openSync('/dev/full', 'w');
    const ended = spawnSync(process.execPath, [MAIN, 'canonicalize'], {
      input: '{}',
      stdio: ['pipe', full, 'pipe'],
      env: { PATH: process.env.PATH },
    });
    closeSync(full);
    expect([ended.status, ended.stderr.toString()]).to.deep.equal([
      1,
      "custos: standard output can't be written (ENOSPC).\n",
    ]);
  });
});
