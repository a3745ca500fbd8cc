// Fills an embedded server with millions of decisions and measures every route behind the dashboard's pages.
// Usage: npm run build && node dist/bench/dashboard-pages.js [--decisions 10000000] [--rounds 40]; ten million need 20 GB of disk.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { newId } from '../shared/kernel/ids.ts';
import { startService } from './processes.ts';

const DAYS = 30;
const BATCH = 50_000;
const GOAL_MS = 500;

/** Values of row `n`: a tenth is not ALLOW, two fifths are tool calls, one agent made a third, and a few values are very rare. */
const VALUES = `SELECT n,
    CASE WHEN n % 3 = 0 THEN 'deploy-bot' ELSE 'agent-' || (n::bigint * 7919) % 500 END AS agent,
    CASE WHEN n % 10 <> 4 THEN 'ALLOW' WHEN n % 100 = 14 THEN 'ESCALATE' WHEN n % 200 = 24 THEN 'DEGRADE' ELSE 'DENY' END AS verdict,
    CASE WHEN n % 10 <> 4 THEN NULL WHEN n % 1000000 = 499984 THEN 'NEEDLE TRUST_TOO_LOW'
      ELSE (ARRAY['APPROVAL_NEEDED TRUST_TOO_LOW', 'TRUST_TOO_LOW', 'RISK_HIGH', 'PRODUCTION_PROTECTED TRUST_TOO_LOW', 'TOOL_UNKNOWN'])[1 + (n / 10) % 5] END AS reasons,
    CASE WHEN n % 1000003 = 1000 THEN 'rare' WHEN n % 5 < 2 THEN 'server-' || n % 4 END AS server,
    CASE WHEN n % 1000003 = 1000 THEN 'rare_tool' WHEN n % 5 < 2 THEN 'tool_' || (n / 5) % 12 END AS tool
  FROM generate_series($3::int, $3::int + cardinality($1::text[]) - 1) AS n`;

/** A record with the members that pages read, narrower than those of the service. */
const RECORD = `'{"agentId":"' || v.agent || '","eventType":"custos.decision","occurredAt":"' || at || '","payload":{"body":{"agent_id":"' || v.agent
    || '","allowed":' || (v.verdict IN ('ALLOW', 'DEGRADE')) || ',"decision_id":"' || id || '","evaluated_at":"' || at || '","expires_at":"' || at
    || '","intent":{"action":"read","domain":"data","effect":"read","normalized":"data.read.table_' || v.n % 1000 || '","parsed":false,"resource":"data/table_' || v.n % 1000
    || '","risk":{"factors":[],"level":"low","score":0},"traits":[],"verb":"read"},"key_id":"benchkey","obligations":[],"policy_set":{"digest":"bench"},"reasons":[{"code":"'
    || coalesce(split_part(v.reasons, ' ', 1), 'READ_OPEN') || '","effect":"' || v.verdict || '","message":"a rule of the benchmark","policy":"bench","rule":"bench"}],"request_id":"req'
    || substr(id, 4) || '"' || coalesce(',"tool":{"changed":false,"known":true,"name":"' || v.tool || '","server":"' || v.server || '"}', '')
    || ',"trust":{"as_of":{"day":"2026-01-01","signals":0},"claimed_level":null,"effective_level":1,"recorded_level":1,"score":250,"uncertainty":1},"verdict":"' || v.verdict
    || '"},"environment":"live","organisation":"default","proofId":"prf' || substr(id, 4) || '"}'`;

const FILL = `WITH made AS (
    INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, proof_id, process_id, record, request_id, tool_server, tool_name, reasons)
    SELECT id, $4, 'live', v.agent, 'benchkey', v.verdict, at::timestamptz, 'prf' || substr(id, 4), 'bench', convert_to(${RECORD}, 'UTF8'), 'req' || substr(id, 4), v.server, v.tool, v.reasons
    FROM (${VALUES}) AS v JOIN unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (id, at, place) ON v.n = $3::int + place - 1
    ORDER BY v.n
    RETURNING verdict, evaluated_at
  )
  INSERT INTO decision_count (organisation_id, environment, seconds, start_at, allow, deny, escalate, degrade)
  SELECT $4, 'live', seconds, date_bin(make_interval(secs => seconds), evaluated_at, 'epoch'),
    count(*) FILTER (WHERE verdict = 'ALLOW'), count(*) FILTER (WHERE verdict = 'DENY'), count(*) FILTER (WHERE verdict = 'ESCALATE'), count(*) FILTER (WHERE verdict = 'DEGRADE')
  FROM made CROSS JOIN unnest(ARRAY[10, 60, 3600]) AS seconds GROUP BY 3, 4
  ON CONFLICT (organisation_id, environment, seconds, start_at) DO UPDATE SET allow = decision_count.allow + excluded.allow, deny = decision_count.deny + excluded.deny,
    escalate = decision_count.escalate + excluded.escalate, degrade = decision_count.degrade + excluded.degrade`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function fill(client: pg.Client, decisions: number): Promise<void> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM organisation LIMIT 1');
  const firstMs = Date.now() - DAYS * 86_400_000;
  const stepMs = (DAYS * 86_400_000) / decisions;
  for (let from = 0; from < decisions; from += BATCH) {
    const times = Array.from({ length: Math.min(BATCH, decisions - from) }, (_, i) =>
      Math.floor(firstMs + (from + i) * stepMs),
    );
    const ids = times.map((ms) => newId('dec', ms)).sort();
    // Ids of one millisecond have no order, so their times are those of the sorted ids.
    const at = times.map((ms) => new Date(ms).toISOString());
    await client.query(FILL, [ids, at, from, rows[0]?.id]);
    if ((from / BATCH) % 20 === 19) say(`${(from + BATCH).toLocaleString('en')} decisions`);
  }
  await client.query('VACUUM (ANALYZE) decision');
}

