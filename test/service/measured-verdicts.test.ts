// The verdicts that `npm run eval:intents -- --verdicts` measures in process are those of the service.
import path from 'node:path';
import { expect } from 'chai';
import { loadFolderSet } from '../../bench/intent-reader.ts';
import { readRows } from '../../bench/intent-rows.ts';
import { createVerdictReader, TRUSTED_SCORE, type VerdictReader } from '../../bench/intent-verdicts.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { fold as foldJob } from '../../workers/jobs/fold.ts';
import type { Client } from '../support/client.ts';
import { leaveMidnight, SHIPPED_POLICIES, type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

const TEXTS = readRows(path.join(findRoot(), 'bench/texts/verdicts-learn.jsonl')).rows.map(({ text }) => text);

describe('a measured verdict', () => {
  let service: Service;
  let client: Client;
  let reader: VerdictReader;

  /** Gives both agents 15 successes, of two keys because of the daily cap: a score of 700. */
  const raiseTrust = async () => {
    const scopes = ['trust:write'] as const;
    for (const [key, count] of [
      [await service.client({ scopes }), 10],
      [await service.client({ scopes }), 5],
    ] as const)
      for (const agentId of ['parses', 'enforces'])
        await key.post('/v1/trust/signals', {
          signals: Array.from({ length: count }, () => ({ agentId, type: 'success' })),
        });
    await foldJob.handler({ db: service.db, nowMs: service.nowMs, dailyCap: 10_000 })({ v: 1 });
  };
  const enforce = async (agent_id: string, intent: string, more: object = {}) =>
    (await client.post('/v1/enforce', { agent_id, intent, ...more })).json;

  before(async () => {
    service = await startService();
    leaveMidnight(service);
    client = await service.client({ scopes: ['intents:write', 'agents:write'] });
    reader = createVerdictReader(await loadFolderSet(SHIPPED_POLICIES));
    for (const agentId of ['parses', 'enforces']) await client.post('/v1/agents', { agentId, name: agentId });
    await raiseTrust();
    for (const agentId of ['parses', 'enforces']) {
      const scored = async () => (await enforce(agentId, 'db.read.customers')).trust.score === TRUSTED_SCORE;
      await waitFor(scored, { what: `the score of ${agentId}` });
    }
  });
  after(() => service?.close());

  it('is that of the preview, of the enforcement of the parse, and of the string for an agent that has parsed nothing', async () => {
    const measured: object[] = [];
    const answered: object[] = [];
    // The history of the agent is a fact; decisions are few enough for every policy of the shipped set.
    for (const text of TEXTS.filter((_, at) => at % 4 === 0)) {
      const { preview, byParse, byString } = await reader.verdictsOf(text);
      measured.push({ text, preview, byParse, byString });
      const { json } = await client.post('/v1/intent', { agent_id: 'parses', raw_intent: text });
      const { intent_id, normalized } = json;
      answered.push({
        text,
        preview: json.verdict_preview,
        byParse: (await enforce('parses', normalized, { intent_id })).verdict,
        byString: (await enforce('enforces', normalized)).verdict,
      });
    }
    expect(measured).to.deep.equal(answered);
    expect(new Set(measured.map((one) => JSON.stringify({ ...one, text: '' }))).size).to.be.above(2);
  });
});
