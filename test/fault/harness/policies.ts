// The policy folder of a deployment under the harness, and the edits that are faults.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../support/folders.ts';
import { smallLexicon } from '../../support/lexicon.ts';

const policyOf = (id: string, type: string, code: string): object => ({
  id,
  stage: 'enforce',
  description: `${type} for tests`,
  target: { actions: ['delete'], resources: [`db/${id}/*`] },
  rules: [
    {
      name: 'rule',
      conditions: { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: 'delete' }] },
      event: { type, params: { code, message: `${type} for tests` } },
    },
  ],
});

/** Deletes below db/open and db/edition are allowed, those below db/asked need approval; nothing else is permitted. */
export function makePolicyFolder(): string {
  const folder = temporaryFolder('policies');
  const lexicon = smallLexicon();
  writeFileSync(path.join(folder, lexicon.path), lexicon.text);
  write(folder, 'open', policyOf('open', 'ALLOW', 'OPEN'));
  write(folder, 'asked', policyOf('asked', 'ESCALATE', 'ASKED'));
  writeEdition(folder, 0);
  return folder;
}

const CODE = 'EDITION_';

/** The policy set in force is recognised by the code of this rule. */
export function writeEdition(folder: string, edition: number): void {
  write(folder, 'edition', policyOf('edition', 'ALLOW', `${CODE}${edition}`));
}

/** The edition of a decision about db/edition; undefined: it did not come from that rule. */
export function editionOf(decision: object): number | undefined {
  const [, digits] = new RegExp(`"${CODE}(\\d+)"`).exec(JSON.stringify(decision)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const BROKEN = 'broken.json';
export const breakPolicies = (folder: string): void => writeFileSync(path.join(folder, BROKEN), '{ "id": "broken",');
export const mendPolicies = (folder: string): void => rmSync(path.join(folder, BROKEN), { force: true });

/** In one step, as editors do. */
function write(folder: string, name: string, policy: object): void {
  const file = path.join(folder, `${name}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(policy, null, 2));
  renameSync(`${file}.new`, file);
}
