// The layer rules of the repository. A linter with a wrong configuration finds nothing, so each rule is shown to fire.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { temporaryFolder } from '../../support/folders.ts';

const root = findRoot();
const LINTER = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');

interface Diagnostics {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
  readonly number_of_files: number;
}

function runLinter(cwd: string, ...args: string[]): Diagnostics {
  const read = (text: string): Diagnostics => JSON.parse(text) as Diagnostics;
  try {
    return read(execFileSync(process.execPath, [LINTER, '--format', 'json', ...args], { cwd, encoding: 'utf8' }));
  } catch (error) {
    // The linter exits with 1 when it finds something; its report is still on standard output.
    return read((error as { stdout: string }).stdout);
  }
}

interface Case {
  readonly file: string;
  readonly source: string;
}

/** Lints all cases in one run, as if each file were in the repository. @returns the rules that fired, for each case */
function lint(cases: readonly Case[]): string[][] {
  const folder = temporaryFolder('layers');
  copyFileSync(path.join(root, '.oxlintrc.json'), path.join(folder, '.oxlintrc.json'));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  // A number in the name keeps two cases of one folder apart; rules for single files need the file's own name.
  const names = cases.map(({ file }, at) => (file.endsWith('/x.ts') ? file.replace(/x\.ts$/, `x${at}.ts`) : file));
  for (const [at, name] of names.entries()) {
    const target = path.join(folder, name);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, cases[at]?.source ?? '');
  }
  const { diagnostics } = runLinter(folder);
  return names.map((name) => diagnostics.filter(({ filename }) => filename === name).map(({ code }) => code));
}

const importing = (file: string, imported: string): Case => ({
  file,
  source: `import * as it from '${imported}';\nexport const used = it;\n`,
});

const RESTRICTED = 'eslint(no-restricted-imports)';
const NO_ENVIRONMENT = 'node(no-process-env)';

