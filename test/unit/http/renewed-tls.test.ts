// A renewed certificate is used without a restart, and files that can't be used change nothing.
import { X509Certificate } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { expect } from 'chai';
import { followTlsFiles } from '../../../ingress/renewed-tls.ts';
import { FIRST, RENEWED } from '../../support/certificates.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { waitFor } from '../../support/wait.ts';

/** The subject of the certificate that the server shows to a new connection. */
function shownBy(server: https.Server): Promise<string> {
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw).subject);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('a renewed certificate', () => {
  const folder = temporaryFolder('renewed-tls');
  const write = (name: string, text: string): string => {
    const place = path.join(folder, name);
    writeFileSync(`${place}.new`, text);
    renameSync(`${place}.new`, place);
    return place;
  };
  const logged: string[] = [];
  const log = (members: unknown, text?: string): void => void logged.push(`${text}: ${JSON.stringify(members)}`);
  let server: https.Server;
  let stop: () => void;

  before(async () => {
    const config = { tlsCertFile: write('cert.pem', FIRST.cert), tlsKeyFile: write('key.pem', FIRST.key) };
    const inUse = { cert: Buffer.from(FIRST.cert), key: Buffer.from(FIRST.key) };
    server = https.createServer(inUse);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    stop = followTlsFiles(server, { config, inUse, logger: { info: log, warn: log }, everyMs: 5 });
  });
  after(() => {
    stop();
    server.close();
  });

  it('waits for its key, with one warning, and is then shown to new connections', async () => {
    expect(await shownBy(server)).to.equal('CN=custos.test');
    write('cert.pem', RENEWED.cert);
    await waitFor(() => logged.length > 0);
    expect(logged[0]).to.match(/the earlier certificate stays in use: .*is not the key of the first certificate/);
    expect(await shownBy(server)).to.equal('CN=custos.test');
    write('key.pem', RENEWED.key);
    await waitFor(async () => (await shownBy(server)) === 'CN=renewed.custos.test');
    expect(logged.slice(1)).to.deep.equal([
      'the renewed certificate is in use: {"validTo":"2126-11-06T19:51:43.000Z"}',
    ]);
  });
});
