// The policy folder: which files are read, which are reported as refused, and which must never block the reader.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import {
  BLOCKING,
  MAX_FILES,
  type PolicyFolder,
  readPolicyFolder,
  stampOfFolder,
  unreadable,
} from '../../../shared/domain/policy-sets/folder.ts';
import { temporaryFolder } from '../../support/folders.ts';

function folder(): { dir: string; put: (name: string, text?: string) => void } {
  const dir = temporaryFolder('policies');
  const put = (name: string, text = '{}'): void => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  };
  return { dir, put };
}

/** Read as the service and as a command reads it, which must make no difference. */
async function read(dir: string): Promise<PolicyFolder> {
  const found = await readPolicyFolder(dir);
  expect(await readPolicyFolder(dir, BLOCKING)).to.deep.equal(found);
  return found;
}

const namesOf = async (dir: string): Promise<string[]> => (await read(dir)).policies.map(({ path: name }) => name);
const refusedOf = async (dir: string): Promise<string[]> =>
  (await read(dir)).refused.map(({ file, code }) => `${file} ${code}`);

describe('the policy folder', () => {
  it('is refused when it has far more files than a set can have, before they are looked at', async () => {
    const { dir, put } = folder();
    for (let n = 0; n <= MAX_FILES / 2; n += 1) for (const half of ['a', 'b']) put(`${half}/${n}`);
    for (const look of [
      () => readPolicyFolder(dir),
      () => readPolicyFolder(dir, BLOCKING),
      () => stampOfFolder(dir, 0),
    ])
      expect(String(await look().catch((error: unknown) => error))).to.equal(
        'TooManyFiles: the policy folder cannot be read: it has more than 20000 files',
      );
  }).timeout(20_000);

  it('refuses a pipe by name instead of waiting for its writer', async () => {
    const { dir, put } = folder();
    put('a.json');
    execFileSync('/usr/bin/mkfifo', [path.join(dir, 'f.json')]);
    symlinkSync('f.json', path.join(dir, 'linked.json'));
    expect(await refusedOf(dir)).to.deep.equal(['f.json NOT_JSON', 'linked.json NOT_JSON']);
    expect(await namesOf(dir)).to.deep.equal(['a.json']);
  }).timeout(5_000);

  it('refuses names similar to those of policies, and ignores other names', async () => {
    const { dir, put } = folder();
    for (const name of [
      'zz.JSON',
      'sub/zz.json5',
      'zz.jsonc',
      'zz.json.txt',
      'a.json',
      'README.md',
      '.hidden.JSON',
      'x.json.bak',
    ])
      put(name);
    const { refused, policies } = await read(dir);
    expect(refused.map(({ file }) => file)).to.deep.equal(['sub/zz.json5', 'zz.JSON', 'zz.json.txt', 'zz.jsonc']);
    expect(refused[0]).to.deep.include({ line: 1, column: 1, pointer: '', code: 'NOT_JSON' });
    expect(refused[0]?.message).to.contain('.json');
    expect(policies.map((file) => file.path)).to.deep.equal(['a.json']);
  });

  it('follows links to folders and files, each folder once, even in loops', async () => {
    const { dir, put } = folder();
    const elsewhere = folder();
    elsewhere.put('deep/b.json');
    put('a.json');
    symlinkSync(elsewhere.dir, path.join(dir, 'team'));
    symlinkSync('.', path.join(dir, 'loop'));
    symlinkSync('..', path.join(elsewhere.dir, 'deep', 'up'));
    symlinkSync('nowhere', path.join(dir, 'dangling'));
    symlinkSync('itself', path.join(dir, 'itself'));
    expect(await namesOf(dir)).to.deep.equal(['a.json', 'team/deep/b.json']);
  });

  it('reports a policy that is a broken or circular link, and reads the others', async () => {
    const { dir, put } = folder();
    put('a.json');
    symlinkSync('nowhere', path.join(dir, 'gone.json'));
    symlinkSync('round.json', path.join(dir, 'round.json'));
    const { policies, refused } = await read(dir);
    expect(policies.map((file) => file.path)).to.deep.equal(['a.json']);
    expect(refused.map(({ file, message }) => `${file} ${message}`)).to.deep.equal([
      "gone.json can't be read: the target of the link does not exist",
      "round.json can't be read: its links go round in a circle",
    ]);
  });

  it('has another stamp once a broken link becomes valid', async () => {
    const { dir, put } = folder();
    const later = Date.now() + 60_000;
    symlinkSync('there', path.join(dir, 'a.json'));
    const before = await stampOfFolder(dir, later);
    expect(before).to.be.a('string');
    put('there');
    expect(await stampOfFolder(dir, later))
      .to.be.a('string')
      .and.not.to.equal(before);
  });

  it('explains without a path why a file can not be read', () => {
    const failure = (code: string) => Object.assign(new Error('/secret/place'), { code });
    expect(unreadable(failure('EACCES'))).to.equal("can't be read: reading it is not permitted");
    expect(unreadable(failure('EIO'))).to.equal("can't be read: EIO");
    expect(() => unreadable(new TypeError('a programming error'))).to.throw(TypeError);
  });

  it('refuses a file that is not UTF-8 at its first invalid byte, and reads no altered name from it', async () => {
    const { dir, put } = folder();
    put('a.json');
    writeFileSync(path.join(dir, 'latin1.json'), Buffer.from('{\n  "id": "caf\u00e9"\n}', 'latin1'));
    writeFileSync(path.join(dir, 'utf16.json'), Buffer.from('\ufeff{}', 'utf16le'));
    writeFileSync(path.join(dir, 'unmarked.json'), Buffer.from('{}', 'utf16le'));
    put('replaced.json', '{ "id": "\ufffd\u{1f600}" }');
    writeFileSync(path.join(dir, 'lexicon.json'), Buffer.from([0x7b, 0xef, 0xbf, 0xbd, 0xc3]));
    const { policies, refused } = await read(dir);
    expect(policies.map((file) => file.path)).to.deep.equal(['a.json', 'replaced.json']);
    expect(refused.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)).to.deep.equal([
      'latin1.json:2:13 is not UTF-8 text: save it as UTF-8',
      'lexicon.json:1:3 is not UTF-8 text: save it as UTF-8',
      'unmarked.json:1:1 is UTF-16 text: save it as UTF-8',
      'utf16.json:1:1 is UTF-16 text: save it as UTF-8',
    ]);
  });

  it('ignores schemas and test cases at the top level, and only there', async () => {
    const { dir, put } = folder();
    for (const name of ['schema/s.json', 'tests/t.json', 'team/tests/kept.json']) put(name);
    expect(await namesOf(dir)).to.deep.equal(['team/tests/kept.json']);
  });

  it('has another fingerprint and stamp when a refused name appears, and when a linked file changes', async () => {
    const { dir, put } = folder();
    const elsewhere = folder();
    elsewhere.put('b.json');
    symlinkSync(elsewhere.dir, path.join(dir, 'team'));
    put('a.json');
    const later = Date.now() + 60_000;
    const before = [(await read(dir)).fingerprint, await stampOfFolder(dir, later)];
    expect(before[1]).to.be.a('string');
    put('c.JSON');
    const refused = [(await read(dir)).fingerprint, await stampOfFolder(dir, later)];
    expect(refused[0]).to.not.equal(before[0]);
    expect(refused[1]).to.not.equal(before[1]);
    elsewhere.put('b.json', '{"id":"b"}');
    utimesSync(path.join(elsewhere.dir, 'b.json'), 1, 1);
    expect((await read(dir)).fingerprint).to.not.equal(refused[0]);
    expect(await stampOfFolder(dir, later)).to.not.equal(refused[1]);
  });
});
