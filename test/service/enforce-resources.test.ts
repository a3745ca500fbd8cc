// POST /v1/enforce accepts an intent only in its canonical form, against the spellings that usually bypass a filter.
import { expect } from 'chai';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { expectReading, textSet } from '../support/text-cases.ts';

describe('the intent of an enforcement', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService();
    client = await service.client();
  });
  after(() => service.close());

  const enforce = (body: object) => client.post('/v1/enforce', { agent_id: 'nobody', ...body });

  for (const one of textSet('enforce', 'production'))
    it(one.title, async () => {
      const { status, json } = await enforce({ intent: one.text });
      if (one.expect.refused === true) {
        expect([status, json.code], one.place).to.deep.equal([400, 'E2001']);
        expect(json.errors[0].pointer).to.equal('/intent');
        return;
      }
      expect(status).to.equal(200);
      const { actionWord: _, ...members } = one.expect;
      expectReading(one, json.intent, members);
      expect(json.reasons.map((reason: { code: string }) => reason.code)).to.include('PRODUCTION_PROTECTED');
    });
});
