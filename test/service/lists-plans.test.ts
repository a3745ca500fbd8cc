// Query plans of lists in large tables: the cost of a page depends on its size, not on the filter (leaves: lists-leaves.test.ts).
import { expect } from 'chai';
import fc from 'fast-check';
import type { QueryTerm } from '../../shared/core/decision/query.ts';
import { createDecisionSearcher, type DecisionSearcher } from '../../shared/domain/decisions/decision-search.ts';
import { groupTerms } from '../../shared/domain/decisions/search-conditions.ts';
import { VERDICTS } from '../../shared/kernel/vocabulary.ts';
import { ACTIVITY_STATEMENTS } from '../../ingress/dashboard/agent-activity.ts';
import { actionsStatement } from '../../ingress/dashboard/operator-actions.ts';
import { TOOL_STATEMENTS } from '../../ingress/dashboard/tools.ts';
import { type DecisionFilter, listDecisions } from '../../shared/domain/decisions/decision-store.ts';
import { type IntentFilter, listIntents } from '../../shared/domain/decisions/intent-store.ts';
import { hasCode, readReasonTexts } from '../../shared/domain/decisions/known-values.ts';
import { idTimeMs, lowestId } from '../../shared/kernel/ids.ts';
import type { Statement } from '../../shared/platform/db/database.ts';
import { countingReads, rowsRead } from '../support/rows-read.ts';
import { type Service, startService } from '../support/service.ts';
import { storePlainRecords } from '../support/stored-records.ts';

const MANY = 20_000;
/** Rows and index entries that a page of 51 may read. */
const MOST_READ = 500;
const HOUR_MS = 3_600_000;

