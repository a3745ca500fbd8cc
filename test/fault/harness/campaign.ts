// Starts a deployment for several rounds, with the keys of the load.
import { ask, type Json } from './http.ts';
import type { Deployment, Kind } from './deployment.ts';
import { startEmbeddedDeployment } from './embedded.ts';
import { createHistory } from './history.ts';
import type { Campaign } from './round.ts';
import { startScaledOut } from './scaled-out.ts';

export async function startCampaign(kind: Kind): Promise<Campaign> {
  const deployment =
    kind === 'embedded'
      ? await startEmbeddedDeployment({ onSmallDisk: true })
      : await startScaledOut({ withRedis: kind === 'redis', onSmallDisk: true });
  try {
    return { deployment, keys: await createKeys(deployment), history: createHistory(), edition: 0 };
  } catch (error) {
    await deployment.close();
    throw error;
  }
}

async function createKeys({ addresses, adminKey }: Deployment): Promise<Campaign['keys']> {
  const create = async (name: string, scopes: readonly string[], environment = 'live'): Promise<string> => {
    const body = { name, scopes, environment };
    const answer = await ask(addresses[0] ?? '', { path: '/v1/auth/keys', key: adminKey, body });
    const { key } = ('json' in answer ? answer.json : {}) as Json & { readonly key?: string };
    if (key === undefined) throw new Error(`no key for ${name}: ${JSON.stringify(answer)}`);
    return key;
  };
  return {
    admin: adminKey,
    asker: await create('asker', ['intents:write', 'trust:write', 'proofs:read']),
    approver: await create('approver', ['admin:*']),
    tester: await create('tester', ['intents:write'], 'test'),
    testAdmin: await create('test-admin', ['admin:*'], 'test'),
  };
}
