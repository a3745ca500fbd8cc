// Every list of the API with each of its filters, taken from the routes: a page reads a few rows of large tables, whoever asks.
import { expect } from 'chai';
import { lowestId } from '../../shared/kernel/ids.ts';
import { memberOf } from '../../shared/kernel/json.ts';
import type { Client } from '../support/client.ts';
import { recordStatements } from '../support/recorded-statements.ts';
import { rowsRead } from '../support/rows-read.ts';
import { type Service, startService } from '../support/service.ts';
import { storePlainRecords } from '../support/stored-records.ts';

const MANY = 20_000;
/** Rows and index entries that a page of 51 may read, with those that it joins. */
const MOST_READ = 600;
const HOUR_MS = 3_600_000;

/** Lists of tables that this test fills. */
const LARGE = [
  '/v1/intents',
  '/v1/decisions',
  '/v1/approvals',
  '/v1/webhooks/{webhookId}/deliveries',
  '/v1/policies/activations',
] as const;
/** The others, and why they are not filled. */
const SMALL: Readonly<Record<string, string>> = {
  '/v1/agents':
    'one index for each of its filters, which are all combinations of columns that are compared for equality',
  '/v1/auth/keys': 'no filter',
  '/v1/proofs': 'lists-leaves.test.ts',
  '/v1/proofs/chain/{entityId}': 'no filter',
  '/v1/log/checkpoints': 'no filter',
  '/v1/policies/approvals': 'no filter',
  '/v1/resources': 'no filter',
  '/v1/tools': 'the policy set in memory',
  '/v1/trust/{agentId}/history':
    'a span of time long ago reads the changes of this one agent since; docs/scale.md says so',
};

/** What each filter is asked for: something usual, something rare and something that there is not. Enumerations are asked for every value. */
const VALUES: Readonly<Record<string, (at: (second: number) => string) => readonly string[]>> = {
  agentId: () => ['agent-7', 'nobody'],
  reason: () => ['TRUST_TOO_LOW', 'NONE'],
  requestId: () => ['caller-7', 'nobody', lowestId('req', 0)],
  toolServer: () => ['usual', 'nobody'],
  toolName: () => ['tool-4', 'nothing'],
  from: (at) => [at(60)],
  to: (at) => [at(60), at(-60)],
};
/** Keys for which a list may read more: docs/scale.md says so. */
const EXCEPT: Readonly<Record<string, readonly string[]>> = {
  '/v1/decisions': ['a key that has asked nothing', 'a rotated key that has asked little'],
};
/** Filters that need another one. */
const NEEDS: Readonly<Record<string, string>> = { toolName: 'toolServer=usual' };

