// The policy folder as files: what is read, what is refused by name, and what must never be waited for.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { readPolicyFolder, stampOfFolder } from '../../../shared/policy-folder.ts';
import { temporaryFolder } from '../../support/folders.ts';

function folder(): { dir: string; put: (name: string, text?: string) => void } {
  const dir = temporaryFolder('policies');
  const put = (name: string, text = '{}'): void => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  };
  return { dir, put };
}

const namesOf = async (dir: string): Promise<string[]> =>
  (await readPolicyFolder(dir)).policies.map(({ path: name }) => name);
const refusedOf = async (dir: string): Promise<string[]> =>
  (await readPolicyFolder(dir)).refused.map(({ file, code }) => `${file} ${code}`);

describe('the policy folder', () => {
  it('refuses a pipe by name instead of waiting for whoever writes it', async () => {
    const { dir, put } = folder();
    put('a.json');
    execFileSync('/usr/bin/mkfifo', [path.join(dir, 'f.json')]);
    symlinkSync('f.json', path.join(dir, 'linked.json'));
    expect(await refusedOf(dir)).to.deep.equal(['f.json NOT_JSON', 'linked.json NOT_JSON']);
    expect(await namesOf(dir)).to.deep.equal(['a.json']);
  }).timeout(5_000);

  it('refuses names that are almost those of policies, and lets other names be', async () => {
    const { dir, put } = folder();
    for (const name of ['zz.JSON', 'sub/zz.json5', 'zz.jsonc', 'a.json', 'README.md', '.hidden.JSON', 'x.json.bak'])
      put(name);
    const { refused, policies } = await readPolicyFolder(dir);
    expect(refused.map(({ file }) => file)).to.deep.equal(['sub/zz.json5', 'zz.JSON', 'zz.jsonc']);
    expect(refused[0]).to.deep.include({ line: 1, column: 1, pointer: '', code: 'NOT_JSON' });
    expect(refused[0]?.message).to.contain('.json');
    expect(policies.map((file) => file.path)).to.deep.equal(['a.json']);
  });

  it('follows links to folders and files, each folder once, loops too', async () => {
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

  it('says so when a policy is a link to nowhere', async () => {
    const { dir } = folder();
    symlinkSync('nowhere', path.join(dir, 'gone.json'));
    const error = await readPolicyFolder(dir).catch((e: NodeJS.ErrnoException) => e.code);
    expect(error).to.equal('ENOENT');
  });

  it('leaves out schemas and test cases at its top, and only there', async () => {
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
    const before = [(await readPolicyFolder(dir)).fingerprint, await stampOfFolder(dir, later)];
    expect(before[1]).to.be.a('string');
    put('c.JSON');
    const refused = [(await readPolicyFolder(dir)).fingerprint, await stampOfFolder(dir, later)];
    expect(refused[0]).to.not.equal(before[0]);
    expect(refused[1]).to.not.equal(before[1]);
    elsewhere.put('b.json', '{"id":"b"}');
    utimesSync(path.join(elsewhere.dir, 'b.json'), 1, 1);
    expect((await readPolicyFolder(dir)).fingerprint).to.not.equal(refused[0]);
    expect(await stampOfFolder(dir, later)).to.not.equal(refused[1]);
  });
});
