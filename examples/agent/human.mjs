// A human who approves: shows each call that waits, and asks on the terminal. Ends after as many answers as its argument says.
import { createInterface } from 'node:readline';
import { Custos } from '../../clients/typescript/dist/src/index.js';

const answersWanted = Number(process.argv[2] ?? 3);
const custos = new Custos(); // its key needs admin:*, and must not be the agent's
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

for (let answered = 0; answered < answersWanted; ) {
  const { items } = await custos.approvals.list({ agentId: 'office-assistant', status: 'pending' }).page();
  const [approval] = items;
  if (approval === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    continue;
  }
  // `bound` is everything that the approval covers, with secrets masked.
  const { bound } = await custos.approvals.get(approval.approvalId);
  const { tool } = bound;
  process.stdout.write(`${tool.server}/${tool.name} ${JSON.stringify(tool.arguments)}  approve? [y/n] `);
  const { value = 'n' } = await lines.next();
  const isApproved = value.trim().toLowerCase() === 'y';
  console.log(isApproved ? 'approved' : 'rejected');
  if (isApproved) await custos.approvals.approve(approval.approvalId, { reason: 'seen and wanted' });
  else await custos.approvals.reject(approval.approvalId, { reason: 'not to everyone' });
  answered += 1;
}
await custos.close();
process.exit(0);
