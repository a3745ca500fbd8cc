// Verifies a receipt with the TypeScript client. Usage: node examples/auditor/verify.mjs RECEIPT KEYS
import { readFileSync } from 'node:fs';
import { verifyReceipt } from '../../clients/typescript/dist/src/verify/index.js';

const [receipt = '', keys = ''] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
const result = await verifyReceipt(receipt, JSON.parse(keys));
console.log(result.ok ? 'VALID' : result.failure);
