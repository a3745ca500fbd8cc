// Policies of other engines, imported: their own tables of decisions hold, what refuses is never lost, and what has no equal is listed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { readQuestion } from '../../../shared/core/authzen/question.ts';
import { importAgt } from '../../../shared/core/policy/import/agt.ts';
import { importCedar } from '../../../shared/core/policy/import/cedar.ts';
import { importCerbos } from '../../../shared/core/policy/import/cerbos.ts';
import { withNamedConditions } from '../../../shared/core/policy/import/named.ts';
import { ImportError, type ImportResult } from '../../../shared/core/policy/import/result.ts';
import { createEvaluator, type Evaluator } from '../../../shared/core/policy/evaluate.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { dataOf } from '../../support/data.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { compileLexicon, factsWith, LEXICON } from './support.ts';

const lexicon = shippedLexicon();
const sourceOf = (name: string) => ({
  name,
  text: readFileSync(path.join(findRoot(), 'test', 'unit', 'policy', 'import', name), 'utf8'),
});

function evaluatorOf({ files, names }: ImportResult): Evaluator {
  const texts = withNamedConditions(files, names).map(({ path: name, json }) => ({
    path: name,
    text: JSON.stringify(json),
  }));
  const loaded = loadPolicySet(texts, LEXICON, { compileLexicon });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings, null, 1));
  return createEvaluator({ set: loaded.set });
}

const callOf = (name: string, args: Record<string, unknown> = {}) => ({
  tool: { server: 'any', name, arguments: args, arguments_digest: 'sha256:', known: true, changed: false },
});

interface ExpenseTable {
  readonly now: string;
  readonly principals: Record<string, { tags: string[]; attributes: Record<string, string> }>;
  readonly resources: Record<string, Record<string, unknown>>;
  /** By principal, resource and action; what is not listed is denied. */
  readonly allowed: Record<string, Record<string, string[]>>;
}

