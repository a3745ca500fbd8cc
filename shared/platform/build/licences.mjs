// The licences of bundled packages, which require their text beside every copy.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @param root the folder of the checkout
 * @param inputs the bundled files, relative to it
 * @returns the name and the licence of each package among them
 */
export function licencesOf(root, inputs) {
  const folders = new Set(
    inputs.map((name) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]).filter((name) => name !== undefined),
  );
  return [...folders].sort().map((folder) => {
    const name = folder.replace(/^.*node_modules\//, '');
    const file = readdirSync(path.join(root, folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    if (file !== undefined) return `${name}\n\n${readFileSync(path.join(root, folder, file), 'utf8')}`;
    const { license, author } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    if (typeof license !== 'string') throw new Error(`${folder} names no licence`);
    return `${name}\n\nLicence: ${license}, ${JSON.stringify(author)}`;
  });
}
