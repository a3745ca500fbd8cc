// An agent with two tools. A plan stands in for its model; each call runs only when Custos permits it.
import { Custos, RefusedError } from '../../clients/typescript/dist/src/index.js';

const agentId = 'office-assistant';
const custos = new Custos(); // CUSTOS_URL, else http://127.0.0.1:3000; CUSTOS_KEY

const outbox = [];
const tools = {
  look_up: async ({ name }) => `${name}@example.com`,
  send_mail: async ({ to, text }) => {
    outbox.push({ to, text });
    return `sent to ${to}`;
  },
};
const guarded = Object.fromEntries(
  Object.entries(tools).map(([name, run]) => [
    name,
    custos.guard({ agentId, server: 'office', name, waitSeconds: 120 }, run),
  ]),
);

const plan = [
  { name: 'look_up', args: { name: 'ada' } },
  { name: 'send_mail', args: { to: 'ada@example.com', text: 'The report is ready.' } },
  { name: 'send_mail', args: { to: 'everyone@example.com', text: 'The report is ready.' } },
];

for (const { name, args } of plan) {
  console.log(`> ${name} ${JSON.stringify(args)}`);
  try {
    console.log(`  ${await guarded[name](args)}`);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    console.log(`  ${error.message}`);
  }
}
await custos.close();
console.log(`${outbox.length} mail sent`);
