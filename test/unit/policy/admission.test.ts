// Checking a policy folder in a separate thread: the same result, bounded memory, and cancellation.
import path from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Database } from '../../../shared/platform/db/database.ts';
import type { PolicyTexts } from '../../../shared/core/policy/admit.ts';
import { readPolicyFolder } from '../../../shared/domain/policy-sets/folder.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { applyFolder } from '../../../workers/policies.ts';
import { admitApart, admitBySize, admitHere } from '../../../shared/domain/policy-sets/admission.ts';
import { filesOf, policy } from './support.ts';

const rejectionOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it was fulfilled',
    (reason: unknown) => reason,
  );

describe('a policy folder checked in a separate thread', () => {
  let shipped: PolicyTexts;
  before(async () => {
    shipped = await readPolicyFolder(path.join(findRoot(), 'policies'));
  });
  const folderWith = (...policies: readonly unknown[]): PolicyTexts => ({
    ...shipped,
    policies: [...shipped.policies, ...filesOf(policies)],
  });

  it('is admitted with the same digest and canonical text as in this thread', async () => {
    const [apart, here] = [await admitApart(shipped), admitHere(shipped)];
    expect(apart.set?.digest)
      .to.equal(here.set?.digest)
      .and.match(/^[0-9a-f]{64}$/);
    expect(apart.set?.policies).to.equal(
      shipped.policies.filter(({ path: file }) => !/^(?:tools|lexicon)\//.test(file) && file !== 'authzen.json').length,
    );
    expect(Buffer.compare(apart.set?.canonical ?? Buffer.of(), here.set?.canonical ?? Buffer.of())).to.equal(0);
    expect(apart).to.deep.include({ errors: here.errors, warnings: here.warnings });
  });

  it('is refused with the same messages, of which only the first hundred are passed on', async () => {
    const broken = Array.from({ length: 120 }, (_, i) => policy(`broken-${i}`, 'NOPE'));
    const folder = { ...folderWith(...broken), refused: [] };
    const [apart, here] = [await admitApart(folder), admitHere(folder)];
    expect(apart.set).to.equal(undefined);
    expect(apart.errors).to.have.lengthOf(100);
    expect(apart.errors).to.deep.equal(here.errors);
  });

  it('is refused when it exceeds its memory limit, and the process survives', async () => {
    const admitted = await admitApart(shipped, {
      limits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
    });
    expect(admitted.set).to.equal(undefined);
    expect(admitted.errors).to.have.lengthOf(1);
    expect(admitted.errors[0]).to.include({ code: 'TOO_LARGE', file: '.' });
    expect(admitted.errors[0]?.message).to.contain(`the ${shipped.policies.length} policies`).and.contain('8 MB');
  });

  it('is cancelled when no caller waits for it any more', async () => {
    const stop = new AbortController();
    const work = rejectionOf(admitApart(shipped, { signal: stop.signal }));
    const reason = new Error('the process stops');
    stop.abort(reason);
    expect(await work).to.equal(reason);
    expect(await rejectionOf(admitApart(shipped, { signal: stop.signal }))).to.equal(reason);
  });

  it('does not block the process when it is large, and needs no thread when it is small', async () => {
    const turnsDuring = async (folder: PolicyTexts): Promise<boolean> => {
      let turned = false;
      setImmediate(() => (turned = true));
      await admitBySize(folder);
      return turned;
    };
    expect(await turnsDuring(shipped)).to.equal(false);
    const many = Array.from({ length: 60 }, (_, i) => policy(`team-${i}`, 'DENY'));
    expect(await turnsDuring(folderWith(...many))).to.equal(true);
  });

  it('is not activated by a worker that has lost the lock during the check', async () => {
    const folder = await readPolicyFolder(path.join(findRoot(), 'policies'));
    let asked = 0;
    // Only the organisations and a transaction are requested.
    const db = {
      query: () => Promise.resolve([]),
      transaction: () => Promise.resolve((asked += 1)),
    } as unknown as Database;
    const deps = { db, nowMs: Date.now, logger: pino({ level: 'silent' }) };
    const lost = new Error('the lock is lost');
    expect(await rejectionOf(applyFolder(deps, folder, { mayApply: () => Promise.reject(lost) }))).to.equal(lost);
    expect(asked).to.equal(0);
    await applyFolder(deps, folder, { mayApply: () => Promise.resolve() });
    expect(asked).to.equal(1);
  });
});
