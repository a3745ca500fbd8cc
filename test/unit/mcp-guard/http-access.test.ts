// Who may use the guard over HTTP: tokens of clients, its public address, and sign-in to the server behind it.
import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { expect } from 'chai';
import type { AddressInfo } from 'node:net';
import { type HttpGuardUnderTest, json, result, startHttpGuard } from './http-setup.ts';

describe('access to the guard over HTTP', () => {
  let on: HttpGuardUnderTest;
  beforeEach(async () => {
    on = await startHttpGuard();
  });
  afterEach(() => on.close());

  describe('with a token for its clients', () => {
    const token = 'f'.repeat(32);
    const own = { 'custos-guard-token': token };
    for (const [what, given, status, authorization] of [
      ['no token', {}, 403, undefined],
      ['another token', { 'custos-guard-token': 'e'.repeat(32) }, 403, undefined],
      ['only credentials for the upstream', { authorization: 'Bearer up' }, 403, undefined],
      ['the token in its own header', own, 200, undefined],
      ['the token as a bearer token', { authorization: `bearer ${token}` }, 200, undefined],
      ['the token, and credentials for the upstream', { ...own, authorization: 'Bearer up' }, 200, 'Bearer up'],
      ['the token twice', { ...own, authorization: `Bearer ${token}` }, 200, undefined],
    ] as const)
      it(`answers a request with ${what} with ${status}, and never forwards the token`, async () => {
        const guarded = await on.start({ token });
        expect(await on.statusOf(guarded, { headers: given })).to.equal(status);
        expect(on.received.map(({ headers }) => headers.authorization)).to.deep.equal(
          status === 200 ? [authorization] : [],
        );
        expect(JSON.stringify(on.received)).to.not.include(token);
        await guarded.close();
      });

    it('answers under its public address, and under no other name', async () => {
      const guarded = await on.start({ token, publicUrl: new URL('https://guard.example/') });
      for (const [headers, status] of [
        [{ host: 'guard.example' }, 200],
        [{ host: 'guard.example', origin: 'https://guard.example' }, 200],
        [{ host: 'guard.example:8080' }, 403],
        [{ host: 'guard.example', origin: 'https://evil.example' }, 403],
      ] as const)
        expect(await on.statusOf(guarded, { headers: { ...own, ...headers } })).to.equal(status);
      await guarded.close();
    });
  });

  it('lets an official client sign in to the upstream', async () => {
    const origin = `http://127.0.0.1:${(on.upstream.address() as AddressInfo).port}`;
    const posted: URLSearchParams[] = [];
    const metadata = { resource: `${origin}/mcp`, authorization_servers: [`${origin}/`] };
    const server = {
      issuer: `${origin}/`,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    };
    on.answer = (request, response) => {
      const { url, headers, body } = request;
      if (url === '/.well-known/oauth-protected-resource/mcp') return json(metadata)(request, response);
      if (url === '/.well-known/oauth-authorization-server') return json(server)(request, response);
      if (url === '/token') {
        posted.push(new URLSearchParams(body));
        return json({ access_token: 'up', token_type: 'Bearer' })(request, response);
      }
      if (headers.authorization === 'Bearer up') {
        const { id, params } = JSON.parse(body || '{}') as { id?: unknown; params?: { protocolVersion?: string } };
        const serverInfo = { name: 'x', version: '1' };
        return json(result(id, { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo }))(
          request,
          response,
        );
      }
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    };
    let authorization: URL | undefined;
    let tokens: OAuthTokens | undefined;
    const authProvider: OAuthClientProvider = {
      redirectUrl: 'http://127.0.0.1:9/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'] },
      clientInformation: () => ({ client_id: 'c' }),
      tokens: () => tokens,
      saveTokens: (given) => void (tokens = given),
      redirectToAuthorization: (url) => void (authorization = url),
      saveCodeVerifier: () => undefined,
      codeVerifier: () => 'v',
    };
    const transport = (): StreamableHTTPClientTransport =>
      new StreamableHTTPClientTransport(new URL(on.guard.address), { authProvider });
    const first = transport();
    await new Client({ name: 'c', version: '1' }).connect(first).catch(() => undefined);
    expect(authorization?.searchParams.get('resource')).to.equal(on.guard.address);
    await first.finishAuth('code');
    expect(posted[0]?.get('code')).to.equal('code');
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(transport());
    await client.close();
  });

  for (const [path, status] of [
    ['/.well-known/oauth-protected-resource', 200],
    ['/.well-known/oauth-protected-resource/mcp?x=1', 200],
    ['/.well-known/oauth-protected-resourceful', 404],
    ['/.well-known/oauth-protected-resource/../../admin', 404],
    ['/.well-known/oauth-protected-resource/%2e%2e/admin', 404],
    ['/.well-known/oauth-authorization-server', 404],
  ] as const)
    it(`answers a look-up of ${path} with ${status}`, async () => {
      on.answer = json({ resource: 'https://elsewhere.example/mcp' });
      expect(await on.statusOf(on.guard, { method: 'GET', path })).to.equal(status);
      expect(on.received.map(({ url }) => url)).to.deep.equal(status === 200 ? [path] : []);
    });
});
