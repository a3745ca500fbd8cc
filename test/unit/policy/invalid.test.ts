// A corpus of invalid files: each with all its findings, their positions and messages; and invalid edits of the lexicon.
import { readdirSync, readFileSync } from 'node:fs';
import { lexiconFile, smallLexicon } from '../../support/lexicon.ts';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { positionAt } from '../../../shared/kernel/json.ts';
import { knownVerbs } from '../../../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { LexiconSchema } from '../../../shared/core/intent/lexicon/schema.ts';
import type { TextFile } from '../../../shared/core/policy/files.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { PolicySchema } from '../../../shared/core/policy/schema.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { dataOf } from '../../support/data.ts';
import { filesOf, policy } from './support.ts';

/** The check that refuses it: strict JSON, the published schema, or the checks beyond a schema. */
type By = 'json' | 'schema' | 'meaning';

interface InvalidFile {
  readonly file: string;
  readonly by: By;
  readonly findings: readonly { readonly at: string; readonly code: string; readonly says: string }[];
}

interface InvalidLexicon {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** A text of the edited file; the finding is at its `|`. */
  readonly at: string;
  readonly code: string;
  readonly by: By;
}

const FOLDER = join(findRoot(), 'test', 'unit', 'policy', 'invalid');
const lexicon = lexiconFile();
const fewWords = smallLexicon();

/** The published schema: `npm run check:drift` compares it with the file in policies/schema. */
function published(schema: object): (document: unknown) => boolean {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema)) as object);
  return (document) => validate(document);
}

/** Whether the published schema alone, as an editor uses it, rejects the file. */
function refusedBy(codes: readonly string[], text: string, schema: (document: unknown) => boolean): By {
  if (codes.includes('NOT_JSON')) return 'json';
  return schema(JSON.parse(text)) ? 'meaning' : 'schema';
}

// Most cases are about policies, beside the same small lexicon.
const last: { lexicon?: ReturnType<typeof compileLexicon> } = {};
const compileOnce: typeof compileLexicon = (json) => (last.lexicon = compileLexicon(json));

function findingsOf(files: readonly TextFile[], lexiconFile: TextFile) {
  const loaded = loadPolicySet(files, lexiconFile, { compileLexicon: compileOnce });
  return loaded.ok ? [] : loaded.findings;
}

describe('the corpus of invalid policies', () => {
  const cases = dataOf<InvalidFile[]>('unit/policy/invalid.cases.json');
  const schema = published(PolicySchema);

  it('lists every file of its folder once, and has at least forty', () => {
    expect(cases.map(({ file }) => file).sort()).to.deep.equal(readdirSync(FOLDER).sort());
    expect(cases.length).to.be.at.least(40);
    for (const { file, findings } of cases) expect(findings, file).to.not.have.lengthOf(0);
  });

  for (const { file, by, findings } of cases) {
    it(`${file} is refused by ${by}, with each finding at its place`, () => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      const found = findingsOf([{ path: file, text }], fewWords);
      const reported = found.map(({ line, column, code }) => ({ at: `${line}:${column}`, code }));
      expect(reported).to.deep.equal(findings.map(({ at, code }) => ({ at, code })));
      for (const [i, { says }] of findings.entries()) expect(found[i]?.message).to.contain(says);
      expect(found.every((finding) => finding.file === file)).to.equal(true);
      expect(
        refusedBy(
          reported.map(({ code }) => code),
          text,
          schema,
        ),
      ).to.equal(by);
    });
  }
});

describe('an invalid edit of the lexicon', () => {
  const schema = published(LexiconSchema);

  for (const { name, from, to, at, code, by } of dataOf<InvalidLexicon[]>('unit/policy/invalid-lexicon.cases.json')) {
    it(`${name} is refused by ${by}, at its place`, () => {
      expect(lexicon.text).to.contain(from);
      const text = lexicon.text.replace(from, () => to);
      const marked = at.replace('|', '');
      expect(text).to.contain(marked);
      const place = positionAt(text, text.indexOf(marked) + at.indexOf('|'));
      const found = findingsOf([], { path: 'lexicon.json', text });
      expect(found.map((finding) => [finding.line, finding.column, finding.code])).to.deep.equal([
        [place.line, place.column, code],
      ]);
      expect(found[0]?.message).to.not.equal('');
      expect(refusedBy([code], text, schema)).to.equal(by);
    });
  }

  it('all mistakes are reported, each at its position, with the name that was probably meant', () => {
    const text = lexicon.text
      .replace('"defaultDomain": "general"', '"defaultDomian": "general"')
      .replace('"politePrefixes": [', '"politePrefixes": [\n    "NOT",');
    const found = findingsOf([], { path: 'lexicon.json', text });
    const lineOf = (part: string): number => positionAt(text, text.indexOf(part)).line;
    expect(found.map(({ line }) => line)).to.have.members([1, lineOf('"defaultDomian"'), lineOf('"NOT"')]);
    expect(found.map(({ message }) => message).join('\n')).to.contain('did you mean "defaultDomain"?');
  });

  it('a folder without a lexicon is refused with a message', () => {
    const [finding] = findingsOf([], { path: 'lexicon.json', text: '' });
    expect(finding).to.include({ code: 'LEXICON', line: 1, column: 1 });
    expect(finding?.message).to.contain('missing or empty');
  });
});

describe('an action that is a verb', () => {
  const MEANT: readonly (readonly [word: string, says: string])[] = [
    ['destroy', '; did you mean "delete"?'],
    ['Delete', '; did you mean "delete"?'],
    ['wipe', '; the lexicon counts the verb "wipe" as "delete": did you mean "delete"?'],
    ['rm', '; the lexicon counts the verb "rm" as "delete": did you mean "delete"?'],
    ['obliterat', '; the lexicon counts the verb "obliterate" as "delete": did you mean "delete"?'],
    ['qqqqqqqq', ''],
  ];
  for (const [word, says] of MEANT)
    it(`such as ${word} is answered with ${says === '' ? 'no guess' : says}`, () => {
      const conditions = { all: [{ fact: 'intent', path: 'action', operator: 'in', value: ['read', word] }] };
      const files = filesOf([policy('p', 'DENY', conditions, { target: { actions: [word], resources: ['a/*'] } })]);
      const loaded = loadPolicySet(files, lexicon, { compileLexicon: compileOnce, verbsOf: knownVerbs });
      const list = 'read, create, update, delete, execute, send, transfer, grant, revoke, unknown';
      expect(loaded.ok ? [] : loaded.findings.map(({ pointer, message }) => [pointer, message])).to.deep.equal([
        ['/target/actions/0', `"${word}" is not one of ${list}, *${says}`],
        ['/rules/0/conditions/all/0/value', `"${word}" is not one of ${list}${says}`],
      ]);
    });
});
