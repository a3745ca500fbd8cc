import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { freePort } from '../../shared/platform/embedded/server.ts';

const RANGE_FILE = '/proc/sys/net/ipv4/ip_local_port_range';
/** What macOS and Windows give to connections, and IANA calls dynamic ports. */
const DYNAMIC = '49152 65535';

describe('The port of the embedded PostgreSQL', () => {
  it('is none that the system gives to a connection, so that it is free again when the server restarts', async function () {
    const range = existsSync(RANGE_FILE) ? readFileSync(RANGE_FILE, 'utf8') : DYNAMIC;
    const [first = 0, last = 0] = range.trim().split(/\s+/).map(Number);
    // Somebody set it to ports that are for servers.
    if (first < 32_768) this.skip();
    for (let i = 0; i < 20; i += 1) expect(await freePort()).to.satisfy((port: number) => port < first || port > last);
  });
});
