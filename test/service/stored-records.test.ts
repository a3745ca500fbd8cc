// The search among decisions reads packed records as it reads the canonical JSON of earlier versions.
import { expect } from 'chai';
import type { QueryTerm } from '../../shared/core/decision/query.ts';
import { createDecisionSearcher } from '../../shared/domain/decisions/decision-search.ts';
import { type Service, startService } from '../support/service.ts';
import { storePlainRecords } from '../support/stored-records.ts';

const ASKED = [
  { intent: 'read:db/reports/q3', agent_id: 'reader' },
  { intent: 'delete:db/production/users', agent_id: 'true' },
  { intent: 'frobnicate:a/b', agent_id: 'quote \' " \\ {policy}' },
  { intent: 'update:host/machine-7', agent_id: 'live,default' },
];
const VALUES: Readonly<Record<string, readonly string[]>> = {
  text: [
    'reports',
    'no policy permits this',
    'true',
    'live',
    "'",
    '"',
    '\\',
    '{policy}',
    'prf_',
    'req_',
    'expires_at":"20',
    'score":250',
    ':',
    'policy',
    'zzz',
    'q',
  ],
  policy: ['default', 'zzz'],
  intent: ['db.read', 'unknown', 'db'],
  resource: ['db/production', 'host/machine-7', 'a/b', 'b'],
  action: ['read', 'delete', 'rea'],
  risk: ['low', 'high', 'critical', 'lo'],
  reason: ['NO_MATCH', 'NO'],
};

describe('packed records', () => {
  let service: Service;
  before(async () => {
    service = await startService();
    const client = await service.client();
    for (const body of ASKED) expect((await client.post('/v1/enforce', body)).status).to.equal(200);
  });
  after(() => service?.close());

  it('are found by the same searches as the JSON that they stand for', async () => {
    const searcher = createDecisionSearcher({ db: service.db, monotonicMs: () => performance.now() });
    const owner = { organisationId: service.operatorId, environment: 'live' } as const;
    // Values that follow from others, whole and in part.
    const { items } = (await service.admin.get('/v1/decisions')).json;
    const allowed = items.find((item: { expires_at?: string }) => item.expires_at !== undefined);
    const { decision_id: id, evaluated_at: at, expires_at: until, request_id: request } = allowed;
    const following = [id, `prf${id.slice(3)}`, `f${id.slice(3, 9)}`, request, until, at.slice(0, 13), at];
    const search = async (): Promise<Record<string, readonly string[]>> => {
      const found: Record<string, readonly string[]> = {};
      for (const [field, values] of [...Object.entries(VALUES), ['text', following] as const])
        for (const value of values)
          for (const negated of [false, true]) {
            const term = { field, value, negated } as QueryTerm;
            const page = await searcher.page({ ...owner, terms: [term] }, undefined, 50);
            found[`${negated ? '-' : ''}${field}:${value}`] = page.rows.map((row) => row.decision_id);
          }
      return found;
    };
    const packed = await search();
    expect(packed['text:reports']).to.have.lengthOf(1);
    expect(packed['text:zzz']).to.deep.equal([]);
    for (const value of following) expect(packed[`text:${value}`], value).to.include(id);
    await storePlainRecords(service.db);
    expect(packed).to.deep.equal(await search());
  });
});
