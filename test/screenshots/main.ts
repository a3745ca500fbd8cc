// `npm run screenshots -- --out DIR [--only NAME] [--widths 360,800]`: writes every page of the dashboard as PNG files, in some widths and both
// themes.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';

const { values } = parseArgs({
  options: { out: { type: 'string' }, only: { type: 'string' }, widths: { type: 'string', default: '1440,400' } },
});
if (values.out === undefined || !/^\d+(,\d+)*$/.test(values.widths)) {
  console.error(
    'usage: npm run screenshots -- --out DIR [--only NAME] [--widths 360,800], where NAME is the beginning of a page or file name',
  );
  process.exit(2);
}
const out = path.resolve(values.out);
mkdirSync(out, { recursive: true });
process.env['CUSTOS_SCREENSHOTS'] = out;
process.env['CUSTOS_SCREENSHOTS_ONLY'] = values.only ?? '';
process.env['CUSTOS_SCREENSHOTS_WIDTHS'] = values.widths;
// A mocha run, because the helpers for services and browsers clean up in its hooks.
const mocha = new Mocha({ timeout: 120_000 });
mocha.addFile(fileURLToPath(new URL('pages.js', import.meta.url)));
await mocha.loadFilesAsync();
mocha.run((failures) => process.exit(failures === 0 ? 0 : 1));
