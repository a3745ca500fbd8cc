// Resources of calls: templates are checked when they are loaded, and arguments cannot escape from them.
import { expect } from 'chai';
import { covers } from '../../../shared/core/intent/resource.ts';
import { coveringAll, fill, parseTemplate } from '../../../shared/core/tools/template.ts';
import { dataOf } from '../../support/data.ts';

describe('the resource of a call', () => {
  for (const [template, args, expected] of dataOf<[string, object, string[] | string][]>(
    'unit/tools/template.cases.json',
  )) {
    it(`${template} with ${JSON.stringify(args)}: ${JSON.stringify(expected)}`, () => {
      const parsed = parseTemplate(template);
      if (!parsed.ok) throw new Error(parsed.message);
      const filled = fill(parsed.template, args);
      if (typeof expected === 'string') expect(filled.ok ? filled.resources : filled.message).to.contain(expected);
      else expect(filled.ok ? filled.resources : filled.message).to.deep.equal(expected);
    });
  }

  it('a list of a hundred items is filled, a longer one is refused', () => {
    const parsed = parseTemplate('file/{paths[]}');
    const withItems = (count: number) =>
      parsed.ok && fill(parsed.template, { paths: Array.from({ length: count }, (_, i) => `/a/${i}`) });
    expect(withItems(100)).to.include({ ok: true });
    expect(withItems(101)).to.include({ ok: false });
  });

  for (const [template, message] of [
    ['file/{path', 'brace'],
    ['file/path}', 'brace'],
    ['file/{/path}', 'write {path}'],
    ['file/{}', 'names no argument'],
    ['file/{a~2}', 'names no argument'],
    ['file/*/{path}', '"*"'],
    ['file/../{path}', '".."'],
    ['file/%zz', 'percent sign'],
    ['{a[]}/{b[]}', 'two placeholders for lists'],
    ['/', 'must name a resource'],
  ] as const)
    it(`the template ${template} is refused: ${message}`, () => {
      const parsed = parseTemplate(template);
      expect(parsed.ok ? '' : parsed.message).to.contain(message);
    });

  it('a list is named by the narrowest pattern that covers each of its items', () => {
    const cases: [string[], string][] = [
      [['a/b'], 'a/b'],
      [['a/b', 'a/c'], 'a/*'],
      [['a/b', 'a/b/c'], 'a/*'],
      [['a/b/c', 'a/b/*'], 'a/b/*'],
      [['a/x/c', 'a/y/c'], 'a/*'],
      [['a', 'b/c'], '*'],
    ];
    for (const [resources, pattern] of cases) {
      expect(coveringAll(resources)).to.equal(pattern);
      for (const resource of resources) expect(covers(pattern, resource)).to.equal(true);
    }
  });
});
