// The formats for CI systems: nothing in a file name or a message can end, extend or forge the output.
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { githubText } from '../../../cli/policy/formats/github.ts';
import { junitText } from '../../../cli/policy/formats/junit.ts';
import { type Report, suiteOfFiles } from '../../../cli/policy/formats/report.ts';
import { sarifText } from '../../../cli/policy/formats/sarif.ts';
import type { ShownFinding } from '../../../cli/output.ts';

const HOSTILE =
  ']]></failure><testcase name="x"/>&amp;"\'\n::error file=a,line=1::forged\r\n%0A::warning::%\u0000\u001b[31m\ufffe\ud800';
const finding = (more: Partial<ShownFinding> = {}): ShownFinding => ({
  file: 'policies/a.json',
  line: 3,
  column: 5,
  severity: 'error',
  code: 'SCHEMA',
  message: 'is wrong',
  ...more,
});
const reportOf = (files: readonly string[], ...findings: ShownFinding[]): Report => ({
  name: 'custos policy check',
  suites: [suiteOfFiles('custos policy check', files, findings)],
});
const WORST = reportOf(
  ['policies/fine.json'],
  finding({ file: HOSTILE, message: HOSTILE, hint: HOSTILE, example: HOSTILE, code: 'A,b:c' }),
  finding({ severity: 'warning', message: HOSTILE }),
);

/** The elements of a document, which must be well-formed: properly nested, attributes quoted, no stray `<`, `&` or control character. */
function elementsOf(xml: string): { name: string; attributes: Record<string, string>; text: string }[] {
  const TOKEN =
    /<\?xml [^?]*\?>|<(\/?)([a-z-]+)((?: [a-z]+="(?:[^"<&]|&(?:amp|lt|gt|quot|apos|#9|#10|#13);)*")*)(\/?)>|((?:[^<>&]|&(?:amp|lt|gt|quot|apos|#9|#10|#13);)+)/y;
  const found: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const open: typeof found = [];
  expect(xml).to.match(/^[\n\u0020-\ud7ff\ue000-\ufffd]*$/);
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(xml);
    if (match === null) throw new Error(`not well-formed at ${xml.slice(at, at + 80)}`);
    const [, end, name, attributes = '', empty, text] = match;
    const top = open.at(-1);
    if (text !== undefined && top !== undefined) top.text += text;
    if (name === undefined) continue;
    if (end === '/') expect(open.pop()?.name).to.equal(name);
    else {
      const pairs = [...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]);
      const element = { name, attributes: Object.fromEntries(pairs) as Record<string, string>, text: '' };
      found.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  expect(open).to.deep.equal([]);
  return found;
}

describe('formats of findings', () => {
  it('JUnit: well-formed with any text, errors fail the test of their file, warnings do not', () => {
    const elements = elementsOf(junitText(WORST));
    expect(elements.map(({ name }) => name)).to.deep.equal([
      ...['testsuites', 'testsuite', 'testcase', 'testcase', 'failure', 'testcase', 'system-out'],
    ]);
    expect(elements[1]?.attributes).to.include({ tests: '3', failures: '1', errors: '0' });
    expect(elements[4]?.attributes['type']).to.equal('A,b:c');
    expect(elements[4]?.text).to.contain(']]&gt;&lt;/failure&gt;');
  });

  it('JUnit: an empty report has no tests', () => {
    expect(elementsOf(junitText({ name: 'x', suites: [] }))[0]?.attributes).to.include({ tests: '0', failures: '0' });
  });

  it('GitHub: one command a finding, each on its own line, whatever the texts are', () => {
    const lines = githubText(WORST).split('\n');
    expect(lines.pop()).to.equal('');
    expect(
      lines.map((line) => /^::(error|warning) file=[^:,\r]*,line=\d+,col=\d+,title=[^:,\r]*::/.exec(line)?.[1]),
    ).to.deep.equal(['error', 'warning']);
    expect(lines[0]).to.contain('title=A%2Cb%3Ac::').and.contain('%250A').and.not.contain('\r');
    expect(githubText(reportOf([], finding({ hint: 'mend it' })))).to.equal(
      '::error file=policies/a.json,line=3,col=5,title=SCHEMA::is wrong%0Ahint: mend it\n',
    );
  });

  it('SARIF: valid against the part of the schema that it uses, with relative, absolute and hostile names', () => {
    const report = reportOf(
      [],
      ...WORST.suites.flatMap(({ cases }) => cases.flatMap(({ findings }) => findings)),
      finding({ file: 'policies/a b#c%20?.json' }),
      finding({ file: '/srv/policies/a.json' }),
    );
    const log = JSON.parse(sarifText(report, '1.2.3')) as Sarif;
    const validate = new Ajv({ allErrors: true, strict: true }).compile(SARIF);
    expect(validate(log), JSON.stringify(validate.errors)).to.equal(true);
    const { results, tool } = log.runs[0];
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).to.equal(ruleId);
    const places = results.map(({ locations: [{ physicalLocation }] }) => physicalLocation.artifactLocation);
    for (const { uri } of places) expect(() => new URL(uri, 'file:///folder/')).not.to.throw();
    expect(places.at(-2)).to.deep.equal({ uri: 'policies/a%20b%23c%2520%3F.json', uriBaseId: '%SRCROOT%' });
    expect(places.at(-1)).to.deep.equal({ uri: 'file:///srv/policies/a.json' });
  });
});

interface Sarif {
  readonly runs: [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly locations: [{ readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }];
      }[];
    },
  ];
}

const text = { type: 'string', minLength: 1 };
const object = (required: readonly string[], properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const list = (items: object, more: object = {}): object => ({ type: 'array', items, ...more });

/** The members of the OASIS schema of SARIF 2.1.0 that reports use, with their types and limits. */
const SARIF = object(['$schema', 'version', 'runs'], {
  $schema: text,
  version: { enum: ['2.1.0'] },
  runs: list(
    object(['tool', 'results'], {
      tool: object(['driver'], {
        driver: object(['name'], {
          name: text,
          version: text,
          rules: list(object(['id'], { id: text, name: text }), { uniqueItems: true }),
        }),
      }),
      automationDetails: object([], { id: text }),
      columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
      results: list(
        object(['message'], {
          ruleId: text,
          ruleIndex: { type: 'integer', minimum: -1 },
          level: { enum: ['none', 'note', 'warning', 'error'] },
          message: object(['text'], { text }),
          locations: list(
            object([], {
              physicalLocation: object([], {
                artifactLocation: object([], { uri: text, uriBaseId: text }),
                region: object([], {
                  startLine: { type: 'integer', minimum: 1 },
                  startColumn: { type: 'integer', minimum: 1 },
                }),
              }),
            }),
            { minItems: 1 },
          ),
        }),
      ),
    }),
  ),
});
