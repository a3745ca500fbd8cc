// The prefix of an installation's keys in Redis, where the database does not let the role compute it.
import { expect } from 'chai';
import { OperatorError } from '../../../shared/kernel/operator-error.ts';
import { redisOfInstallation } from '../../../shared/platform/queues/installation.ts';

describe('the prefix of an installation', () => {
  const refusing = (code: string) => ({ query: () => Promise.reject(Object.assign(new Error('refused'), { code })) });
  const errorOf = (code: string): Promise<unknown> =>
    redisOfInstallation(refusing(code), 'redis://host').catch((error: unknown) => error);

  it('names the function that a role may not call, for the operator', async () => {
    expect(await errorOf('42501'))
      .to.be.instanceOf(OperatorError)
      .with.property('message')
      .that.contains('GRANT EXECUTE ON FUNCTION pg_control_system()');
    expect(await errorOf('57P01')).not.to.be.instanceOf(OperatorError);
  });

  it('is not asked for without Redis', async () => {
    expect(await redisOfInstallation(refusing('42501'), undefined)).to.equal(undefined);
  });
});
