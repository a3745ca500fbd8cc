// A lexicon in several files: they are one document, and findings name the file that an author has to change.
import { expect } from 'chai';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { knownVerbs } from '../../../shared/core/intent/lexicon/known-verbs.ts';
import { admitPolicySet } from '../../../shared/core/policy/admit.ts';
import type { TextFile } from '../../../shared/core/policy/files.ts';
import { readLexicon, withLexicon } from '../../../shared/core/policy/lexicon-files.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { lexiconFile, lexiconParts } from '../../support/lexicon.ts';

const NONE: TextFile = { path: 'lexicon.json', text: '' };
const part = (name: string, text: string): TextFile => ({ path: `lexicon/${name}.json`, text });
const ONE = part('a', '{ "$schema": "x", "description": "A", "verbs": [1], "domains": { "db": ["row"] } }');
const OTHER = part('sub/b', '{ "description": "B", "verbs": [2, 3],\n "domains": { "db": ["column"], "hr": [] } }');

/** The document, or its findings as `file:line:column message`. */
function read(...files: TextFile[]): unknown {
  const result = readLexicon(NONE, files);
  return 'json' in result
    ? result.json
    : result.findings.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
}

describe('a lexicon in several files', () => {
  it('is one document: lists are joined by the names of the files, objects are merged, what is about a file is left out', () => {
    const together = { verbs: [1, 2, 3], domains: { db: ['row', 'column'], hr: [] } };
    expect(read(ONE, OTHER)).to.deep.equal(together);
    expect(read(OTHER, ONE)).to.deep.equal(together);
    expect(read(ONE)).to.deep.equal({ verbs: [1], domains: { db: ['row'] } });
  });

  it('is the same set as its document in one file', () => {
    const digests = [
      loadPolicySet(lexiconParts(), NONE, { compileLexicon }),
      loadPolicySet([], lexiconFile(), { compileLexicon }),
    ].map((loaded) => (loaded.ok ? loaded.set.digest : loaded.findings));
    expect(digests[0]).to.be.a('string').that.equals(digests[1]);
  });

  const REFUSED: Readonly<Record<string, readonly [files: TextFile[], finding: string]>> = {
    'the same member twice': [
      [part('a', '{ "synonyms": { "pr": "a" } }'), part('b', '{ "synonyms": {\n "pr": "b" } }')],
      'lexicon/b.json:2:8 is also in lexicon/a.json:1:23: only lists and objects may be in several files',
    ],
    'a list and an object': [
      [part('a', '{ "verbs": [] }'), part('b', '{ "verbs": {} }')],
      'lexicon/b.json:1:12 is also in lexicon/a.json:1:12: only lists and objects may be in several files',
    ],
    'a list': [[ONE, part('b', '[]')], 'lexicon/b.json:1:1 is not an object'],
    'no JSON': [[ONE, part('b', '{,}')], 'lexicon/b.json:1:2 is not JSON: expected a member name'],
  };
  for (const [name, [files, finding]] of Object.entries(REFUSED))
    it(`${name} is refused with its file and line`, () => expect(read(...files)).to.deep.equal([finding]));

  it('beside a lexicon.json is refused', () => {
    const loaded = loadPolicySet([ONE], lexiconFile(), { compileLexicon });
    expect(loaded.ok ? [] : loaded.findings.map(({ file, message }) => `${file} ${message}`)).to.deep.equal([
      'lexicon.json stands beside the folder of lexicon/a.json: a set has the one or the other',
    ]);
  });

  it('has both places of a word that is listed twice, also when they are in different files', () => {
    const own = [
      '{ "verbs": [{ "action": "transfer", "verbs": ["comp"] }] }',
      '{ "domains": { "zz": ["invoice"] } }',
      '{ "irreversible": ["for good"] }',
      '{ "commands": [{ "command": "git push", "action": "read" }] }',
    ];
    for (const text of own) {
      // The name stands before those of the shipped files, so the finding is in one of these.
      const loaded = loadPolicySet([...lexiconParts(), part('aa', text)], NONE, { compileLexicon });
      const messages = loaded.ok ? [] : loaded.findings.map(({ message }) => message);
      expect(messages, text).to.have.lengthOf(1);
      expect(messages[0]).to.match(/ is listed twice.*; first in lexicon\/aa\.json:1:\d+$/);
    }
    const file = {
      ...lexiconFile(),
      text: lexiconFile().text.replace(/"verbs": \[/, '"verbs": [{ "action": "read", "verbs": ["zz", "zz"] },'),
    };
    const loaded = loadPolicySet([], file, { compileLexicon });
    expect(loaded.ok ? [] : loaded.findings.map(({ message }) => message)).to.match(
      /"zz" is listed twice; first in lexicon\.json:\d+:\d+/,
    );
  });

  it('has its mistakes reported at their place in the file', () => {
    const added = part('zz', '{\n "negations": ["NOT"],\n "quantifiers": { "all": ["x"],\n  "few": [] }\n}');
    const loaded = loadPolicySet([...lexiconParts(), added], NONE, { compileLexicon });
    const places = loaded.ok ? [] : loaded.findings.map(({ file, line, code }) => `${file}:${line} ${code}`);
    expect(places).to.deep.equal(['lexicon/zz.json:2 LEXICON', 'lexicon/zz.json:4 LEXICON']);
  });

  it('of which a file can not be read has that reported alone', () => {
    const refused = [
      { file: 'lexicon/x.json', line: 1, column: 1, pointer: '', code: 'NOT_JSON', message: 'x' },
    ] as const;
    const { errors } = admitPolicySet(
      { policies: [], lexicon: NONE, refused },
      { compileLexicon, verbsOf: knownVerbs },
    );
    expect(errors).to.deep.equal(refused);
  });

  it('in a request replaces that in force, which counts only without any', () => {
    const policy: TextFile = { path: 'p.json', text: '{}' };
    const textOf = (...files: TextFile[]): string => withLexicon(files, () => 'in force').lexicon.text;
    expect([textOf(policy), textOf(policy, ONE), textOf(lexiconFile())]).to.deep.equal([
      'in force',
      '',
      lexiconFile().text,
    ]);
    expect(withLexicon([policy, lexiconFile()], () => '').policies).to.deep.equal([policy]);
  });
});
