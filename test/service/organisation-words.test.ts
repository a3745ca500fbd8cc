// Words of one organisation through the service: every endpoint parses with the words of the key's organisation.
import { expect } from 'chai';
import { isLexiconPart } from '../../shared/core/policy/files.ts';
import { lexiconFile } from '../support/lexicon.ts';
import { createLogger } from '../../shared/platform/observe/logger.ts';
import type { PolicyFolder } from '../../shared/domain/policy-sets/folder.ts';
import { applyFolder } from '../../workers/policies.ts';
import type { Client } from '../support/client.ts';
import { folderOf, type Service } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

const WORDS = { verbs: [{ action: 'delete', verbs: ['derail'] }], domains: { trains: ['bogie'] } };
const logger = createLogger({ name: 'test', level: 'silent', pretty: false });

/** The shipped folder with these words for the organisation `rail`, one member per line. */
async function folderWith(words: object): Promise<PolicyFolder> {
  const shipped = await folderOf(undefined);
  const lexicon = lexiconFile();
  // Without the learned weights, with which a file of so many lines would be too large.
  const { harm: _, ...others } = JSON.parse(lexicon.text) as Record<string, unknown>;
  const text = JSON.stringify({ organisations: { rail: words }, ...others }, null, 1);
  return {
    ...shipped,
    policies: shipped.policies.filter((file) => !isLexiconPart(file)),
    lexicon: { ...lexicon, text },
  };
}

describe('the words of one organisation', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let rail: Client;
  let other: Client;
  const digestInForce = async (): Promise<string> => (await service.admin.get('/v1/policies')).json.digest;
  const apply = async (words: object): Promise<unknown> =>
    applyFolder({ db: service.db, nowMs: service.nowMs, logger }, await folderWith(words));

  before(async () => {
    both = await startServiceAndWorker();
    ({ service, worker } = both);
    const organisationId = await service.addOrganisation('rail');
    rail = await service.client({ organisationId, scopes: ['intents:write', 'proofs:read'] });
    other = await service.client({ scopes: ['intents:write', 'proofs:read'] });
    const before = await digestInForce();
    await apply(WORDS);
    await waitFor(async () => (await digestInForce()) !== before, { what: 'the set with the words' });
  });
  after(() => both?.close());

  const ask = (client: Client) =>
    client.post('/v1/intent', { agent_id: 'a', raw_intent: 'Please derail the bogies' }).then(({ json }) => json);

  it('apply to its free text, and not to that of other organisations', async () => {
    expect(await ask(rail)).to.include({ normalized: 'trains.delete.bogie', effect: 'destructive' });
    expect(await ask(other)).to.deep.include({ normalized: 'unknown.unknown.unknown', flags: ['not_understood'] });
  });

  it('apply to /v1/enforce, in any order in which organisations send the same string', async () => {
    const enforce = (client: Client, intent: string) => client.post('/v1/enforce', { intent, agent_id: 'a' });
    for (const client of [other, rail, other, rail]) {
      const { status, json } = await enforce(client, 'trains.derail.bogie');
      if (client === other) expect([status, json.code]).to.deep.equal([400, 'E2001']);
      else expect(json.intent).to.include({ normalized: 'trains.delete.bogie', verb: 'derail', effect: 'destructive' });
    }
    const { intent_id, normalized } = await ask(rail);
    const { json } = await rail.post('/v1/enforce', { intent: normalized, agent_id: 'a', intent_id });
    expect(json.intent).to.include({ normalized, verb: 'derail', parsed: true });
  });

  it('apply to submitted intents, on acceptance and in the worker', async () => {
    const body = { agentId: 'a', action: 'derail', resource: 'trains/bogie/7' };
    // An action that is in no lexicon is accepted as the action `unknown`.
    for (const [client, action] of [
      [rail, 'delete'],
      [other, 'unknown'],
    ] as const) {
      const { status, json } = await client.post('/v1/intents', body);
      expect(status).to.equal(202);
      await worker.evaluate(json.intentId);
      const { items } = (await client.get('/v1/decisions?limit=1')).json;
      expect(items[0].intent).to.include({ action });
    }
  });

  it('are not put into force when invalid: the error names the place, and the last valid ones stay', async () => {
    const digest = await digestInForce();
    await apply({ verbs: [{ action: 'read', verbs: ['derail', 'drop'] }] });
    const lastRead = await waitFor(
      async () => {
        const { json } = await service.admin.get('/v1/policies');
        return json.lastRead.ok === false ? json.lastRead : undefined;
      },
      { what: 'the findings' },
    );
    expect(lastRead.findings).to.have.lengthOf(1);
    expect(lastRead.findings[0]).to.include({ file: 'lexicon.json', code: 'LEXICON', line: 9 });
    expect(lastRead.findings[0].message).to.contain('"drop" is delete');
    expect(await digestInForce()).to.equal(digest);
    expect(await ask(rail)).to.include({ normalized: 'trains.delete.bogie' });
  });
});
