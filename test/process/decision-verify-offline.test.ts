// `custos decision verify --log`: decisions are verified from exported files, without a database.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { DECISION_FAILURES } from '../../shared/core/verification/failures.ts';
import { FAILURES } from '../../shared/core/proof/failures.ts';
import { type Ran, runCommand, runCommandAlone } from '../support/command.ts';
import { exportDecisions } from '../support/exported-decisions.ts';
import type { Service } from '../support/service.ts';
import { type DecisionsUnderTest, startDecisions } from './decision-verify-setup.ts';

describe('custos decision verify, offline', () => {
  let on: DecisionsUnderTest;
  let service: Service;
  before(async () => {
    on = await startDecisions();
    ({ service } = on);
  });
  after(() => on?.close());

  it('verifies decisions offline, from the exported log, facts and policy sets and the key of the log', async () => {
    await on.worker.append();
    const { log, facts, verify, env } = await exportDecisions(service, on.run);
    const offline = (arg: string): Promise<Ran> => runCommand([...verify, arg], env);
    const all = await runCommandAlone([...verify, '--all'], env);
    expect(all.code, all.stdout + all.stderr).to.equal(0);
    // The number varies: some requests were repeated until the decision used newly folded signals.
    expect(all.stderr).to.match(/^\d{2,} verified, 2 not evaluable, 0 failed\.\n$/);
    const id = on.kinds.get('worker-bot') ?? '';
    expect((await offline(id)).stdout).to.contain(`${id} ALLOW: verified.`);
    for (const kind of ['approved', 'rejected', 'due', 'closed', 'used'])
      expect(all.stdout, kind).to.match(new RegExp(`^${on.kinds.get(kind)} \\w+: verified\\.`, 'm'));
    expect((await offline('dec_gone')).code).to.equal(2);

    const known = readFileSync(facts, 'utf8');
    writeFileSync(facts, known.replace(/"salt":"./g, '"salt":"_'));
    expect((await offline('--all')).code, 'a salt that is not base64').to.equal(FAILURES.MALFORMED.exitCode);
    const [first = ''] = known.split('\n').filter((line) => line.includes(id));
    const { facts: text, ...rest } = JSON.parse(first) as { facts: string };
    const bent = Buffer.from(Buffer.from(text, 'base64').toString('utf8').replace('"ACTIVE"', '"PAUSED"'));
    writeFileSync(facts, known.replace(first, JSON.stringify({ ...rest, facts: bent.toString('base64') })));
    const falsified = await offline(id);
    expect(falsified.code, falsified.stdout).to.equal(DECISION_FAILURES.FACTS_DIGEST.exitCode);
    expect(falsified.stdout).to.contain(
      'VERDICT_DIFFERS. The recorded verdict is ALLOW; the policy set reaches DENY (AGENT_NOT_ACTIVE)',
    );
    const lines = readFileSync(log, 'utf8').split(/(?<=\n)/);
    writeFileSync(
      log,
      lines.map((line, i) => (i === 3 ? (lines[2] ?? '').replace('"index":1', '"index":2') : line)).join(''),
    );
    const altered = await offline('--all');
    expect(altered.code, altered.stderr).to.equal(FAILURES.LOG_ALTERED.exitCode);
  });
});
