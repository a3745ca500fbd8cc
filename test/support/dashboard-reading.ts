// For tests of the data that dashboard pages read: a service with two organisations, a session of each, and a short read function.
import { expect } from 'chai';
import { type Signed, signIn } from './dashboard.ts';
import { type Service, startService } from './service.ts';

export interface Reading {
  readonly service: Service;
  /** The operator's session. */
  readonly signed: Signed;
  /** The session of an admin of another organisation. */
  readonly other: Signed;
  readonly otherKey: string;
  readonly otherId: string;
  /** Reads a path below /dashboard/api. @returns the response body in the shape that the pages expect. Default of `by`: the operator */
  read<T>(path: string, by?: Signed): Promise<T>;
  /** Enforces a request of a trusted agent. @returns the id of the decision */
  enforce(intent: string, more?: object): Promise<string>;
}

export async function startReading(): Promise<Reading> {
  const service = await startService();
  const otherId = await service.addOrganisation('other');
  const { key: otherKey } = await service.addKey({ organisationId: otherId, scopes: ['admin:*'] });
  const signed = await signIn(service.admin, service.adminKey);
  return {
    service,
    signed,
    other: await signIn(service.admin, otherKey),
    otherKey,
    otherId,
    async read<T>(path: string, by: Signed = signed): Promise<T> {
      const answer = await by.get(path);
      expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
      return answer.json as T;
    },
    enforce: async (intent, more = {}) =>
      (await service.admin.post('/v1/enforce', { intent, agent_id: 'agent-1', trust_level: 7, ...more })).json
        .decision_id as string,
  };
}
