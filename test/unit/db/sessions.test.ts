// The limit of a pool's sessions: a refusal comes in a later turn of the event loop, after ended sessions were counted.
import { expect } from 'chai';
import { boundedClient } from '../../../shared/platform/db/sessions.ts';

describe('a client beyond the sessions that a pool may have', () => {
  const Client = boundedClient(0);

  it('is refused in a later turn of the event loop, so that a caller that retries at once does not starve the others', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const error: unknown = await new Client({ host: '127.0.0.1' }).connect().catch((reason: unknown) => reason);
    isOver = true;
    expect(error).to.be.an('error').with.property('message').that.contains('Connection terminated');
    expect(turns).to.be.at.least(1);
  });

  it('is refused in the same way with a callback, as pools use it', async () => {
    const error = await new Promise<Error>((resolve) => new Client({ host: '127.0.0.1' }).connect(resolve));
    expect(error.message).to.contain('Connection terminated');
  });
});
