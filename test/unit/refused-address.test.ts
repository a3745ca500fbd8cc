import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { holdRefusedAddress } from '../support/refused-address.ts';

describe('A refused address', () => {
  it('refuses connections, and cannot be taken by another server', async () => {
    const { url, close } = await holdRefusedAddress();
    const port = Number(new URL(url).port);
    const refusal: unknown = await once(net.connect(port, '127.0.0.1'), 'connect').catch((reason: unknown) => reason);
    expect(refusal).to.include({ code: 'ECONNREFUSED' });
    const taken: unknown = await once(net.createServer().listen(port, '127.0.0.1'), 'listening').catch(
      (reason: unknown) => reason,
    );
    expect(taken).to.include({ code: 'EADDRINUSE' });
    await close();
  });
});
