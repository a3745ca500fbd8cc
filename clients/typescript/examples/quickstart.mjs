// An agent asks before it acts, a guard runs one call and refuses another, and an auditor verifies the record without the service.
//
//   export CUSTOS_KEY=$(cat .custos/bootstrap-key)    # as "npm start" has written it
//   node clients/typescript/examples/quickstart.mjs
import { ConflictError, Custos, RefusedError } from '@custos/client';
import { verifyReceipt } from '@custos/client/verify';

const agentId = 'quickstart-typescript';
const custos = new Custos(); // CUSTOS_URL, else http://127.0.0.1:3000; CUSTOS_KEY

// 1. Register the agent.
try {
  await custos.agents.create({ agentId, name: 'The agent of the TypeScript example' });
} catch (error) {
  // An earlier run has registered it.
  if (!(error instanceof ConflictError)) throw error;
}

// 2. Ask: what does a text mean, and is it allowed?
const intent = await custos.intent.parse({ agentId, rawIntent: 'Read user profile data' });
console.log('read as:', intent.normalized);
const decision = await custos.enforce.evaluate({ agentId, intent: intent.normalized, intentId: intent.intentId });
console.log('decided:', decision.verdict);

// 3. Guard tools. The catalogue of "filesystem" pins the definitions of its tools, so a guard names the one that it has seen.
const definitions = new Map();
for await (const { server, tools } of custos.tools.list())
  for (const { name, definition } of tools) definitions.set(`${server}/${name}`, definition);
const guardFile = (name, run) =>
  custos.guard(
    { agentId, server: 'filesystem', name, definitionDigest: definitions.get(`filesystem/${name}`), waitSeconds: 0 },
    run,
  );
const read = guardFile('read_text_file', ({ path }) => `the content of ${path}`);
const move = guardFile('move_file', ({ source, destination }) => `${source} is ${destination} now`);

console.log('read:', await read({ path: '/srv/app/notes.txt' }));
try {
  await move({ source: '/srv/app/notes.txt', destination: '/srv/app/old.txt' });
} catch (error) {
  if (!(error instanceof RefusedError)) throw error;
  console.log('refused:', error.verdict, error.reasons[0]?.code);
}

// 4. Prove: anchor a statement, and wait for its receipt.
const accepted = await custos.proof.create({
  event: 'release.published',
  entityId: agentId,
  payload: { version: '1.4.2' },
});
const receipt = await custos.proof.waitAnchored(accepted.proofId);

// 5. Audit: the auditor has the keys from an earlier day, and needs no network from here on.
const keys = await custos.log.keys();
const verified = await verifyReceipt(receipt, keys);
console.log('verified:', verified.ok && verified.record.eventType);
const forged = await verifyReceipt({ ...receipt, index: receipt.index + 1 }, keys);
console.log('forged:', forged.ok ? 'accepted' : forged.failure);

await custos.close(); // Waits until the guard's reports are delivered.
