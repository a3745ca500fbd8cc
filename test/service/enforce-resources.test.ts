// POST /v1/enforce accepts an intent only in its canonical form, against the spellings that usually bypass a filter.
import { expect } from 'chai';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

describe('the intent of an enforcement', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService();
    client = await service.client();
  });
  after(() => service.close());

  const enforce = (body: object) => client.post('/v1/enforce', { agent_id: 'nobody', ...body });

  for (const intent of [
    'delete:db/production/users',
    'DELETE:DB//Production/Users/',
    'drop:db/production/users',
    'db.drop.production.users',
    'truncate:db:production:users',
    'delete:db\\production\\users',
    'delete:db/%70roduction/users',
    'delete:ｄｂ/ｐｒｏｄｕｃｔｉｏｎ/users',
    'delete:db.production.users',
    'delete:/db/production/users',
  ])
    it(`${JSON.stringify(intent)} is db.delete.production.users, and denied`, async () => {
      const answer = await enforce({ intent });
      expect(answer.status).to.equal(200);
      expect(answer.json.intent).to.include({
        action: 'delete',
        resource: 'db/production/users',
        normalized: 'db.delete.production.users',
      });
      expect(answer.json.reasons.map((reason: { code: string }) => reason.code)).to.include('PRODUCTION_PROTECTED');
    });
  for (const intent of [
    'delete:db/../production/users',
    'delete:db/staging/../production/users',
    'delete:db/pro\u200bduction/users',
    'delete:db/production\u0000/users',
    'delete:db/%2570roduction/users',
    'delete:db/%zz/users',
    'delete:db/*/users',
    'delete:db/prod*',
    'read: ',
    'data',
    'data.frobnicate.users',
    'user_profile',
    '.',
  ])
    it(`${JSON.stringify(intent)} is refused: E2001 at /intent`, async () => {
      const answer = await enforce({ intent });
      expect([answer.status, answer.json.code]).to.deep.equal([400, 'E2001']);
      expect(answer.json.errors[0].pointer).to.equal('/intent');
    });
});
