// Decisions exported to files, and `custos decision verify` on them, for tests of offline verification.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { loadPrivateKey, publishKey } from '../../shared/core/proof/keys.ts';
import { exportLog, findLog } from '../../shared/domain/ledger/export.ts';
import type { Ran } from './command.ts';
import { temporaryFolder } from './folders.ts';
import { testKeyFiles } from './keys.ts';
import type { Service } from './service.ts';

export interface ExportedDecisions {
  /** Paths of the exported files. */
  readonly log: string;
  readonly facts: string;
  readonly policies: string;
  /** The beginning of a command that verifies with these files. */
  readonly verify: readonly string[];
  /** An environment without a database, and without a data folder that could hold one. */
  readonly env: Readonly<Record<string, string>>;
}

/** @param run runs `custos` on the database of the service, whose log has all decisions */
export async function exportDecisions(
  service: Service,
  run: (...args: string[]) => Promise<Ran>,
): Promise<ExportedDecisions> {
  const folder = temporaryFolder('decisions');
  const [log, facts, policies] = [path.join(folder, 'log'), path.join(folder, 'facts'), path.join(folder, 'sets')];
  const found = await findLog(service.db, service.operatorId, 'live');
  if (found === undefined || found.origin === null) throw new Error('there is no log');
  let lines = '';
  for await (const line of exportLog(service.db, { ...found, origin: found.origin })) lines += line;
  writeFileSync(log, lines);
  const written = await run(
    ...['decision', 'export', '--organisation', 'default', '--facts', facts, '--policies', policies],
  );
  expect(written.code, written.stderr).to.equal(0);
  const key = loadPrivateKey(readFileSync(testKeyFiles().CUSTOS_SIGNING_KEY_FILE, 'utf8'));
  const { vkey } = publishKey(key, { origin: found.origin, use: 'log' });
  return {
    log,
    facts,
    policies,
    verify: ['decision', 'verify', '--log', log, '--facts', facts, '--policies', policies, '--vkey', vkey],
    env: { CUSTOS_DATA_DIR: path.join(folder, 'none') },
  };
}
