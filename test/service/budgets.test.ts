// Budgets: exact over processes, charged once for each permission, given back once, and recorded so that decisions can be verified.
import { expect } from 'chai';
import type { BudgetCount, ListedBudgets } from '../../ingress/dashboard/client/wire/budgets.ts';
import { readBudgetShares } from '../../shared/domain/decisions/budget-shares.ts';
import { BUDGET_USE, type BudgetUseRow, useSeal } from '../../shared/platform/db/seals/budgets.ts';
import { checkSealedRows } from '../../shared/platform/db/seals/check.ts';
import { forgetBudgets } from '../../workers/jobs/forget-budgets.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import { type Client, type ClientResponse, createClient } from '../support/client.ts';
import { signIn } from '../support/dashboard.ts';
import { asSuperuser } from '../support/database.ts';
import { readExposition } from '../support/exposition.ts';
import { approve, ask, escalate, gist } from '../support/escalations.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const rule = (name: string, resource: string, event: object, more: object = {}): object => ({
  name,
  conditions: { all: [{ fact: 'intent', path: 'resource', operator: 'matchesResource', value: resource }] },
  event,
  ...more,
});
const allow = { type: 'ALLOW', params: { code: 'OPEN', message: 'open' } };
const askHuman = { type: 'ESCALATE', params: { code: 'ASK', message: 'ask' } };
const budget = (name: string, limit: number, more: object = {}): object => ({
  budget: { name, per: ['agent'], window: '1h', limit, ...more },
});
const LIMIT = 30;
const POLICIES = {
  'budgets.json': {
    id: 'budgets',
    stage: 'enforce',
    description: 'Budgets for tests',
    target: { actions: ['read', 'update'], resources: ['refunds/*', 'calls/*', 'asked/*', 'free/*'] },
    rules: [
      rule('refunds', 'refunds/*', allow, budget('refunds', 1, { amount: { fact: 'context', path: 'amount' } })),
      rule('calls', 'calls/*', allow, budget('calls', LIMIT)),
      rule('asked', 'asked/*', allow, budget('asked', 1)),
      rule('ask', 'asked/*', askHuman),
      rule('free', 'free/*', allow),
    ],
  },
};

/** The count of calls of the agent $1. */
const OF_AGENT = `name = 'calls' AND counted_for = '{"agent":' || to_json($1::text)::text || '}'`;

let names = 0;
const name = (): string => `agent-${(names += 1)}`;

