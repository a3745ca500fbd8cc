// What the company does: records a statement in the log, and hands the auditor its receipt and, long before, the public keys of the log.
// Usage: node examples/auditor/record.mjs FOLDER
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Custos } from '../../clients/typescript/dist/src/index.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node examples/auditor/record.mjs FOLDER');
  process.exit(2);
}

// CUSTOS_URL and CUSTOS_KEY.
const custos = new Custos();
const { proofId } = await custos.proof.create({
  event: 'release.published',
  entityId: 'web-shop',
  payload: { version: '1.4.2', approvedBy: 'Ada' },
});
const receipt = await custos.proof.waitAnchored(proofId, { timeoutMs: 30_000 });
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'receipt.json'), `${JSON.stringify(receipt)}\n`);
writeFileSync(path.join(folder, 'keys.json'), `${JSON.stringify((await custos.log.keys()).items)}\n`);
console.log(`Recorded and anchored. ${folder} has receipt.json and keys.json.`);