describe('layer rules', () => {
  const FLOORS = ['kernel', 'core', 'platform', 'domain', 'api'];
  const upwards = FLOORS.flatMap((floor, at) =>
    FLOORS.slice(at + 1).map((above): [string, string] => [`shared/${floor}/room/x.ts`, `../../${above}/room/y.ts`]),
  );
  const forbidden: readonly [file: string, imported: string][] = [
    ...upwards,
    ['shared/core/deep/room/x.ts', '../../../platform/db/database.ts'],
    ['shared/core/policy/x.ts', 'express'],
    ['shared/core/intent/text/x.ts', 'pg'],
    ['shared/core/trust/x.ts', 'typeorm'],
    ['shared/core/proof/x.ts', 'bullmq'],
    ['shared/core/policy/x.ts', '@bull-board/express'],
    ['shared/core/proof/x.ts', 'node:fs'],
    ['shared/core/policy/x.ts', 'fs/promises'],
    ['shared/core/policy/x.ts', 'node:fs/promises'],
    ['shared/core/intent/x.ts', 'node:child_process'],
    ['shared/core/intent/x.ts', 'node:net'],
    ['shared/kernel/x.ts', 'pg'],
    ['shared/kernel/x.ts', 'node:fs'],
    ['shared/core/policy/x.ts', '../../../ingress/app.ts'],
    ['shared/domain/keys/x.ts', '../../../workers/app.ts'],
    ['shared/api/x.ts', '../../cli/context.ts'],
    ['ingress/x.ts', '../workers/app.ts'],
    ['ingress/routes/x.ts', '../../workers/app.ts'],
    ['workers/x.ts', '../ingress/app.ts'],
    ['workers/x.ts', '../cli/context.ts'],
    ['ingress/dashboard/client/x.ts', '#shared/kernel/vocabulary.js'],
    ['ingress/dashboard/client/pages/x.ts', '../../../../workers/app.ts'],
    ['clients/typescript/src/guard/x.ts', '../../../../shared/kernel/ids.ts'],
    ['clients/typescript/test/x.ts', '../../../ingress/app.ts'],
    ['clients/typescript/src/x.ts', '../adapters/x.ts'],
    ['clients/typescript/src/x.ts', 'node:crypto'],
    ['clients/typescript/src/x.ts', 'undici'],
    ['shared/api/x.ts', '../../clients/typescript/src/index.ts'],
  ];
  const downwards = FLOORS.flatMap((floor, at) =>
    FLOORS.slice(0, at + 1).map((below): [string, string] => [
      `shared/${floor}/room/x.ts`,
      `../../${below}/other/y.ts`,
    ]),
  );
  const allowed: readonly [file: string, imported: string][] = [
    ...downwards,
    ['shared/core/policy/x.ts', 'json-rules-engine'],
    ['shared/core/proof/x.ts', 'node:crypto'],
    ['shared/core/decision/x.ts', 'node:zlib'],
    ['shared/core/proof/x.ts', './y.ts'],
    ['shared/kernel/x.ts', 'ajv/dist/2020.js'],
    ['shared/platform/db/x.ts', 'pg'],
    ['ingress/x.ts', '../shared/platform/config/config.ts'],
    ['workers/x.ts', 'bullmq'],
    ['clients/typescript/src/guard/x.ts', '../http.ts'],
    ['clients/typescript/test/x.ts', '../src/index.ts'],
    ['clients/typescript/adapters/x.ts', 'node:crypto'],
  ];
  const fromNet = (name: string): Case => ({
    file: 'shared/core/policy/x.ts',
    source: `import { ${name} } from 'node:net';\nexport const used = ${name};\n`,
  });
  const SOURCE_OF_ENVIRONMENT = 'export const home = process.env.HOME;\n';
  const withEnvironment = ['shared/platform/config/x.ts', 'ingress/x.ts', 'workers/x.ts'];
  const mayReadEnvironment = ['ingress/main.ts', 'workers/main.ts', 'cli/x.ts'];

  const expectations: {
    readonly title: string;
    readonly case: Case;
    readonly rule: string;
    readonly fires: boolean;
  }[] = [
    ...forbidden.map(([file, imported]) => ({
      title: `keep ${file} from importing ${imported}`,
      case: importing(file, imported),
      rule: RESTRICTED,
      fires: true,
    })),
    {
      title: 'let the dashboard import types of shared/',
      case: {
        file: 'ingress/dashboard/client/x.ts',
        source: "import type { Verdict } from '#shared/kernel/vocabulary.js';\nexport type Used = Verdict;\n",
      },
      rule: RESTRICTED,
      fires: false,
    },
    ...allowed.map(([file, imported]) => ({
      title: `let ${file} import ${imported}`,
      case: importing(file, imported),
      rule: RESTRICTED,
      fires: false,
    })),
    {
      title: 'treat an imported type as an import',
      case: { file: 'ingress/x.ts', source: "import type { A } from '../workers/app.ts';\nexport type B = A;\n" },
      rule: RESTRICTED,
      fires: true,
    },
    {
      title: 'treat a re-export as an import',
      case: { file: 'ingress/x.ts', source: "export * from '../workers/app.ts';\n" },
      rule: RESTRICTED,
      fires: true,
    },
    { title: 'let a pure file read addresses', case: fromNet('isIP'), rule: RESTRICTED, fires: false },
    { title: 'keep a pure file from sockets', case: fromNet('createConnection'), rule: RESTRICTED, fires: true },
    ...withEnvironment.map((file) => ({
      title: `keep ${file} from reading the environment`,
      case: { file, source: SOURCE_OF_ENVIRONMENT },
      rule: NO_ENVIRONMENT,
      fires: true,
    })),
    ...mayReadEnvironment.map((file) => ({
      title: `let ${file} read the environment`,
      case: { file, source: SOURCE_OF_ENVIRONMENT },
      rule: NO_ENVIRONMENT,
      fires: false,
    })),
  ];
  let fired: string[][] = [];
  before(() => {
    fired = lint(expectations.map((expectation) => expectation.case));
  });

  for (const [at, { title, rule, fires }] of expectations.entries())
    it(title, () => {
      if (fires) expect(fired[at]).to.include(rule);
      else expect(fired[at]).not.to.include(rule);
    });

  it('are met by the repository itself, of which the linter checks every file', () => {
    const { diagnostics, number_of_files: files } = runLinter(root, '-A', 'all', '-D', 'no-restricted-imports');
    expect(diagnostics).to.deep.equal([]);
    expect(files).to.be.above(20);
  });
});
