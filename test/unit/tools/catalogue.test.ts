// Catalogues as part of a policy set: found by their folder, checked with positions, and part of the digest.
import { expect } from 'chai';
import { knownVerbs } from '../../../shared/core/intent/lexicon/known-verbs.ts';
import { admitPolicySet } from '../../../shared/core/policy/admit.ts';
import type { TextFile } from '../../../shared/core/policy/files.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { ALWAYS, compileLexicon, filesOf, LEXICON, policy } from '../policy/support.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { catalogueOf } from './support.ts';

const POLICIES = filesOf([policy('p', 'ALLOW')]);
const fileOf = (document: unknown, path = 'tools/files.json'): TextFile => ({
  path,
  text: JSON.stringify(document, null, 2),
});
const load = (...files: TextFile[]) => loadPolicySet([...POLICIES, ...files], LEXICON, { compileLexicon });
const digestOf = (...files: TextFile[]): string => {
  const loaded = load(...files);
  return loaded.ok ? loaded.set.digest : JSON.stringify(loaded.findings);
};

const READ = catalogueOf({ read_file: { action: 'read', resource: 'file/{path}' } });

describe('the catalogues of a policy set', () => {
  it('do not change the digest of a set that has none', () => {
    const loaded = load();
    const text = loaded.ok ? loaded.set.canonical : '';
    expect(text)
      .to.match(/^\{"engine":1,"lexicon":\{\},"policies":\[.*\]\}$/)
      .and.not.contain('"tools"');
  });

  it('are part of the digest by content, not by file name, spelling or $schema', () => {
    expect(digestOf(fileOf(READ)))
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.equal(digestOf());
    expect(digestOf(fileOf({ $schema: '../schema/tools.schema.json', ...READ }, 'tools/other.json'))).to.equal(
      digestOf(fileOf(READ)),
    );
    expect(digestOf(fileOf(READ), fileOf(READ, 'tools/copy.json'))).to.equal(digestOf(fileOf(READ)));
    expect(digestOf(fileOf({ ...READ, trustAnnotations: true }))).to.not.equal(digestOf(fileOf(READ)));
    const other = fileOf({ ...READ, server: 'a' }, 'tools/z.json');
    expect(digestOf(other, fileOf(READ))).to.equal(digestOf(fileOf(READ), other));
  });

  it('are rebuilt from the stored text, and anything else is refused', () => {
    const loaded = load(fileOf(READ), fileOf({ ...READ, server: 'a' }, 'tools/a.json'));
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
    const again = loadCanonicalSet(loaded.set.canonical, { compileLexicon });
    expect(again.ok ? [...again.set.tools.keys()] : again.findings).to.deep.equal(['a', 'files']);
    expect(again.ok && again.set.digest).to.equal(loaded.set.digest);
    for (const [from, to] of [
      ['"tools":[', '"tools":[1,'],
      ['"action":"read"', '"action":"drop"'],
      ['"server":"files"', '"server":"a"'],
    ] as const)
      expect(loadCanonicalSet(loaded.set.canonical.replace(from, to), { compileLexicon }).ok, to).to.equal(false);
    const plain = load();
    const empty = plain.ok ? plain.set.canonical.replace(/\}$/, ',"tools":[]}') : '';
    expect(loadCanonicalSet(empty, { compileLexicon }).ok, 'an empty list').to.equal(false);
  });

  it('are refused when two files contradict each other about one server', () => {
    const loaded = load(fileOf(READ), fileOf({ ...READ, trustAnnotations: true }, 'tools/second.json'));
    expect(loaded.ok ? {} : loaded.findings[0]).to.include({
      code: 'DUPLICATE_SERVER',
      file: 'tools/second.json',
      pointer: '/server',
    });
  });

  const refusals: [name: string, document: object, code: string, pointer: string, says: string][] = [
    [
      'a misspelt member',
      { ...READ, trustAnotations: true },
      'SCHEMA',
      '/trustAnotations',
      'did you mean "trustAnnotations"?',
    ],
    [
      'a misspelt member of an entry',
      catalogueOf({ t: { action: 'read', resourse: 'a' } as never }),
      'SCHEMA',
      '/tools/t/resourse',
      'did you mean "resource"?',
    ],
    [
      'a finer verb as an action',
      catalogueOf({ t: { action: 'drop' } as never }),
      'SCHEMA',
      '/tools/t/action',
      'did you mean "delete"?',
    ],
    ['an entry without an action', catalogueOf({ t: {} as never }), 'SCHEMA', '/tools/t', '"action" is missing'],
    [
      'an unknown effect',
      catalogueOf({ t: { action: 'read', effect: 'destrutive' } as never }),
      'SCHEMA',
      '/tools/t/effect',
      'did you mean "destructive"?',
    ],
    [
      'an unknown way to read',
      catalogueOf({ t: { action: 'read', reads: { a: 'bash' } } as never }),
      'SCHEMA',
      '/tools/t/reads/a',
      'is not one of shell, sql, http, python, javascript, text',
    ],
    [
      'a pin that is not a digest',
      catalogueOf({ t: { action: 'read', definition: 'abc' } }),
      'SCHEMA',
      '/tools/t/definition',
      '64 hexadecimal digits',
    ],
    ['a policy in the folder of catalogues', policy('p', 'ALLOW'), 'SCHEMA', '/rules', 'a policy has it'],
    [
      'a template without its brace',
      catalogueOf({ t: { action: 'read', resource: 'file/{path' } }),
      'BAD_TEMPLATE',
      '/tools/t/resource',
      'brace',
    ],
    [
      'a place that is not a resource',
      catalogueOf({ t: { action: 'read', places: ['a/../b'] } }),
      'BAD_TEMPLATE',
      '/tools/t/places/0',
      '".."',
    ],
    [
      'a pointer with its slash',
      catalogueOf({ t: { action: 'read', reads: { '/sql': 'sql' } } }),
      'BAD_POINTER',
      '/tools/t/reads/~1sql',
      'write "sql"',
    ],
    [
      'a server of the service itself',
      { ...READ, server: 'custos:x' },
      'BAD_TOOL_NAME',
      '/server',
      'not beginning with "custos:"',
    ],
    [
      'a tool whose name has a control character',
      catalogueOf({ 'a\u0001': { action: 'read' } }),
      'BAD_TOOL_NAME',
      '/tools/a\u0001',
      'no control characters',
    ],
  ];
  for (const [name, document, code, pointer, says] of refusals)
    it(`are refused with ${name}, at its place`, () => {
      const loaded = load(fileOf(document));
      const found = loaded.ok ? undefined : loaded.findings.find((finding) => finding.pointer === pointer);
      expect(found).to.include({ code, file: 'tools/files.json' });
      expect(found?.message).to.contain(says);
      expect(found?.line).to.be.greaterThan(1);
    });

  it('a catalogue outside its folder is refused as an invalid policy', () => {
    const loaded = load(fileOf(READ, 'files.json'));
    expect(loaded.ok ? [] : loaded.findings.map(({ message }) => message).join('\n')).to.contain('the folder "tools"');
  });

  it('cause a warning for entries that are milder than the names of their tools', () => {
    const lexicon = { path: 'lexicon.json', text: '{}' };
    const deps = { compileLexicon: () => shippedLexicon(), verbsOf: knownVerbs };
    const catalogue = catalogueOf({
      deleteFile: { action: 'read' },
      delete_row: { action: 'delete' },
      'rows.erase': { action: 'update' },
      read_file: { action: 'read' },
    });
    const { set, warnings } = admitPolicySet({ policies: [...POLICIES, fileOf(catalogue)], lexicon }, deps);
    expect(set).to.not.equal(undefined);
    const reported = warnings
      .filter(({ code }) => code === 'TOOL_MILDER')
      .map(({ file, pointer }) => `${file} ${pointer}`);
    expect(reported).to.deep.equal(['tools/files.json /tools/deleteFile', 'tools/files.json /tools/rows.erase']);
  });

  it('cause a warning for entries whose calls match no rule, by action, resource and places', () => {
    const lexicon = { path: 'lexicon.json', text: '{}' };
    const deps = { compileLexicon: () => shippedLexicon(), verbsOf: knownVerbs };
    const catalogue = catalogueOf({
      inside: { action: 'read', resource: 'files/srv/{path}' },
      above: { action: 'read', resource: 'files/{path}' },
      outside: { action: 'read', resource: 'mail/{box}' },
      beside: { action: 'read', resource: 'mail/{box}', places: ['files/srv/{path}'] },
      other_action: { action: 'create', resource: 'files/srv/{path}' },
      code: { action: 'execute', reads: { command: 'shell' } },
      without_resource: { action: 'read' },
    });
    const target = { actions: ['read'], resources: ['files/srv/*'] };
    const files = [...filesOf([policy('p', 'DENY', ALWAYS, { target })]), fileOf(catalogue)];
    const { warnings } = admitPolicySet({ policies: files, lexicon }, deps);
    const reported = warnings.filter(({ code }) => code === 'TOOL_UNREACHED').map(({ pointer }) => pointer);
    expect(reported).to.deep.equal(['/tools/outside', '/tools/other_action', '/tools/without_resource']);
  });

  it('a thousand tools load in a moment, one more is refused', () => {
    const many = (count: number) =>
      fileOf(
        catalogueOf(
          Object.fromEntries(
            Array.from({ length: count }, (_, i) => [`t${i}`, { action: 'read' as const, resource: 'file/{a}' }]),
          ),
        ),
      );
    expect(load(many(1_000)).ok).to.equal(true);
    expect(load(many(1_001)).ok).to.equal(false);
  });
});