interface Measured {
  readonly p50: number;
  readonly p99: number;
}

type Get = (path: string) => Promise<unknown>;

async function signIn(address: string, key: string): Promise<Get> {
  const own = { 'x-custos-dashboard': '1' };
  const answer = await fetch(`${address}/dashboard/api/session`, {
    method: 'POST',
    headers: { ...own, 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  return async (path) => {
    const response = await fetch(`${address}/dashboard/api${path}`, { headers: { ...own, cookie } });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
}

/** The values of each round differ, so that no cache answers. */
function routesOf(
  deep: string,
  proofs: readonly string[],
): readonly (readonly [name: string, path: (round: number) => string])[] {
  const q = (text: string): string => encodeURIComponent(text);
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString();
  const searches: readonly (readonly [string, (n: number) => string])[] = [
    ['all', () => ''],
    ['a small agent', (n) => `agent:agent-${n}`],
    ['the busiest agent', () => 'agent:deploy-bot'],
    ['ALLOW', () => 'verdict:allow'],
    ['DENY', () => 'verdict:deny'],
    ['a usual reason', () => 'reason:TRUST_TOO_LOW'],
    ['a rare reason', () => 'reason:NEEDLE'],
    ['a usual tool', (n) => `tool:tool_${n % 12}`],
    ['a rare tool', () => 'tool:rare_tool'],
    ['DENY of an agent', (n) => `agent:agent-${n} verdict:deny`],
    ['a rare reason of an agent', () => 'agent:deploy-bot verdict:deny reason:NEEDLE'],
    ['ESCALATE of the busiest agent', () => 'agent:deploy-bot verdict:escalate'],
    ['an intent', (n) => `intent:data.read.table_${n}`],
    ['a word that nothing has', () => 'nothing-has-this-word'],
    ['without ALLOW', () => '-verdict:allow'],
  ];
  return [
    ['overview', () => '/overview'],
    ...searches.map(
      ([name, text]) => [`decisions: ${name}`, (n: number) => `/decisions/search?q=${q(text(n))}`] as const,
    ),
    ['decisions: a deep page', () => `/decisions/search?cursor=${deep}`],
    ['decisions: a deep page of DENY', () => `/decisions/search?q=verdict%3Adeny&cursor=${deep}`],
    ['decisions: a day three weeks ago', (n) => `/decisions/search?q=agent%3Aagent-${n}&from=${day(22)}&to=${day(21)}`],
    ...searches.map(
      ([name, text]) =>
        [`histogram of 24 h: ${name}`, (n: number) => `/decisions/histogram?q=${q(text(n))}&from=${day(1)}`] as const,
    ),
    ['histogram of all', () => '/decisions/histogram'],
    ['histogram of all: the busiest agent', () => '/decisions/histogram?q=agent%3Adeploy-bot'],
    ['histogram of all: a usual reason', () => '/decisions/histogram?q=reason%3ATRUST_TOO_LOW'],
    ['suggested reasons', () => '/decisions/suggestions?field=reason'],
    ['suggested tools', () => '/decisions/suggestions?field=tool&prefix=rare'],
    ['newer decisions', () => `/decisions/newer?after=${Buffer.from(deep, 'base64url').toString()}`],
    ['API: decisions by reason', () => '/v1/decisions?reason=NEEDLE'],
    ['agents', () => '/agents'],
    ['approvals that wait', () => '/approvals/waiting'],
    ['all approvals', () => '/v1/approvals'],
    ['receipt of a decision', (n) => `/v1/proofs/${proofs[n % proofs.length]}`],
    ['audit', () => '/audit/logs'],
    ['operator trail', () => '/audit/actions'],
    ['dead jobs', () => '/dead-jobs'],
  ];
}

async function measure(get: Get, path: (round: number) => string, rounds: number): Promise<Measured> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    // One after the other, as one person reads pages.
    await get(path(round));
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { decisions: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '40' } },
  });
  const [decisions, rounds] = [Number(values.decisions), Number(values.rounds)];
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code));
  const service = await startService(10);
  const client = new pg.Client({ connectionString: service.databaseUrl });
  try {
    const address = `http://127.0.0.1:${service.port}`;
    const proofs: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      const answer = await fetch(`${address}/v1/enforce`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ intent: 'data.read.user_profile', agent_id: `agent-${n}` }),
      });
      const { proof } = (await answer.json()) as { proof: { proof_id: string } };
      proofs.push(proof.proof_id);
    }
    await client.connect();
    await client.query('SET statement_timeout = 0');
    await fill(client, decisions);
    const size = await client.query<{ size: string }>(
      'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
    );
    say(`${decisions.toLocaleString('en')} decisions, ${size.rows[0]?.size}`);
    const deep = Buffer.from(newId('dec', Date.now() - 20 * 86_400_000)).toString('base64url');
    const get = await signIn(address, service.adminKey);
    let slow = 0;
    say('| route | p50 ms | p99 ms |\n|---|---|---|');
    for (const [name, path] of routesOf(deep, proofs)) {
      const found = await measure(get, path, rounds).catch((error: unknown) => String(error));
      if (typeof found === 'string' || found.p99 >= GOAL_MS) slow += 1;
      say(`| ${name} | ${typeof found === 'string' ? found : `${found.p50.toFixed(0)} | ${found.p99.toFixed(0)}`} |`);
    }
    return slow === 0 ? 0 : 1;
  } finally {
    await client.end();
    await service.stop();
  }
}

process.exitCode = await main();