describe('every list in large tables', () => {
  let service: Service;
  let firstMs: number;
  let clients: Record<string, Client>;
  let webhookId: string;
  before(async () => {
    service = await startService();
    await service.admin.post('/v1/enforce', { intent: 'data.read.user_profile', agent_id: 'a', trust_level: 7 });
    await storePlainRecords(service.db);
    const usual = await service.addKey();
    const { key: rare } = await service.addKey();
    const old = await service.addKey();
    // Rotated: its line has two keys.
    const { key: rotated } = (
      await service.admin.withKey(service.adminKey).post(`/v1/auth/keys/${old.keyId}/rotate`, {})
    ).json;
    clients = {
      'an administrator': service.admin,
      'the key that has asked most': service.admin.withKey(usual.key),
      'a key that has asked nothing': service.admin.withKey(rare),
      'a rotated key that has asked little': service.admin.withKey(rotated),
      'a key of one agent': await service.client({ scopes: ['admin:*'], agentIds: ['agent-7'] }),
      'a key of some agents that has asked nothing': await service.client({ agentIds: ['agent-7', 'agent-8', 'none'] }),
    };
    const webhook = { url: 'https://example.com/hook', events: ['approval.opened'] };
    webhookId = (await service.admin.post('/v1/webhooks', webhook)).json.webhookId;
    const own = service.operatorId;
    firstMs = Math.floor(service.nowMs() / 1_000) * 1_000 - HOUR_MS - MANY * 1_000;
    const ids = (prefix: 'dec' | 'int' | 'apr'): string[] =>
      Array.from({ length: MANY }, (_, n) => lowestId(prefix, firstMs + n * 1_000));
    const key = 'CASE WHEN n = 3 THEN $3 ELSE $4 END';
    await service.rows(
      `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, proof_id, process_id, record, request_id, tool_server, tool_name, reasons)
       SELECT id, organisation_id, environment, 'agent-' || n % 500, ${key}, CASE WHEN n % 5000 = 0 THEN 'DEGRADE' WHEN n % 10 = 0 THEN 'DENY' ELSE 'ALLOW' END,
         to_timestamp(($2::float8 + (n - 1) * 1000) / 1000), 'prf' || substr(id, 4), process_id, record, 'caller-' || n, CASE WHEN n % 2 = 0 THEN 'usual' END,
         CASE WHEN n % 2 = 0 THEN 'tool-' || n % 20 END, CASE WHEN n % 10 = 0 THEN 'TRUST_TOO_LOW' END
       FROM unnest($1::text[]) WITH ORDINALITY AS made (id, n), decision WHERE agent_id = 'a'`,
      [ids('dec'), firstMs, old.keyId, usual.keyId],
    );
    await service.rows(
      `INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, status, decision_id, submitted_at, updated_at, submission_seal)
       SELECT $2, 'live', id, 'agent-' || n % 500, ${key}, 'read', 'x', CASE WHEN n % 5000 = 0 THEN 'waiting_approval' ELSE 'decided' END, CASE WHEN n % 5000 = 0 THEN NULL ELSE 'none' || n END, now(), now(), 'x'
       FROM unnest($1::text[]) WITH ORDINALITY AS made (id, n)`,
      [ids('int'), own, old.keyId, usual.keyId],
    );
    await service.rows(
      `INSERT INTO webhook_delivery (endpoint_id, message_id, type, subject, payload, state, created_at)
       SELECT $1, 'm' || n, 'approval.opened', 's', '{}', CASE WHEN n % 5000 = 1 THEN 'failed' ELSE 'delivered' END, now() FROM generate_series(1, $2::int) n`,
      [webhookId, MANY],
    );
    const other = await service.addOrganisation('other');
    await service.rows('ALTER TABLE policy_activation DISABLE TRIGGER USER');
    await service.rows(
      `INSERT INTO policy_activation (digest, activated_at, organisation_id, seal)
       SELECT digest, activated_at, $1, seal FROM policy_activation, generate_series(1, $2::int)`,
      [other, MANY],
    );
    await service.rows('ALTER TABLE policy_activation ENABLE TRIGGER USER');
    clients['an administrator of another organisation'] = await service.client({
      organisationId: await service.addOrganisation('third'),
      scopes: ['admin:*'],
    });
    // Without seals, so that the service shows none of them.
    await service.rows(
      `INSERT INTO approval (organisation_id, environment, approval_id, state, agent_id, key_id, digest, decision_id, created_at, expires_at, decided_at, decided_by, reason)
       SELECT $2, 'live', id, CASE WHEN n % 5000 = 0 THEN 'pending' WHEN n % 5000 = 1 THEN 'rejected' ELSE 'expired' END, 'agent-' || n % 500, 'k', encode(sha256(n::text::bytea), 'hex'),
         'dec' || substr(id, 4), now(), now() + interval '1 day', CASE WHEN n % 5000 = 1 THEN now() END, 'x', 'x'
       FROM unnest($1::text[]) WITH ORDINALITY AS made (id, n)`,
      [ids('apr'), own],
    );
    for (const table of ['approval', 'decision', 'intent', 'webhook_delivery', 'policy_activation'])
      await service.rows(`ANALYZE ${table}`);
  });
  after(() => service?.close());

  /** Query parameters of every list, beside those of pages, with the values of enumerations. */
  const lists = (): { path: string; filters: [name: string, values: readonly string[]][] }[] => {
    const at = (second: number): string => new Date(firstMs + second * 1_000).toISOString();
    return service.ingress.routes.flatMap(({ method, path, request, responses }) => {
      const answer = memberOf(memberOf(responses[200], 'schema'), 'properties');
      if (method !== 'GET' || memberOf(answer, 'nextCursor') === undefined || request?.query === undefined) return [];
      const { limit: _, cursor: __, ...filters } = memberOf(request.query, 'properties') as Record<string, object>;
      const valuesOf = (name: string, schema: object): readonly string[] => {
        const values = memberOf(schema, 'enum') ?? VALUES[name]?.(at);
        if (!Array.isArray(values)) throw new Error(`${path}: what is ${name} asked for?`);
        return values as string[];
      };
      const isLarge = (LARGE as readonly string[]).includes(path);
      return [
        { path, filters: isLarge ? Object.entries(filters).map(([name, one]) => [name, valuesOf(name, one)]) : [] },
      ];
    });
  };

  it('is filled here, or it is said why not', () => {
    expect(
      lists()
        .map(({ path }) => path)
        .sort(),
    ).to.deep.equal([...LARGE, ...Object.keys(SMALL)].sort());
  });

  /** The statements of a request that read more than a page may. */
  const excess = async (client: Client, url: string): Promise<string[]> => {
    const statements = await recordStatements(async () => {
      await client.get(url);
    });
    // Rows without a seal let the service read on, page by page with the same statement.
    const selects = new Map(statements.filter(({ text }) => text.startsWith('SELECT')).map((one) => [one.text, one]));
    const found: string[] = [];
    for (const { text, values } of selects.values()) {
      // oxlint-disable-next-line no-await-in-loop -- statements of one connection
      const read = await rowsRead(service.db.transaction, (sql) => sql.query(text, values));
      if (read > MOST_READ) found.push(`${url}: ${read} rows by ${text.slice(0, 400)}`);
    }
    return found;
  };

  for (const path of LARGE)
    it(`${path} reads a page, by each filter and for each key`, async () => {
      const list = lists().find((one) => one.path === path);
      const filters = list?.filters ?? [];
      const queries = [
        '',
        ...filters.flatMap(([name, values]) =>
          values.map((value) =>
            [NEEDS[name], `${name}=${encodeURIComponent(value)}`].filter((one) => one !== undefined).join('&'),
          ),
        ),
      ];
      const found: string[] = [];
      for (const [who, client] of Object.entries(clients))
        for (const query of EXCEPT[path]?.includes(who) === true ? [] : queries) {
          const url = `${path.replace('{webhookId}', webhookId)}?${query}`;
          // oxlint-disable-next-line no-await-in-loop -- recorded one by one
          found.push(...(await excess(client, url)).map((one) => `${who}: ${one}`));
        }
      expect(found).to.deep.equal([]);
    });

  it('/v1/webhooks/{webhookId}/deliveries has all of them, newest first, also where their numbers get longer', async () => {
    const [{ last } = { last: 0 }] = await service.rows<{ last: number }>(
      'SELECT max(seq)::int AS last FROM webhook_delivery',
    );
    // The rows around the number 10,000.
    let cursor = Buffer.from(String(10_100)).toString('base64url');
    const found: string[] = [];
    for (let page = 0; page < 4; page += 1) {
      const url = `/v1/webhooks/${webhookId}/deliveries?limit=50&cursor=${cursor}`;
      // oxlint-disable-next-line no-await-in-loop -- each page names the next
      const { json } = await service.admin.get(url);
      found.push(...json.items.map(({ deliveryId }: { deliveryId: string }) => deliveryId));
      cursor = json.nextCursor;
    }
    const first = 10_099 - last + MANY;
    expect(found).to.deep.equal(Array.from({ length: 200 }, (_, n) => `m${first - n}`));
  });
});
