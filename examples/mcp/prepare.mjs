// Prepares the example: an agent with a good record (trust level 4), and an API key that is bound to it.
// CUSTOS_URL names the service, CUSTOS_KEY is the bootstrap key. Prints the new key, and nothing else, on standard output.
const AGENT = 'mcp-example-bot';
const DAY_MS = 86_400_000;

async function send(method, route, body) {
  const headers = { 'x-api-key': process.env.CUSTOS_KEY ?? '', 'content-type': 'application/json' };
  const answer = await fetch(process.env.CUSTOS_URL + route, { method, headers, body: body && JSON.stringify(body) });
  const json = await answer.json();
  // 409: the agent exists since an earlier run.
  if (!answer.ok && answer.status !== 409) throw new Error(`${method} ${route}: ${json.code} ${json.detail}`);
  return json;
}

await send('POST', '/v1/agents', { agentId: AGENT, name: 'The bot of examples/mcp' });

// One key can give an agent at most ten successes for each day, and level 4 needs twelve.
const signals = [0, 1].flatMap((daysAgo) => {
  const occurredAt = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
  return Array.from({ length: 10 }, (_, i) => ({
    signalId: `${AGENT}/${occurredAt.slice(0, 10)}/${i}`,
    agentId: AGENT,
    type: 'success',
    source: 'examples/mcp',
    occurredAt,
  }));
});
await send('POST', '/v1/trust/signals', { signals });

let { level } = await send('GET', `/v1/trust/${AGENT}`);
for (let tries = 0; level < 4 && tries < 100; tries += 1) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  ({ level } = await send('GET', `/v1/trust/${AGENT}`));
}
if (level < 4) throw new Error(`${AGENT} is at trust level ${level}, and the example needs level 4`);

const { key } = await send('POST', '/v1/auth/keys', {
  name: 'examples/mcp',
  scopes: ['intents:write'],
  agentIds: [AGENT],
  expiresIn: '1d',
});
console.error(`${AGENT} is at trust level ${level} and has a key that expires in a day.`);
console.log(key);
