// The layer rules of the repository: a linter that is set up wrongly finds nothing, so each rule is shown to fire.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../shared/root.ts';
import { temporaryFolder } from '../support/folders.ts';

const root = findRoot();

/** Lints one file, as if it were in the repository, with the repository's own rules. @returns what the linter says */
function lint(file: string, source: string): string {
  const folder = temporaryFolder('layers');
  copyFileSync(path.join(root, '.oxlintrc.json'), path.join(folder, '.oxlintrc.json'));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, source);
  const linter = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  try {
    return execFileSync(process.execPath, [linter, '--format', 'unix', file], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe('layer rules', function () {
  this.timeout(120_000);

  const forbidden: readonly [file: string, imported: string][] = [
    ['shared/policy/x.ts', 'express'],
    ['shared/intent/x.ts', 'pg'],
    ['shared/trust/x.ts', 'typeorm'],
    ['shared/proof/deep/x.ts', 'bullmq'],
    ['shared/proof/x.ts', 'node:fs'],
    ['shared/policy/x.ts', 'fs/promises'],
    ['shared/intent/x.ts', 'node:child_process'],
    ['shared/trust/x.ts', '../db/database.ts'],
    ['shared/policy/x.ts', '../../ingress/app.ts'],
    ['shared/keys/x.ts', '../../workers/app.ts'],
    ['shared/x.ts', '../cli/context.ts'],
    ['ingress/x.ts', '../workers/app.ts'],
    ['ingress/routes/x.ts', '../../workers/app.ts'],
    ['workers/x.ts', '../ingress/app.ts'],
    ['workers/x.ts', '../cli/context.ts'],
  ];
  for (const [file, imported] of forbidden)
    it(`keep ${file} from importing ${imported}`, () => {
      expect(lint(file, `import * as it from '${imported}';\nexport const used = it;\n`)).to.contain(
        'no-restricted-imports',
      );
    });

  it('see a type that is imported, and a re-export, as what they are', () => {
    expect(lint('ingress/x.ts', "import type { A } from '../workers/app.ts';\nexport type B = A;\n")).to.contain(
      'no-restricted-imports',
    );
    expect(lint('ingress/x.ts', "export * from '../workers/app.ts';\n")).to.contain('no-restricted-imports');
  });

  const allowed: readonly [file: string, imported: string][] = [
    ['shared/policy/x.ts', 'json-rules-engine'],
    ['shared/proof/x.ts', 'node:crypto'],
    ['shared/policy/x.ts', '../intent/types.ts'],
    ['shared/keys/x.ts', '../db/database.ts'],
    ['ingress/x.ts', '../shared/config.ts'],
    ['workers/x.ts', 'bullmq'],
  ];
  for (const [file, imported] of allowed)
    it(`let ${file} import ${imported}`, () => {
      expect(lint(file, `import * as it from '${imported}';\nexport const used = it;\n`)).not.to.contain(
        'no-restricted-imports',
      );
    });

  it('let only the two main files and the command line read the environment', () => {
    const source = 'export const home = process.env.HOME;\n';
    for (const file of ['shared/x.ts', 'ingress/x.ts', 'workers/x.ts'])
      expect(lint(file, source), file).to.contain('no-process-env');
    for (const file of ['ingress/main.ts', 'workers/main.ts', 'cli/x.ts'])
      expect(lint(file, source), file).not.to.contain('no-process-env');
  });

  it('hold in the repository itself, in which the linter sees every file', () => {
    const linter = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
    const said = execFileSync(
      process.execPath,
      [linter, '--format', 'json', '-A', 'all', '-D', 'no-restricted-imports'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    const { diagnostics, number_of_files: files } = JSON.parse(said) as {
      diagnostics: unknown[];
      number_of_files: number;
    };
    expect(diagnostics).to.deep.equal([]);
    expect(files).to.be.above(20);
  });
});