describe('lists in large tables', () => {
  let service: Service;
  /** The time of the first row: one row per second, the last one an hour ago. */
  let firstMs: number;
  const own = () => ({ organisationId: service.operatorId, environment: 'live' }) as const;

  before(async () => {
    service = await startService();
    await service.admin.post('/v1/enforce', { intent: 'data.read.user_profile', agent_id: 'a', trust_level: 7 });
    await storePlainRecords(service.db);
    firstMs = Math.floor(service.nowMs() / 1_000) * 1_000 - HOUR_MS - MANY * 1_000;
    const ids = (prefix: 'dec' | 'int'): string[] =>
      Array.from({ length: MANY }, (_, n) => lowestId(prefix, firstMs + n * 1_000));
    await service.rows(
      `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, proof_id, process_id, record, request_id, tool_server, tool_name, reasons)
       SELECT id, organisation_id, environment, 'agent-' || n % 500, key_id, CASE WHEN n % 5000 = 0 THEN 'DEGRADE' WHEN n % 10 = 0 THEN 'DENY' ELSE 'ALLOW' END,
         to_timestamp(($2::float8 + (n - 1) * 1000) / 1000), 'prf' || substr(id, 4), process_id,
         CASE WHEN n % 4000 = 0 THEN convert_to(replace(convert_from(record, 'UTF8'), '"trust":{', '"tool":{"arguments_digest":"","changed":false,"known":false,"name":"n","server":"s"},"trust":{'), 'UTF8') ELSE record END,
         CASE WHEN n % 2 = 0 THEN 'req' || substr(id, 4) ELSE 'caller-' || greatest(0, n - 10000) END,
         CASE WHEN n % 7000 = 0 THEN 'rare' WHEN n % 2 = 0 THEN 'usual' END, CASE WHEN n % 5000 = 0 THEN 'rare' WHEN n % 2 = 0 THEN 'tool-' || n % 20 END,
         CASE WHEN n % 5000 = 0 THEN 'AUDITED' WHEN n % 6010 = 10 THEN 'RARE TRUST_TOO_LOW' WHEN n % 10 = 0 THEN 'RISK_' || n % 50 || ' TRUST_TOO_LOW' END
       FROM unnest($1::text[]) WITH ORDINALITY AS made (id, n), decision WHERE agent_id = 'a'`,
      [ids('dec'), firstMs],
    );
    await service.rows(
      `INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, status, decision_id, submitted_at, updated_at, submission_seal)
       SELECT $2, 'live', id, 'agent-' || n % 500, 'k', 'read', 'x', CASE WHEN n % 5000 = 0 THEN 'waiting_approval' ELSE 'decided' END,
         CASE WHEN n % 5000 = 0 THEN NULL ELSE 'dec' || substr(id, 4) END, now(), now(), 'x'
       FROM unnest($1::text[]) WITH ORDINALITY AS made (id, n)`,
      [ids('int'), service.operatorId],
    );
    await service.rows(
      `INSERT INTO dashboard_audit (at, request_id, key_id, organisation_id, environment, address, action, subject, outcome)
       SELECT now(), 'r' || n / 2, 'k' || n % 300, CASE WHEN n <= $2 THEN $1 END, CASE WHEN n <= $2 THEN 'live' END, '127.0.0.1', 'x', '/x',
         CASE WHEN n % 2 = 0 THEN 'begun' WHEN n % 4999 = 0 THEN 'failed' ELSE 'done' END
       FROM generate_series(0, $2::int * 3 / 2) n`,
      [service.operatorId, MANY],
    );
    for (const table of ['decision', 'intent', 'dashboard_audit']) await service.rows(`ANALYZE ${table}`);
  });
  after(async () => service?.close());

  const readBy = (statement: Statement, values: readonly unknown[]): Promise<number> =>
    rowsRead(service.db.transaction, (sql) => sql.query(statement, values));
  const at = (second: number): Date => new Date(firstMs + second * 1_000);

  const decisions: readonly [string, () => Partial<DecisionFilter>][] = [
    ['all', () => ({})],
    ['a rare verdict', () => ({ verdict: 'DEGRADE' })],
    ['a verdict that no decision has', () => ({ verdict: 'ESCALATE' })],
    ['the usual verdict', () => ({ verdict: 'ALLOW' })],
    ['a usual reason', () => ({ reason: 'TRUST_TOO_LOW' })],
    ['a rare reason', () => ({ reason: 'RARE' })],
    ['a reason that no decision has', () => ({ reason: 'NONE' })],
    ['long ago', () => ({ to: at(60) })],
    ['before the first row', () => ({ to: at(0) })],
    ['a minute long ago', () => ({ from: at(60), to: at(120) })],
    ['one agent', () => ({ agentIds: ['agent-7'] })],
    ['an unknown agent', () => ({ agentIds: ['nobody'] })],
    ['some agents', () => ({ agentIds: ['agent-7', 'nobody', 'agent-7', 'agent-8'] })],
    ['an empty list of agents', () => ({ agentIds: [] })],
    ["one request, by the service's own id", () => ({ requestId: lowestId('req', firstMs + 60_000) })],
    ["one request, by the caller's id", () => ({ requestId: 'caller-7' })],
    ['many requests with the same id', () => ({ requestId: 'caller-0' })],
    ['the usual server of tools', () => ({ toolServer: 'usual' })],
    ['a rare server of tools', () => ({ toolServer: 'rare' })],
    ['a rare tool of the usual server', () => ({ toolServer: 'usual', toolName: 'rare' })],
    ['a tool that there is not', () => ({ toolServer: 'usual', toolName: 'nothing' })],
    ['an unknown request id', () => ({ requestId: 'nobody' })],
  ];
  for (const [name, filter] of decisions)
    it(`decisions: ${name}`, async () => {
      const all: DecisionFilter = { ...own(), ...filter() };
      const texts = await readReasonTexts(service.db, own());
      const having = texts.filter((text) => hasCode(text, all.reason ?? ''));
      for (const [statement, values] of listDecisions(all, 51, having)) {
        expect(await readBy(statement, values)).to.be.below(MOST_READ);
      }
    });

  const intents: readonly [string, Partial<IntentFilter>][] = [
    ['all', {}],
    ['the waiting ones', { status: 'waiting_approval' }],
    ['the failed ones, of which there are none', { status: 'failed' }],
    ['the usual state', { status: 'decided' }],
    ['one agent', { agentIds: ['agent-7'] }],
    ['some agents', { agentIds: ['agent-7', 'nobody'] }],
  ];
  for (const [name, filter] of intents)
    it(`intents: ${name}`, async () => {
      const [statement, values] = listIntents({ ...own(), ...filter }, 51);
      expect(await readBy(statement, values)).to.be.below(MOST_READ);
    });

  const FROM = '';
  const ofPages: readonly [string, Statement | undefined, readonly unknown[]][] = [
    ['calls of unknown tools', TOOL_STATEMENTS['ALL_STRANGE'], [FROM]],
    ['calls of unknown tools by the agents of a key', TOOL_STATEMENTS['STRANGE_OF_BOUND'], [FROM, ['agent-7']]],
    ['calls of listed tools', TOOL_STATEMENTS['CALLS'], [['usual', 'usual'], ['rare', 'nothing'], FROM]],
    ['verdicts of agents', ACTIVITY_STATEMENTS['DAYS'], [['agent-7', 'nobody'], FROM, 1_000]],
    ['last decisions of agents', ACTIVITY_STATEMENTS['LAST'], [['agent-7', 'agent-8', 'nobody']]],
    ['tools of an agent', ACTIVITY_STATEMENTS['TOOLS'], ['agent-7']],
  ];
  for (const [name, statement, values] of ofPages)
    it(`pages: ${name}`, async () => {
      if (statement === undefined) throw new Error('there is no such statement');
      expect(await readBy(statement, [service.operatorId, 'live', ...values])).to.be.below(MOST_READ);
    });

  for (const outcome of [undefined, 'begun', 'done', 'refused', 'failed'] as const)
    for (const who of ['all', 'own', 'bound'] as const)
      it(`actions of operators: ${outcome ?? 'any outcome'}, as ${who} may see`, async () => {
        const values = [service.operatorId, 'live', '9223372036854775807', 51];
        const read = await readBy(actionsStatement(outcome, who), who === 'bound' ? [...values, 'nobody'] : values);
        // Each action that has begun is checked for an end, and nearly all have one: that list reads many rows.
        if (outcome !== 'begun') expect(read).to.be.below(MOST_READ);
      });

  it('a time range contains exactly the decisions made in it, to the millisecond', async () => {
    const read = async (query: string): Promise<number> =>
      (await service.admin.get(`/v1/decisions?limit=200&${query}`)).json.items.length as number;
    const [from, to] = [at(100).toISOString(), at(160).toISOString()];
    expect(await read(`from=${from}&to=${to}`)).to.equal(60);
    expect(await read(`from=${from}&to=${from}`)).to.equal(0);
    expect(await read(`from=${from}&to=${new Date(firstMs + 100_001).toISOString()}`)).to.equal(1);
    expect(await read(`from=9998-01-01T00:00:00.000Z`)).to.equal(0);
    expect(await read(`to=1900-01-01T00:00:00.000Z`)).to.equal(0);
    const [made] = await service.rows<{ id: string; at: Date }>(
      `SELECT decision_id AS id, evaluated_at AS at FROM decision WHERE agent_id = 'a'`,
    );
    expect(idTimeMs(made?.id ?? ''), 'the id begins with the time of the decision').to.equal(made?.at.getTime());
  });

  describe('a search', () => {
    interface Decided {
      readonly id: string;
      readonly agent: string;
      readonly verdict: string;
      readonly reasons: string | null;
      readonly request: string;
      readonly server: string | null;
      readonly tool: string | null;
    }
    let all: readonly Decided[];
    let searcher: DecisionSearcher;
    before(async () => {
      searcher = createDecisionSearcher({ db: service.db, monotonicMs: () => performance.now() });
      all = await service.rows<Decided>(
        `SELECT decision_id AS id, agent_id AS agent, verdict, reasons, request_id AS request, tool_server AS server, tool_name AS tool
         FROM decision WHERE agent_id <> 'a' ORDER BY decision_id DESC`,
      );
    });

    /** What a term means, stated on a row. */
    const MEANS: Readonly<Partial<Record<QueryTerm['field'], (row: Decided, value: string) => boolean>>> = {
      id: (row, value) => row.id === value,
      agent: (row, value) => row.agent === value,
      verdict: (row, value) => row.verdict === value,
      reason: (row, value) => row.reasons !== null && row.reasons.split(' ').includes(value),
      request: (row, value) => row.request === value,
      server: (row, value) => row.server === value,
      tool: (row, value) => row.tool === value || `${row.server}/${row.tool}` === value,
    };
    const matches = (row: Decided, { terms }: { readonly terms: readonly QueryTerm[] }): boolean =>
      groupTerms(terms).every(({ field, values, negated }) => {
        const holds = values.some((value) => MEANS[field]?.(row, value) === true);
        return holds !== negated;
      });

    it('finds exactly the decisions that match, over all pages, and counts the same', async () => {
      const values = (field: QueryTerm['field'], ...of: string[]): fc.Arbitrary<QueryTerm> =>
        fc.record({ field: fc.constant(field), value: fc.constantFrom(...of), negated: fc.boolean() });
      const term = fc.oneof(
        values('agent', 'agent-7', 'agent-8', 'agent-0', 'nobody'),
        values('verdict', ...VERDICTS),
        // Without a verdict, a reason finds no ALLOW, and none of these is in the record that all these rows have.
        values('reason', 'TRUST_TOO_LOW', 'RARE', 'AUDITED', 'NONE'),
        values('tool', 'tool-4', 'usual/tool-6', 'rare/rare', 'rare', 'none'),
        values('server', 'usual', 'rare', 'none'),
        values('request', 'caller-7', 'caller-0', lowestId('req', firstMs + 59_000)),
        values('id', lowestId('dec', firstMs + 9_000)),
      );
      const search = fc.record({ terms: fc.array(term, { maxLength: 4 }), from: fc.nat(MANY), to: fc.nat(MANY) });
      await fc.assert(
        fc.asyncProperty(search, async ({ terms, from, to }) => {
          const asked = { ...own(), terms, from: at(from), to: at(to) };
          const [fromId, toId] = [lowestId('dec', firstMs + from * 1_000), lowestId('dec', firstMs + to * 1_000)];
          const expected = all
            .filter((row) => row.id >= fromId && row.id < toId && matches(row, asked))
            .map(({ id }) => id);
          const found: string[] = [];
          let before: string | undefined;
          do {
            // oxlint-disable-next-line no-await-in-loop -- each page names the next
            const { rows, next } = await searcher.page(asked, before, 900);
            found.push(...rows.map((row) => row.decision_id));
            before = next;
          } while (before !== undefined && found.length < 3_000);
          expect(found).to.deep.equal(expected.slice(0, found.length));
          if (before === undefined) expect(found.length).to.equal(expected.length);
          const { counts, completeAfter } = await searcher.count(asked, firstMs, 1_000 * MANY);
          const counted =
            completeAfter === undefined ? expected.length : expected.filter((id) => id >= completeAfter).length;
          expect(counts.reduce((sum, { count }) => sum + count, 0)).to.equal(counted);
        }),
        { numRuns: 40 },
      );
    });

    for (const [name, terms] of [
      ['a rare reason', [{ field: 'reason', value: 'RARE', negated: false }]],
      ['a rare verdict', [{ field: 'verdict', value: 'DEGRADE', negated: false }]],
      ['a rare tool of any server', [{ field: 'tool', value: 'rare', negated: false }]],
      ['a tool that there is not', [{ field: 'tool', value: 'none', negated: false }]],
      ['one agent', [{ field: 'agent', value: 'agent-7', negated: false }]],
    ] as const)
      it(`for ${name} reads about as many rows as it finds`, async () => {
        const counting = countingReads(service.db);
        const page = await createDecisionSearcher({ db: counting.db, monotonicMs: () => 0 }).page(
          { ...own(), terms },
          undefined,
          50,
        );
        expect(counting.rowsRead()).to.be.within(page.rows.length, MOST_READ);
      });
  });
});