describe('budgets', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker({ policies: POLICIES, words: 'few' });
    ({ service } = both);
    client = await service.client();
  });
  after(() => both?.close());

  const refund = (agent: string, amount: unknown) => ({
    agent_id: agent,
    intent: 'update:refunds/order',
    context: { amount },
  });
  const call = (agent: string) => ({ agent_id: agent, intent: 'read:calls/a' });
  const report = (decisionId: string, outcome: string, by = client): Promise<ClientResponse> =>
    by.post(`/v1/decisions/${decisionId}/outcome`, { outcome });
  const chargesOf = (decisionId: string) =>
    service.rows<{ amount: string; given_back: boolean }>(
      'SELECT amount, given_back FROM budget_charge WHERE decision_id = $1',
      [decisionId],
    );
  const left = async (agent: string): Promise<number> => {
    const { budgets } = await ask(service.admin, { ...call(agent), dry_run: true });
    return budgets[0].left;
  };

  it('are charged exactly in decimals, and answers and records say what is left', async () => {
    const agent = name();
    const first = await ask(client, refund(agent, 0.7));
    expect([first.verdict, first.budgets]).to.deep.equal([
      'ALLOW',
      [{ left: 0.3, limit: 1, name: 'refunds', window: '1h' }],
    ]);
    const over = await ask(client, refund(agent, 0.4));
    expect(gist(over)).to.deep.equal(['DENY', 'BUDGET_EXCEEDED']);
    expect(over.reasons[0].message).to.equal('the budget refunds has 0.3 left of 1 in 1h; this needs 0.4');
    expect((await ask(client, refund(agent, 0.1))).budgets[0].left).to.equal(0.2);
    expect((await ask(client, refund(agent, 0.2))).budgets[0].left).to.equal(0);
    expect(gist(await ask(client, refund(agent, 0.000001)))).to.deep.equal(['DENY', 'BUDGET_EXCEEDED']);
    for (const amount of [-1, '1', undefined, 1e300])
      expect(gist(await ask(client, refund(agent, amount)))).to.deep.equal(['DENY', 'BUDGET_NOT_COUNTED']);
    expect((await ask(client, refund(name(), 1))).verdict, 'another agent').to.equal('ALLOW');
    const read = await client.get(`/v1/decisions/${first.decision_id}`);
    expect(read.json.budgets).to.deep.equal(first.budgets);
  });

  it('are listed for the dashboard, fullest first, page by page, and only to those who may see their agents', async () => {
    const [full, half, little] = [name(), name(), name()];
    for (const [agent, amount] of [
      [half, 0.5],
      [full, 1],
      [little, 0.000001],
    ] as const)
      await ask(client, refund(agent, amount));
    const session = await signIn(service.admin, service.adminKey);
    const list = async (query: string, by = session): Promise<ListedBudgets> =>
      (await by.get(`/budgets?budget=refunds${query}`)).json;
    const { budgets } = await list('');
    expect(budgets).to.deep.equal([
      {
        name: 'refunds',
        window: '1h',
        limit: 1,
        per: ['agent'],
        amount: 'context.amount',
        rules: [{ policy: 'budgets', rule: 'refunds' }],
      },
    ]);
    const counts: BudgetCount[] = [];
    for (let cursor = ''; ; ) {
      const { items, nextCursor } = await list(`&limit=1${cursor}`);
      counts.push(...items);
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(counts).to.deep.equal((await list('')).items);
    const own = (agent: string) => ({ countedFor: { agent }, name: 'refunds', limit: 1, window: '1h' });
    expect(counts.filter(({ countedFor: { agent } }) => [full, half, little].includes(String(agent)))).to.deep.equal([
      { ...own(full), used: 1, left: 0, share: 1 },
      { ...own(half), used: 0.5, left: 0.5, share: 0.5 },
      { ...own(little), used: 0.000001, left: 0.999999, share: 0.000001 },
    ]);
    const bound = await signIn(service.admin, (await service.addKey({ scopes: ['admin:*'], agentIds: [half] })).key);
    expect((await list('', bound)).items.map(({ countedFor: { agent } }) => agent)).to.deep.equal([half]);
    expect((await list(`&agentId=${half}`)).items).to.deep.equal((await list('', bound)).items);
    expect((await bound.get(`/budgets?agentId=${full}`)).json.code).to.equal('E1004');
    expect((await session.get('/budgets?policy=another')).json).to.deep.include({ items: [], budgets: [] });
    expect((await session.get('/budgets?cursor=eA')).json.code).to.equal('E2001');
    const test = await signIn(service.admin, (await service.addKey({ scopes: ['admin:*'], environment: 'test' })).key);
    expect((await list('', test)).items).to.deep.equal([]);
  });

  /** The decision of a batch of one question. A member that a busy database kept from being decided is repeated, as its error says. */
  const inBatch = (by: Client, question: object, idempotencyKey: string) =>
    waitFor(async () => {
      const headers = { 'idempotency-key': idempotencyKey };
      const { json } = await by.post('/v1/enforce/batch', { requests: [question] }, { headers });
      return json.decisions[0].error?.retryable === true ? undefined : json.decisions[0];
    });

  it('permit exactly the limit, whatever eight services with connections of their own ask at once', async () => {
    const { key } = await service.addKey();
    const others = await Promise.all(
      Array.from({ length: 7 }, () =>
        startService({ policies: POLICIES, words: 'few', databaseUrl: service.databaseUrl }),
      ),
    );
    const clients = [service, ...others].map(({ ingress }) => createClient(ingress.address, key, { patient: true }));
    try {
      const agent = name();
      const decisions = await Promise.all(
        clients.flatMap((by, i) =>
          Array.from({ length: 12 }, (_, n) =>
            // The paths that write decisions: group commit, transactions under an Idempotency-Key, and batches.
            n % 3 === 0
              ? inBatch(by, call(agent), `${i}-${n}`)
              : ask(by, call(agent), n % 3 === 1 ? { 'idempotency-key': `one-${i}-${n}` } : {}),
          ),
        ),
      );
      const allowed = decisions.filter(({ verdict }) => verdict === 'ALLOW');
      expect(allowed, JSON.stringify(decisions.find(({ verdict }) => verdict === undefined))).to.have.lengthOf(LIMIT);
      expect(new Set(allowed.map(({ budgets }) => budgets[0].left)).size, 'each charge is seen by the next').to.equal(
        LIMIT,
      );
      // Some are given back by several services at once, and exactly so many are permitted again.
      const back = allowed.slice(0, 5);
      const reports = await Promise.all(
        back.flatMap(({ decision_id: id }) => clients.map((by) => report(id, 'not_carried_out', by))),
      );
      expect(new Set(reports.map(({ status }) => status))).to.deep.equal(new Set([200]));
      const again = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(clients[n % 8] as Client, call(agent))));
      expect(again.filter(({ verdict }) => verdict === 'ALLOW')).to.have.lengthOf(5);
    } finally {
      for (const by of clients) by.close();
      await Promise.all(others.map((one) => one.close()));
    }
  });

  it('do not hold up decisions without budgets while one is locked', async () => {
    const agent = name();
    await ask(client, call(agent));
    await service.db
      .transaction(async (sql) => {
        await sql.query("SELECT id FROM budget_use WHERE name = 'calls' FOR UPDATE", []);
        const waiting = ask(client, call(agent));
        for (let n = 0; n < 20; n += 1)
          expect((await ask(client, { agent_id: agent, intent: 'read:free/a' })).verdict).to.equal('ALLOW');
        return { waiting };
      })
      .then(async ({ waiting }) => expect((await waiting).verdict).to.equal('ALLOW'));
  });

  it('leave nothing half when a writer is killed between its statements', async () => {
    const agent = name();
    await ask(client, call(agent));
    const before = await left(agent);
    const count = async () => (await service.rows('SELECT FROM decision WHERE agent_id = $1', [agent])).length;
    const stored = await count();
    await service.db.transaction(async (sql) => {
      // The decision is inserted, its charge waits.
      await sql.query('LOCK TABLE budget_charge IN ACCESS EXCLUSIVE MODE', []);
      const answer = client.post('/v1/enforce', call(agent));
      await waitFor(
        async () =>
          (
            await service.rows(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'WITH charged AS%' AND datname = current_database()",
            )
          ).length > 0,
        { what: 'the writer to wait for its charge, and to be killed' },
      );
      expect((await answer).json.code).to.equal('E6002');
    });
    expect(await count()).to.equal(stored);
    expect(await left(agent)).to.equal(before);
  });

  it('are charged once for a repeat, and a repeat of what was given back does not stand', async () => {
    const agent = name();
    const headers = { 'idempotency-key': `repeat-${agent}` };
    const first = await client.post('/v1/enforce', call(agent), { headers });
    expect((await client.post('/v1/enforce', call(agent), { headers })).text).to.equal(first.text);
    expect(await chargesOf(first.json.decision_id)).to.have.lengthOf(1);
    expect((await report(first.json.decision_id, 'not_carried_out')).status).to.equal(200);
    expect((await client.post('/v1/enforce', call(agent), { headers })).json.code).to.equal('E5004');
    const read = await client.get(`/v1/decisions/${first.json.decision_id}`);
    expect(read.json).to.include({ stands: false, stands_reason: 'not_carried_out' });
  });

  it('are charged by an approved ESCALATE once, and by no ESCALATE or dry run', async () => {
    const agent = name();
    const asked = { agent_id: agent, intent: 'read:asked/a' };
    await ask(service.admin, { ...asked, dry_run: true });
    const approvalId = await escalate(client, asked);
    expect((await approve(service.admin, approvalId)).status).to.equal(200);
    const used = await ask(client, { ...asked, approval_id: approvalId });
    expect([used.verdict, used.budgets[0].left]).to.deep.equal(['ALLOW', 0]);
    expect(await chargesOf(used.decision_id)).to.have.lengthOf(1);
    expect((await ask(client, { ...asked, approval_id: approvalId })).decision_id).to.equal(used.decision_id);
    // Without room the rule does not count; the ESCALATE and its approval decide.
    const second = await escalate(client, asked);
    await approve(service.admin, second);
    const over = await ask(client, { ...asked, approval_id: second });
    expect([over.verdict, over.budgets[0].left]).to.deep.equal(['ALLOW', 0]);
    expect(await chargesOf(over.decision_id)).to.have.lengthOf(0);
  });

  it('are charged by submitted intents, and by AuthZEN evaluations', async () => {
    const agent = name();
    const { json } = await client.post('/v1/intents', { agentId: agent, action: 'read', resource: 'calls/a' });
    await both.worker.evaluate(json.intentId);
    expect(await left(agent)).to.equal(LIMIT - 2);
    const evaluation = await client.post('/access/v1/evaluation', {
      subject: { type: 'agent', id: agent },
      action: { name: 'read' },
      resource: { type: 'calls', id: 'a' },
    });
    expect(evaluation.json.decision, evaluation.text).to.equal(true);
    expect(await left(`agent:${agent}`)).to.equal(LIMIT - 2);
  });

  it('are charged once for an AuthZEN evaluation that is repeated under its Idempotency-Key', async () => {
    const agent = name();
    const asked = {
      subject: { type: 'agent', id: agent },
      action: { name: 'read' },
      resource: { type: 'calls', id: 'a' },
    };
    for (const [path, body] of [
      ['/access/v1/evaluation', asked],
      ['/access/v1/evaluations', { evaluations: [asked] }],
    ] as const) {
      const before = await left(`agent:${agent}`);
      const headers = { 'idempotency-key': name() };
      for (let n = 0; n < 3; n += 1) expect((await client.post(path, body, { headers })).status).to.equal(200);
      expect(await left(`agent:${agent}`)).to.equal(before - 1);
    }
  });

  it('are gauged by the share of their fullest count', async () => {
    const agent = name();
    for (let n = 0; n < LIMIT; n += 1) await ask(client, call(agent));
    const shares = await readBudgetShares(service.db);
    expect(shares.find(({ budget: one }) => one === 'calls')).to.deep.equal({
      organisation: 'default',
      environment: 'live',
      budget: 'calls',
      share: 1,
    });
  });

  it('are explained with their present use', async () => {
    const agent = name();
    await ask(client, call(agent));
    const { explanation } = await ask(service.admin, { ...call(agent), dry_run: true, explain: true });
    const own = explanation.find((one: { rule: string }) => one.rule === 'calls');
    expect(own.budget).to.deep.equal({ name: 'calls', window: '1h', limit: LIMIT, used: 1, amount: 1 });
  });

  describe('an outcome', () => {
    it('is stored once, gives back only what was not carried out, and is a record on the chain of the agent', async () => {
      const agent = name();
      const { decision_id: id } = await ask(client, call(agent));
      const first = await client.post(`/v1/decisions/${id}/outcome`, { outcome: 'failed', detail: 'refused' });
      expect(first.json).to.include({ decisionId: id, outcome: 'failed', detail: 'refused' });
      expect((await report(id, 'failed')).json).to.deep.equal(first.json);
      expect((await report(id, 'not_carried_out')).json.code).to.equal('E5002');
      expect(await left(agent)).to.equal(LIMIT - 2);
      await both.worker.append();
      const { items } = (await service.admin.get(`/v1/proofs?entityId=${agent}&event=custos.outcome`)).json;
      expect(items).to.have.lengthOf(1);
    });

    it('gives nothing back of a longer window than the count has now: its bucket may be that of others', async () => {
      const [earlier, now] = [name(), name()];
      for (const [agent, windowMs, before] of [
        [earlier, 1_800_000, LIMIT - 1],
        [now, 3_600_000, LIMIT],
      ] as const) {
        const { decision_id: id } = await ask(client, call(agent));
        await asSuperuser(service.db, async (sql) => {
          const [row] = await sql.query<BudgetUseRow>(`SELECT ${BUDGET_USE} FROM budget_use u WHERE ${OF_AGENT}`, [
            agent,
          ]);
          if (row === undefined) throw new Error('there is no such count');
          const seal = useSeal(sql.seals, { ...row, window_ms: windowMs });
          await sql.query(`UPDATE budget_use SET window_ms = $2, count_seal = $3 WHERE ${OF_AGENT}`, [
            agent,
            windowMs,
            seal,
          ]);
        });
        await report(id, 'not_carried_out');
        expect((await chargesOf(id)).map((charge) => charge.given_back)).to.deep.equal([true]);
        // The question whether something is left counts itself.
        expect(await left(agent)).to.equal(before - 1);
      }
    });

    it('is reported by the key that asked, or its rotation, and by no other', async () => {
      const asking = await service.addKey();
      const by = service.admin.withKey(asking.key);
      const { decision_id: id } = await ask(by, call(name()));
      for (const other of [client, service.admin])
        expect((await report(id, 'done', other)).json.code).to.equal('E4001');
      const rotated = await service.admin.post(`/v1/auth/keys/${asking.keyId}/rotate`, { overlap: '1h' });
      expect((await report(id, 'done', service.admin.withKey(rotated.json.key))).status).to.equal(200);
    });

    it('is refused for a decision that permits nothing, and for one that does not exist', async () => {
      const { decision_id: id } = await ask(client, { agent_id: name(), intent: 'read:closed/a' });
      expect((await report(id, 'done')).json.code).to.equal('E5002');
      expect((await report('dec_01jq3k00000000000000000000', 'done')).json.code).to.equal('E4001');
      expect((await report(id, 'perhaps')).json.code).to.equal('E2001');
    });
  });

  describe("whose rows somebody else writes with the service's role", () => {
    /** An agent with a used-up budget. */
    const usedUp = async (): Promise<{ agent: string; decisionIds: string[] }> => {
      const agent = name();
      const asked = await Promise.all(Array.from({ length: LIMIT }, () => ask(client, call(agent))));
      expect(asked.map(({ verdict }) => verdict)).to.deep.equal(Array.from({ length: LIMIT }, () => 'ALLOW'));
      return { agent, decisionIds: asked.map((one) => one.decision_id) };
    };
    const write = (text: string, values: unknown[] = []): Promise<object[]> => service.db.query(text, values);
    const isClosed = async (agent: string): Promise<void> => {
      expect(gist(await ask(client, call(agent)))).to.deep.equal(['DENY', 'BUDGET_EXCEEDED']);
    };

    it('refuses to delete them, to rename them, to count less in them, and to make used ones', async () => {
      const { agent, decisionIds } = await usedUp();
      const changes = [
        `DELETE FROM budget_use WHERE ${OF_AGENT}`,
        `UPDATE budget_use SET buckets = '{}', used = 0 WHERE ${OF_AGENT}`,
        `UPDATE budget_use SET window_ms = 1 WHERE ${OF_AGENT}`,
        `UPDATE budget_use SET expires_at = now() - interval '2 days', version = version + 1 WHERE ${OF_AGENT}`,
        ...['organisation_id', 'environment', 'name'].map(
          (column) => `UPDATE budget_use SET ${column} = ${column} || 'x', version = version + 1 WHERE ${OF_AGENT}`,
        ),
        `UPDATE budget_use SET counted_for_digest = sha256('x'), version = version + 1 WHERE ${OF_AGENT}`,
        `UPDATE budget_use SET created_at = now(), version = version + 1 WHERE ${OF_AGENT}`,
        `UPDATE budget_use SET version = 0, count_seal = NULL, buckets = '{}' WHERE ${OF_AGENT}`,
        `UPDATE budget_use SET version = version + 1, count_seal = NULL, buckets = '{}' WHERE ${OF_AGENT}`,
        ...['version = 1', "created_at = now() - interval '1 hour'", "buckets = '{1,1}'"].map((change) => {
          const [column, value] = change.split(' = ');
          return `INSERT INTO budget_use (organisation_id, environment, name, counted_for, counted_for_digest, window_ms, limit_amount, expires_at, ${column})
            SELECT organisation_id, environment, 'other', counted_for, counted_for_digest, window_ms, limit_amount, expires_at, ${value} FROM budget_use WHERE ${OF_AGENT}`;
        }),
      ];
      for (const change of changes) {
        const error = await write(change, [agent]).catch((reason: unknown) => reason);
        expect((error as { code?: string }).code, change).to.equal('23000');
      }
      for (const change of ['given_back = true, amount = 2', "charge_seal = sha256('x')", 'charge_seal = NULL']) {
        const error = await write(`UPDATE budget_charge SET ${change} WHERE decision_id = $1`, [decisionIds[0]]).catch(
          (reason: unknown) => reason,
        );
        expect((error as { code?: string }).code, change).to.equal('23000');
      }
      await isClosed(agent);
    });

    it('leaves no room in a count that the service has not written as it is, and counts the refusal', async () => {
      const { agent } = await usedUp();
      await write(
        `UPDATE budget_use SET version = version + 1, buckets = '{}', count_seal = sha256('x') WHERE ${OF_AGENT}`,
        [agent],
      );
      await isClosed(agent);
      expect(await left(agent)).to.equal(0);
      const samples = readExposition((await service.admin.get('/metrics', { check: false })).text).get(
        'custos_refused_rows_total',
      )?.samples;
      expect(samples?.find(({ labels }) => labels['table'] === 'budget_use')?.value).to.be.above(0);
      expect((await checkSealedRows(service.db)).refused).to.deep.include.members([
        { table: 'budget_use', id: [await idOf(agent)], missing: false },
      ]);
    });
    const idOf = async (agent: string): Promise<string> => {
      const [row] = await service.rows<{ id: string }>(`SELECT id FROM budget_use WHERE ${OF_AGENT}`, [agent]);
      return row?.id ?? '';
    };

    it('leaves no room in a count that was put back to an earlier state with its seal', async () => {
      const agent = name();
      await ask(client, call(agent));
      const [earlier] = await service.rows<{ buckets: string[]; count_seal: Buffer }>(
        `SELECT buckets, count_seal FROM budget_use WHERE ${OF_AGENT}`,
        [agent],
      );
      for (let asked = 1; asked < LIMIT; asked += 1) await ask(client, call(agent));
      await isClosed(agent);
      await write(
        `UPDATE budget_use SET version = version + 1, buckets = $2::bigint[], count_seal = $3 WHERE ${OF_AGENT}`,
        [agent, `{${earlier?.buckets.join()}}`, earlier?.count_seal],
      );
      await isClosed(agent);
    });

    it('gives back no charge that it has not written, and none twice', async () => {
      const { agent, decisionIds } = await usedUp();
      const [one = '', two = ''] = decisionIds;
      await write(
        `INSERT INTO budget_charge SELECT $1, budget_use_id + 1000000, 30000000, ends_at_ms, expires_at, false, charge_seal
          FROM budget_charge WHERE decision_id = $1`,
        [one],
      );
      await asSuperuser(service.db, (sql) =>
        sql.query('UPDATE budget_charge SET amount = 30000000 WHERE decision_id = $1', [one]),
      );
      expect((await report(one, 'not_carried_out')).status).to.equal(200);
      await isClosed(agent);
      expect((await report(two, 'not_carried_out')).status).to.equal(200);
      await write('DELETE FROM decision_outcome WHERE decision_id = $1', [two]);
      expect((await report(two, 'not_carried_out')).status).to.equal(200);
      expect(await left(agent)).to.equal(0);
      expect((await ask(client, call(agent))).verdict).to.equal('ALLOW');
      await isClosed(agent);
    });

    it('goes on with counts and charges of before there were seals', async () => {
      const { agent, decisionIds } = await usedUp();
      await asSuperuser(service.db, async (sql) => {
        await sql.query(`UPDATE budget_use SET version = 0, count_seal = NULL WHERE ${OF_AGENT}`, [agent]);
        await sql.query('UPDATE budget_charge SET charge_seal = NULL WHERE decision_id = ANY ($1)', [decisionIds]);
      });
      await isClosed(agent);
      expect((await report(decisionIds[0] ?? '', 'not_carried_out')).status).to.equal(200);
      expect((await ask(client, call(agent))).verdict).to.equal('ALLOW');
      await isClosed(agent);
    });
  });

  it('are forgotten when their charges have left the window, and no sooner', async () => {
    const agent = name();
    const { decision_id: id } = await ask(client, call(agent));
    const run = forgetBudgets.handler({ db: service.db, deletionMs: service.nowMs });
    await run({ v: 1 });
    expect(await chargesOf(id)).to.have.lengthOf(1);
    await asSuperuser(service.db, async (sql) => {
      await sql.query("UPDATE budget_charge SET expires_at = now() - interval '1 second' WHERE decision_id = $1", [id]);
      await sql.query("UPDATE budget_use SET expires_at = now() - interval '25 hours' WHERE name = 'calls'", []);
    });
    await run({ v: 1 });
    expect(await chargesOf(id)).to.have.lengthOf(0);
    expect(await service.rows("SELECT FROM budget_use WHERE name = 'calls'")).to.have.lengthOf(0);
    // The count is created again, although this process has kept the id of the deleted one.
    expect((await ask(client, call(agent))).budgets[0].left).to.equal(LIMIT - 1);
  });

  it('leave records from which every decision can be evaluated again', async () => {
    await both.worker.append();
    const verifier = createStoredVerifier({
      store: createEvidenceStore({ db: service.db }),
    });
    const rows = await service.rows<{ decision_id: string }>('SELECT decision_id FROM decision');
    expect(rows.length).to.be.above(100);
    for (const { decision_id: id } of rows) {
      const found = await verifier.byId(id);
      expect(found?.status, `${id}: ${found?.sentence}`).to.equal('verified');
    }
  });
});
