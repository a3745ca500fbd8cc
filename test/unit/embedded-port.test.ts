import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { freePort } from '../../shared/platform/embedded/server.ts';
import { describeUnless } from '../support/skip.ts';

const RANGE_FILE = '/proc/sys/net/ipv4/ip_local_port_range';
/** What macOS and Windows give to connections, and IANA calls dynamic ports. */
const DYNAMIC = '49152 65535';
const range = existsSync(RANGE_FILE) ? readFileSync(RANGE_FILE, 'utf8').trim() : DYNAMIC;
const [first = 0, last = 0] = range.split(/\s+/).map(Number);
const why = first < 32_768 ? `this machine gives ports from ${first} on to connections (${RANGE_FILE})` : undefined;

describeUnless(why, 'The port of the embedded PostgreSQL', () => {
  it('is none that the system gives to a connection, so that it is free again when the server restarts', async () => {
    for (let i = 0; i < 20; i += 1) expect(await freePort()).to.satisfy((port: number) => port < first || port > last);
  });
});
