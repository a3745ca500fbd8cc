// End-to-end test of a new user's first day: start, key, agent, decisions, an edited policy, a broken policy, a restart.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { asAnswered, type Client, createClient } from '../support/client.ts';
import { temporaryDataDir, temporaryFolder } from '../support/folders.ts';
import { startCustos, startIngress, type TestCustos, type TestService } from '../support/process.ts';
import { SHIPPED_POLICIES } from '../support/service.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';

const EFFECT_MS = 2_000;

describe('the story of the first day', () => {
  const folder = temporaryFolder('policies');
  const reads = path.join(folder, 'reads.json');
  const original = readFileSync(path.join(SHIPPED_POLICIES, 'reads.json'), 'utf8');
  const env = { CUSTOS_POLICY_DIR: folder };
  let custos: TestCustos;
  let second: TestService;
  let client: Client;
  let other: Client;
  let key: string;
  /** Decisions as they were returned. */
  const answered: { id: string; text: string }[] = [];
  before(async () => {
    cpSync(SHIPPED_POLICIES, folder, { recursive: true });
    custos = await startCustos({ ...env, CUSTOS_DATA_DIR: temporaryDataDir() });
  });
  after(async () => {
    client?.close();
    other?.close();
    await second?.stop();
    await custos.stop();
  });

  const enforce = async (body: object, by: Client = client) => {
    const answer = await by.post('/v1/enforce', { agent_id: 'story', ...body });
    expect(answer.status, answer.text).to.equal(200);
    answered.push({ id: answer.json.decision_id, text: answer.text });
    return answer.json;
  };
  /** Waits until both ingress processes return this verdict. @returns milliseconds since `sinceMs` */
  const until = async (verdict: string, sinceMs: number): Promise<number> => {
    for (const by of [client, other])
      await waitFor(async () => (await enforce({ intent: 'data.read.user_profile' }, by)).verdict === verdict, {
        what: `the verdict ${verdict}`,
      });
    return performance.now() - sinceMs;
  };
  const join = async (): Promise<void> => {
    const databaseUrl = readFileSync(path.join(custos.dataDir, 'postgres.address'), 'utf8').trim();
    const pepper = readFileSync(path.join(custos.dataDir, 'pepper'), 'utf8').trim();
    // Both sign promises with the same key, which the service created.
    const promiseKey = path.join(custos.dataDir, 'promise-key.pem');
    second = await startIngress(databaseUrl, { ...env, CUSTOS_PEPPER: pepper, CUSTOS_PROMISE_KEY_FILE: promiseKey });
    other = createClient(second.address, key, { patient: true });
  };

  it('starts with a key that the first start prints once and stores in a private folder', async () => {
    key = /Admin key\s+(cst_live_\S+)/.exec(custos.stdout())?.[1] ?? '';
    expect(key).to.match(/^cst_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(readFileSync(path.join(custos.dataDir, 'bootstrap-key'), 'utf8').trim()).to.equal(key);
    client = createClient(custos.address, key, { patient: true });
    await join();
    expect((await client.get('/ready')).json.status).to.equal('ready');
  });

  it('registers an agent', async () => {
    const { status, json } = await client.post('/v1/agents', {
      agentId: 'story',
      name: 'Story',
      capabilities: ['read'],
    });
    expect([status, json.status, json.trust.level]).to.deep.equal([201, 'ACTIVE', 1]);
  });

  it('parses "Read user profile data" into data.read.user_profile and allows it', async () => {
    const { json } = await client.post('/v1/intent', {
      agent_id: 'story',
      raw_intent: 'Read user profile data',
      trust_score: 500,
    });
    expect(json.normalized).to.equal('data.read.user_profile');
    expect(json.trust.effective).to.deep.equal({ score: 250, level: 1 });
    // Parsed by one process and enforced by the other.
    const decision = await enforce({ intent: json.normalized, intent_id: json.intent_id }, other);
    expect(decision).to.deep.include({ verdict: 'ALLOW', allowed: true });
    expect(decision.intent.parsed).to.equal(true);
  });

  it('denies the destruction of production data, with the reason', async () => {
    const { json } = await client.post('/v1/intent', {
      agent_id: 'story',
      raw_intent: 'Delete all customer records from the production database',
    });
    expect(json.effect).to.equal('destructive');
    const decision = await enforce({ intent: json.normalized, intent_id: json.intent_id });
    expect(decision).to.deep.include({ verdict: 'DENY', allowed: false });
    const codes = decision.reasons.map((reason: { code: string }) => reason.code);
    expect(codes).to.include.members(['PRODUCTION_PROTECTED', 'TRUST_TOO_LOW']);
  });

  it('gives an unknown agent that claims trust level 7 the level 1', async () => {
    const { trust } = await enforce({ agent_id: 'stranger', intent: 'data.read.user_profile', trust_level: 7 });
    expect(trust).to.include({ claimed_level: 7, recorded_level: 1, effective_level: 1 });
  });

  it('activates an edited policy in two ingress processes within two seconds', async () => {
    await until('ALLOW', 0);
    const thereAndBack = async (): Promise<number> => {
      const editedMs = performance.now();
      writeFileSync(reads, original.replaceAll('"ALLOW"', '"DENY"'));
      const thereMs = await until('DENY', editedMs);
      const backMs = performance.now();
      writeFileSync(reads, original);
      return Math.max(thereMs, await until('ALLOW', backMs));
    };
    expect(await leastMs(EFFECT_MS, thereAndBack)).to.be.below(EFFECT_MS);
  });

  it('activates a pushed set in two ingress processes within two seconds of the answer', async () => {
    const push = async (verdict: string): Promise<number> => {
      const files = [{ path: 'reads.json', text: original.replaceAll('"ALLOW"', `"${verdict}"`) }];
      const pushed = await client.post('/v1/policies', { files, reason: 'a push' });
      const answeredMs = performance.now();
      expect(pushed.status, pushed.text).to.equal(201);
      return until(verdict, answeredMs);
    };
    const thereAndBack = async (): Promise<number> => Math.max(await push('DENY'), await push('ALLOW'));
    expect(await leastMs(EFFECT_MS, thereAndBack)).to.be.below(EFFECT_MS);
    expect((await client.post('/v1/policies/follow-folder', { reason: 'back to the folder' })).status).to.equal(201);
  });

  it('keeps the last valid policy set active when a file is broken, and reports the position of the error', async () => {
    writeFileSync(reads, original.slice(0, original.length / 2));
    for (const by of [client, other]) {
      const check = await waitFor(async () => {
        const { json } = await by.get('/ready');
        expect(json.status).to.equal('ready');
        return json.checks.find((one: { name: string; ok: boolean }) => one.name === 'policy-folder' && !one.ok);
      });
      expect(check.detail).to.match(/reads\.json:\d+ /);
      expect((await enforce({ intent: 'data.read.user_profile' }, by)).verdict).to.equal('ALLOW');
    }
  });

  it('keeps the policy set active across a restart, and returns every decision unchanged', async () => {
    client.close();
    other.close();
    await second.stop();
    expect((await custos.stop()).code).to.equal(0);
    custos = await startCustos({ ...env, CUSTOS_DATA_DIR: custos.dataDir });
    expect(custos.stdout(), 'the key is not printed again').not.to.contain(key);
    client = createClient(custos.address, key, { patient: true });
    expect(answered.length).to.be.above(8);
    for (const { id, text } of answered)
      expect(asAnswered((await client.get(`/v1/decisions/${id}`)).text)).to.equal(text);
    expect((await enforce({ intent: 'data.read.user_profile' })).verdict).to.equal('ALLOW');
    const { items } = (await client.get(`/v1/decisions?limit=${Math.min(200, answered.length)}`)).json;
    expect(items[0].decision_id).to.equal(answered.at(-1)?.id);
  });

  it('recovers when the file is repaired', async () => {
    writeFileSync(reads, original);
    await waitFor(async () => (await client.get('/ready')).json.degraded.length === 0, {
      what: 'a folder that is accepted',
    });
  });
});
