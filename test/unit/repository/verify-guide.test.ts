// The commands of docs/guides/verify-a-receipt.md, unchanged: on a receipt, and on receipts with one byte changed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { FAILURES } from '../../../shared/core/proof/failures.ts';
import { publishKey } from '../../../shared/core/proof/keys.ts';
import { writeTlogProof } from '../../../shared/core/proof/tlog-proof.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { V8_OPTIONS } from '../../support/process.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { describeUnless } from '../../support/skip.ts';
import { LOG_KEY, ORIGIN, PROMISE_KEY, sampleLog, VKEY } from '../proof/sample-log.ts';

const guide = readFileSync(path.join(findRoot(), 'docs', 'guides', 'verify-a-receipt.md'), 'utf8');
const MAIN = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'cli', 'main.js');

/** A block of the guide by the name in its first line. */
function block(name: string): string {
  const [, text] =
    new RegExp(`^\`\`\`(?:sh|js)\\n((?:#|//) ${name.replace('.', '\\.')}[^]*?)^\`\`\`$`, 'm').exec(guide) ?? [];
  if (text === undefined) throw new Error(`the guide has no block ${name}`);
  return text;
}

const log = sampleLog(23);
const receipt = log.receipt(14);
const folder = temporaryFolder('guide');
const keys = { items: [publishKey(LOG_KEY, { origin: ORIGIN, use: 'log' })], nextCursor: null };
writeFileSync(path.join(folder, 'keys.json'), JSON.stringify(keys));
writeFileSync(path.join(folder, 'check-path.mjs'), block('check-path.mjs'));

/** Runs a block in the folder; unless `flags` says otherwise, a shell that stops at the first failure. */
function run(
  script: string,
  tlogProof: string,
  vkey = VKEY,
  flags = '-eu',
): { code: number | null; out: string; said: string } {
  writeFileSync(path.join(folder, 'receipt.json'), JSON.stringify(receipt));
  writeFileSync(path.join(folder, 'receipt.tlog-proof'), tlogProof);
  // In place of npx, which takes longer than the rest.
  const custos = `npx() { shift; "${process.execPath}" ${V8_OPTIONS.join(' ')} "${MAIN}" "$@"; }\n`;
  const nodeFolder = path.dirname(process.execPath);
  const ended = spawnSync('sh', [...(flags === '' ? [] : [flags]), '-c', custos + script], {
    cwd: folder,
    env: { PATH: `${nodeFolder}:${process.env.PATH ?? ''}`, VKEY: vkey },
    timeout: 60_000,
  });
  return { code: ended.status, out: ended.stdout.toString(), said: ended.stderr.toString() };
}

/** A text with one character of the pattern's first group replaced by another of its kind. */
function changeIn(text: string, pattern: RegExp): string {
  const match = pattern.exec(text);
  const part = match?.[1];
  if (match === null || part === undefined) throw new Error(`nothing matches ${String(pattern)}`);
  const at = match.index + match[0].indexOf(part) + Math.floor(part.length / 2);
  return text.slice(0, at) + (text[at] === '7' ? '8' : '7') + text.slice(at + 1);
}

const proof = writeTlogProof(receipt);
const openssl = spawnSync('openssl', ['version'], { encoding: 'utf8' });
const hasOpenssl = openssl.status === 0 && /^OpenSSL [3-9]/.test(openssl.stdout);

describe('The guide to verifying a receipt', () => {
  it('lists every failure with its exit code and meaning', () => {
    const rows = [...guide.matchAll(/^\| (\d+) \| `([A-Z_]+)` \| (.*) \|$/gm)].map(([, code, name, meaning]) => [
      name,
      Number(code),
      meaning,
    ]);
    expect(rows).to.deep.equal(
      Object.entries(FAILURES).map(([name, { exitCode, meaning }]) => [name, exitCode, meaning]),
    );
  });

  it('verifies with custos as stated', () => {
    const { code, out } = run(block('with-custos.sh'), proof);
    expect(code).to.equal(0);
    expect(out.match(/^VALID: the proof "p-14"/gm)).to.have.length(2);
  });

  it('has a script of thirty lines at most', () => {
    const lines = block('check-path.mjs').trimEnd().split('\n').slice(1);
    expect(lines.length).to.be.at.most(30);
  });
});

describeUnless(
  hasOpenssl ? undefined : 'OpenSSL 3 or later is not installed',
  'The guide to verifying with openssl and thirty lines',
  () => {
    const script = `${block('with-openssl.sh')}\n${block('with-thirty-lines.sh')}`;

    it('accepts a receipt and prints its record', () => {
      const { code, out } = run(script, proof);
      expect(code).to.equal(0);
      expect(out).to.contain('Signature Verified Successfully');
      expect(out).to.contain(`${ORIGIN} holds this record at index 14:\n${log.records[14]?.bytes.toString()}\n`);
    });

    it('accepts receipts of all shapes of trees', () => {
      for (const [index, size] of [
        [0, 1],
        [0, 2],
        [6, 7],
        [22, 23],
        [16, 23],
      ] as const) {
        const { code, out } = run(script, writeTlogProof(log.receipt(index, size)));
        expect({ code, isPrinted: out.includes(`at index ${index}:`) }, `${index} of ${size}`).to.deep.equal({
          code: 0,
          isPrinted: true,
        });
      }
    });

    const changes: Record<string, RegExp> = {
      'the record': /^extra (.+)$/m,
      'the index': /^index (.+)$/m,
      'a hash of the path': /^index .+\n(.+)$/m,
      'the size': /\/live\n(23)\n/,
      'the root': /\n23\n(.+)\n/,
      'the origin': /\ncustos\.local\/(acme)\/live\n23/,
      'the signature': /\n— \S+ (.+)\n/,
    };
    for (const [what, pattern] of Object.entries(changes)) {
      it(`refuses one with one byte of ${what} changed`, () => {
        const { code, out } = run(script, changeIn(proof, pattern));
        expect(code).not.to.equal(0);
        expect(out).not.to.contain('holds this record');
      });
    }

    it('refuses one that another key signed, and one of another log', () => {
      const keys = [
        publishKey(PROMISE_KEY, { origin: ORIGIN, use: 'log' }),
        publishKey(LOG_KEY, { origin: 'custos.local/acme/test', use: 'log' }),
      ];
      for (const { vkey } of keys) expect(run(script, proof, vkey).code, vkey).not.to.equal(0);
    });

    it('with openssl alone reports a receipt of another log or key, and exits with 1', () => {
      // As a person pastes it into a file: a separate shell without `set -e`.
      const alone = (vkey: string) => run(block('with-openssl.sh'), proof, vkey, '');
      const other = publishKey(LOG_KEY, { origin: 'custos.local/acme/test', use: 'log' });
      const { code, out, said } = alone(other.vkey);
      expect({ code, out }).to.deep.equal({ code: 1, out: '' });
      expect(existsSync(path.join(folder, 'checkpoint.text')), 'nothing is left for the thirty lines').to.equal(false);
      expect(said).to.equal(
        `NOT VALID: the receipt is of the log ${ORIGIN}, and the key of the log custos.local/acme/test\n`,
      );
      const signedByOther = alone(publishKey(PROMISE_KEY, { origin: ORIGIN, use: 'log' }).vkey);
      expect(signedByOther.code).to.equal(1);
      expect(signedByOther.said).to.contain('NOT VALID: the key has not signed this checkpoint');
      expect(alone(VKEY).code).to.equal(0);
    });
  },
);