describe('imported policies', () => {
  it("decide as the table of Cerbos' expenses demo says", async () => {
    const result = importCerbos([sourceOf('expenses.yaml'), sourceOf('roles.yaml')], { lexicon });
    expect(result.rules).to.deep.equal({ found: 10, imported: 10 });
    expect(result.notes).to.deep.equal([]);
    const evaluator = evaluatorOf(result);
    const table = dataOf<ExpenseTable>('unit/policy/import/expenses.table.json');
    const actions = ['view', 'view:approver', 'create', 'update', 'approve', 'delete'];
    for (const [agent, { tags, attributes }] of Object.entries(table.principals))
      for (const [id, resource] of Object.entries(table.resources))
        for (const action of actions) {
          const facts = factsWith({
            'agent.id': agent,
            'agent.tags': tags,
            'agent.attributes': attributes,
            'resource.attributes': resource,
            'intent.resource': `expense/${id}`,
            'time.now': table.now,
            ...callOf(action),
          });
          const { verdict } = await evaluator.evaluate(facts);
          const isAllowed = table.allowed[agent]?.[id]?.includes(action) === true;
          expect(verdict, `${agent} ${action} ${id}`).to.equal(isAllowed ? 'ALLOW' : 'DENY');
        }
  });

  it('have names for repeated conditions: those of the derived roles, and others by what they say', () => {
    const { files, names } = importCerbos([sourceOf('expenses.yaml'), sourceOf('roles.yaml')], { lexicon });
    const named = withNamedConditions(files, names);
    const lengthOf = (some: ImportResult['files']): number => JSON.stringify(some).length;
    expect(lengthOf(named)).to.be.below(lengthOf(files) * 0.9);
    const terms = named.find(({ path: name }) => name === 'terms.json')?.json as { conditions: object };
    expect(Object.keys(terms.conditions)).to.deep.equal([
      'owner',
      'finance',
      'finance-manager',
      'owner-id-not-equal-agent-id-and-status-is-open',
    ]);
    const policy = JSON.stringify(named.find(({ path: name }) => name === 'expense.json')?.json);
    expect(policy.match(/"condition":"owner"/g)).to.have.lengthOf(4);
  });

  it('decide as the rules of a bank say, and refuse what matches a pattern in the arguments', async () => {
    const fields = {
      code: { fact: 'tool', path: 'arguments.code' },
      input_text: { fact: 'tool', path: 'arguments.text' },
    };
    const result = importAgt(sourceOf('bank.yaml'), { lexicon, fields });
    expect(result.rules).to.deep.equal({ found: 9, imported: 9 });
    const evaluator = evaluatorOf(result);
    const verdictOf = async (name: string, args: Record<string, unknown> = {}, context: Record<string, unknown> = {}) =>
      (await evaluator.evaluate(factsWith({ ...callOf(name, args), context }))).verdict;
    expect(await verdictOf('read_balance')).to.equal('ALLOW');
    for (const tool of ['drop_table', 'wire_transfer', 'export_keys', 'send_email'])
      expect(await verdictOf(tool), tool).to.equal('DENY');
    for (const code of ['import subprocess', 'x = eval(y)', 'pip install left'])
      expect(await verdictOf('run_report', { code }), code).to.equal('DENY');
    expect(await verdictOf('run_report', { code: 'sum(1, 2)' })).to.equal('ALLOW');
    expect(await verdictOf('note', { text: 'number 078-05-1120 of a customer' })).to.equal('DENY');
    expect(await verdictOf('note', { text: 'number 078-05-112 of a customer' })).to.equal('ALLOW');
    expect(await verdictOf('note', {}, { message_text: 'it is 078-05-1120' })).to.equal('DENY');
  });

  it('keep the order of priorities: a permission above a refusal is its exception', async () => {
    const text = `name: order
rules:
  - { name: all-writes, condition: { field: tool_name, operator: matches, value: "^write" }, action: deny, priority: 10 }
  - { name: drafts, condition: { field: tool_name, operator: eq, value: write_draft }, action: allow, priority: 20 }
  - { name: reads, condition: "tool_name == 'read' and-not", action: allow }
  - { name: odd, condition: { field: size, operator: near, value: 5 }, action: deny, priority: 5 }
`;
    const result = importAgt({ name: 'order.yaml', text }, { lexicon, fields: {} });
    expect(result.notes.map(({ line, rule, kind }) => `${line} ${rule} ${kind}`)).to.deep.equal([
      '6 odd stricter',
      '5 reads left out',
    ]);
    const withoutOdd = importAgt(
      {
        name: 'order.yaml',
        text: text
          .split('\n')
          .filter((line) => !line.includes('odd'))
          .join('\n'),
      },
      { lexicon, fields: {} },
    );
    const verdictOf = async (imported: ImportResult, tool: string) =>
      (await evaluatorOf(imported).evaluate(factsWith(callOf(tool)))).verdict;
    expect(await verdictOf(withoutOdd, 'write_draft')).to.equal('ALLOW');
    expect(await verdictOf(withoutOdd, 'write_letter')).to.equal('DENY');
    expect(await verdictOf(result, 'write_letter')).to.equal('DENY');
  });

  it('permit nothing because a member of a rule is missing or misspelled', async () => {
    const agt = importAgt(
      {
        name: 'odd.yaml',
        text: 'rules:\n  - { name: a, when: { field: tool_name, operator: eq, value: x }, action: allow }\n  - { name: b, condition: { field: tool_name, operator: eq, value: x }, action: quarantine }\n',
      },
      { lexicon, fields: {} },
    );
    expect(agt.notes.map(({ rule, kind }) => `${rule} ${kind}`)).to.include.members(['a left out', 'b stricter']);
    expect((await evaluatorOf(agt).evaluate(factsWith(callOf('x')))).reasons[0]?.code).to.equal('B');
    const cerbos = (rule: string): ImportResult =>
      importCerbos(
        [
          {
            name: 'odd.yaml',
            text: `resourcePolicy:\n  resource: a\n  rules:\n    - { actions: [view], effect: EFFECT_ALLOW, roles: [R] }\n    - { actions: [view], ${rule} }\n`,
          },
        ],
        { lexicon },
      );
    const verdictOf = async (imported: ImportResult, tags: readonly string[]): Promise<string> => {
      const facts = factsWith({ 'intent.resource': 'a/1', 'agent.tags': tags, ...callOf('view') });
      return (await evaluatorOf(imported).evaluate(facts)).verdict;
    };
    expect(await verdictOf(cerbos('effect: EFFECT_ALOW, roles: [R]'), ['R'])).to.equal('DENY');
    for (const noRoles of ['effect: EFFECT_ALLOW', 'effect: EFFECT_ALLOW, roles: []'])
      expect(await verdictOf(cerbos(noRoles), ['S']), noRoles).to.equal('DENY');
    expect(await verdictOf(cerbos('effect: EFFECT_DENY'), ['R'])).to.equal('DENY');
  });

  it('of Cedar say with line and rule what has no equal, and never lose a forbid', () => {
    const read = (text: string) => importCedar({ name: 'p.cedar', text }, { lexicon });
    const result = read(`@id("one")
permit(principal, action == Action::"view", resource) when { context.ip.isInRange(ip("10.0.0.0/8")) };
permit(principal == ?principal, action, resource);
@id("two")
forbid(principal, action == Action::"view", resource) when { context.ip.isLoopback() && context.n > 3 };
permit(principal is User, action, resource);
`);
    expect(result.rules).to.deep.equal({ found: 4, imported: 2 });
    expect(result.notes.map(({ line, rule, kind }) => `${line} ${rule} ${kind}`)).to.deep.equal([
      '1 one left out',
      '3 policy-2 left out',
      '4 two stricter',
      '6 policy-4 different',
    ]);
    for (const text of [
      'forbid(principal == ?principal, action, resource); permit(principal, action, resource);',
      'permit(principal, action, resource) when { if true then true else false };',
      'permit(principal, action, resource',
      'permit(principal, action, resource) when { context.a == "x };',
      'nothing',
      '',
      `permit(principal, action, resource) when { ${'('.repeat(10_000)}true };`,
      `permit(principal, action, resource) when { ${'!'.repeat(10_000)}true };`,
    ])
      expect(() => read(text), text.slice(0, 80)).to.throw(ImportError);
  });

  const cedar = (text: string) => importCedar({ name: 'p.cedar', text }, { lexicon });
  const verdictFor = async (imported: ImportResult, changes: Record<string, unknown>): Promise<string> =>
    (await evaluatorOf(imported).evaluate(factsWith(changes))).verdict;

  it('of Cedar name resources as requests do, also with points, slashes, colons and spaces', async () => {
    for (const [entity, resource] of [
      ['Doc::"report.pdf"', 'doc/report/pdf'],
      ['Doc::"a/b"', 'doc/a/b'],
      ['Doc::"urn:x"', 'doc/urn/x'],
      ['Doc::"my report"', 'doc/my report'],
      ['App::Doc::"Plan"', 'app/doc/plan'],
    ] as const) {
      const imported = cedar(
        `permit(principal, action, resource); forbid(principal, action, resource == ${entity}); forbid(principal, action, resource in ${entity});`,
      );
      const readQuestionOf = readQuestion({
        subject: { type: 'a', id: 'b' },
        action: { name: 'view' },
        resource: { type: entity.split('::').slice(0, -1).join('::'), id: entity.split('"')[1] },
      });
      expect(readQuestionOf.ok && readQuestionOf.value.resource, entity).to.equal(resource);
      for (const [asked, verdict] of [
        [resource, 'DENY'],
        [`${resource}/page`, 'DENY'],
        ['doc/other', 'ALLOW'],
      ] as const)
        expect(await verdictFor(imported, { 'intent.resource': asked }), `${entity} ${asked}`).to.equal(verdict);
    }
    for (const id of ['', '../x', '100%', 'a/ b', '.'])
      expect(
        () => cedar(`permit(principal, action, resource); forbid(principal, action, resource == Doc::"${id}");`),
        id,
      ).to.throw(ImportError, 'forbid');
  });

  it('of Cedar never lose a forbid because an annotation says permit', () => {
    expect(() =>
      cedar(
        'permit(principal, action, resource); @note("unlike permit (above)") forbid(principal == ?principal, action, resource);',
      ),
    ).to.throw(ImportError, 'forbid');
  });

  it('refuse by action what is no call of a tool, too, and permit nothing by action there', async () => {
    const permit = 'permit(principal, action, resource == Doc::"plan");';
    const onPlan = { 'intent.resource': 'doc/plan' };
    for (const forbid of [
      'forbid(principal, action == Action::"delete", resource == Doc::"plan");',
      'forbid(principal, action in [Action::"delete", Action::"edit"], resource == Doc::"plan");',
      'forbid(principal, action, resource == Doc::"plan") when { action == Action::"delete" };',
      'forbid(principal, action, resource == Doc::"plan") unless { action == Action::"view" };',
      'forbid(principal, action, resource == Doc::"plan") when { context.n > 3 || action != Action::"view" };',
    ]) {
      const imported = cedar(`${permit} ${forbid}`);
      expect(await verdictFor(imported, { ...onPlan, context: { n: 1 } }), forbid).to.equal('DENY');
      expect(await verdictFor(imported, { ...onPlan, context: { n: 1 }, ...callOf('delete') }), forbid).to.equal(
        'DENY',
      );
      expect(await verdictFor(imported, { ...onPlan, context: { n: 1 }, ...callOf('view') }), forbid).to.equal('ALLOW');
    }
    const byAction = cedar('permit(principal, action == Action::"view", resource == Doc::"plan");');
    expect(await verdictFor(byAction, onPlan)).to.equal('DENY');
    const rules = (second: string): string =>
      `rules:\n  - { name: all, condition: { field: agent_id, operator: exists }, action: allow }\n${second}`;
    for (const second of [
      '  - { name: no, condition: { field: tool_name, operator: eq, value: delete }, action: deny, priority: 5 }\n',
      '  - { name: no, condition: "not (tool_name == \'view\')", action: deny, priority: 5 }\n',
      '  - { name: ok, condition: { field: tool_name, operator: eq, value: view }, action: allow, priority: 9 }\n  - { name: no, condition: { field: agent_id, operator: exists }, action: deny, priority: 5 }\n',
    ]) {
      const imported = importAgt({ name: 'a.yaml', text: rules(second) }, { lexicon, fields: {} });
      expect(await verdictFor(imported, {}), second).to.equal('DENY');
      expect(await verdictFor(imported, callOf('delete')), second).to.equal('DENY');
      expect(await verdictFor(imported, callOf('view')), second).to.equal('ALLOW');
    }
    const cerbos = importCerbos(
      [
        {
          name: 'c.yaml',
          text: "resourcePolicy:\n  resource: doc\n  rules:\n    - { actions: ['*'], effect: EFFECT_ALLOW, roles: ['*'] }\n    - { actions: [delete], effect: EFFECT_DENY, roles: ['*'] }\n",
        },
      ],
      { lexicon },
    );
    expect(await verdictFor(cerbos, onPlan)).to.equal('DENY');
    expect(await verdictFor(cerbos, { ...onPlan, ...callOf('view') })).to.equal('ALLOW');
  });

  it('of Cedar take no agent for a member of a group because it is named like it', async () => {
    for (const [text, own] of [
      ['permit(principal in Role::"admin", action, resource);', 'DENY'],
      ['permit(principal in [Role::"admin", Role::"ops"], action, resource);', 'DENY'],
      ['permit(principal is Agent in Role::"admin", action, resource);', 'DENY'],
      ['permit(principal, action, resource) when { principal in Role::"admin" };', 'DENY'],
      [
        'permit(principal, action, resource); forbid(principal, action, resource) unless { principal in Role::"admin" };',
        'DENY',
      ],
      ['permit(principal in Agent::"admin", action, resource);', 'ALLOW'],
      [
        'permit(principal in App::User::"admin", action, resource); permit(principal == App::User::"x", action, resource);',
        'ALLOW',
      ],
      ['permit(principal, action, resource) when { principal in User::"admin" && principal != User::"x" };', 'ALLOW'],
    ] as const) {
      expect(await verdictFor(cedar(text), { 'agent.id': 'admin' }), text).to.equal(own);
      expect(await verdictFor(cedar(text), { 'agent.id': 'eve' }), text).to.equal('DENY');
      expect(await verdictFor(cedar(text), { 'agent.id': 'eve', 'agent.tags': ['admin'] }), text).to.equal('ALLOW');
    }
  });

  it('of Cerbos leave out what is disabled, and never lose what refuses one principal', async () => {
    const read = (text: string): ImportResult => importCerbos([{ name: 'c.yaml', text }], { lexicon });
    const rules = (resource: string): string =>
      `resourcePolicy:\n  resource: ${resource}\n  rules:\n    - { actions: ['*'], effect: EFFECT_ALLOW, roles: ['*'] }\n`;
    const imported = read(`disabled: false\n${rules('a')}---\nversion: default\ndisabled: true\n${rules('b')}`);
    expect(imported.rules).to.deep.equal({ found: 1, imported: 1 });
    expect(imported.notes.map(({ line, kind, message }) => `${line} ${kind} ${message}`)).to.deep.equal([
      '8 different it is disabled there, so it is not read',
    ]);
    for (const [resource, verdict] of [
      ['a/1', 'ALLOW'],
      ['b/1', 'DENY'],
    ])
      expect(await verdictFor(imported, { 'intent.resource': resource, ...callOf('view') })).to.equal(verdict);
    const forOne = (effect: string): string =>
      `${rules('a')}---\nprincipalPolicy:\n  principal: eve\n  rules:\n    - resource: a\n      actions:\n        - { action: view, effect: EFFECT_ALLOW }\n        - { action: delete, effect: ${effect} }\n`;
    expect(read(forOne('EFFECT_ALLOW')).notes.map(({ kind }) => kind)).to.deep.equal(['different']);
    for (const effect of ['EFFECT_DENY', 'EFFECT_DENIED'])
      expect(() => read(forOne(effect)), effect).to.throw(ImportError, 'c.yaml:12 delete');
    expect(read(forOne('EFFECT_DENY').replace('---', '---\ndisabled: true')).rules.imported).to.equal(1);
  });

  it('that are no policies of the format are refused with a sentence', () => {
    for (const text of ['', 'a: [', 'just text', 'rules: 5', '- 1', 'a: &a [*a, *a]'])
      expect(() => importAgt({ name: 'x.yaml', text }, { lexicon, fields: {} }), text).to.throw(ImportError, 'x.yaml');
    for (const text of ['', 'a: [', 'resourcePolicy: {}', 'resourcePolicy: { resource: a, rules: 5 }'])
      expect(() => importCerbos([{ name: 'x.yaml', text }], { lexicon }), text).to.throw(ImportError);
  });
});
