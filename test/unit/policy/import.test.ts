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

const onDoc = { 'intent.resource': 'doc/1', ...callOf('view') };
const cerbosOf = (...rules: string[]): ImportResult =>
  importCerbos(
    [
      {
        name: 'c.yaml',
        text: `resourcePolicy:\n  resource: doc\n  rules:\n    - { actions: ['*'], effect: EFFECT_ALLOW, roles: ['*'] }\n${rules.map((rule) => `    - ${rule}\n`).join('')}`,
      },
    ],
    { lexicon },
  );
const cerbosRefusing = (expression: string): ImportResult =>
  cerbosOf(
    `{ actions: ['*'], effect: EFFECT_DENY, roles: ['*'], condition: { match: { expr: ${JSON.stringify(expression)} } } }`,
  );

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
    const result = importAgt([sourceOf('bank.yaml')], { lexicon, fields });
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
    const result = importAgt([{ name: 'order.yaml', text }], { lexicon, fields: {} });
    expect(result.notes.map(({ line, rule, kind }) => `${line} ${rule} ${kind}`)).to.deep.equal([
      '6 odd stricter',
      '5 reads left out',
    ]);
    const withoutOdd = importAgt(
      [
        {
          name: 'order.yaml',
          text: text
            .split('\n')
            .filter((line) => !line.includes('odd'))
            .join('\n'),
        },
      ],
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
      [
        {
          name: 'odd.yaml',
          text: 'rules:\n  - { name: a, when: { field: tool_name, operator: eq, value: x }, action: allow }\n  - { name: b, condition: { field: tool_name, operator: eq, value: x }, action: quarantine }\n',
        },
      ],
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
      const imported = importAgt([{ name: 'a.yaml', text: rules(second) }], { lexicon, fields: {} });
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

  it('of Cedar permit an action on anything for the tools of one server, and refuse it on all', async () => {
    const called = (server: string, name: string) => {
      const { tool } = callOf(name);
      return { tool: { ...tool, server } };
    };
    for (const permit of [
      'permit(principal, action == Action::"view", resource);',
      'permit(principal, action in [Action::"view", Action::"list"], resource);',
      'permit(principal, action, resource) when { action == Action::"view" };',
      'permit(principal, action, resource) when { context.n == 1 || !(action != Action::"view") };',
      'permit(principal, action, resource) unless { action == Action::"delete" };',
    ]) {
      const imported = cedar(permit);
      expect(await verdictFor(imported, { context: { n: 2 }, ...called('p', 'view') }), permit).to.equal('ALLOW');
      expect(await verdictFor(imported, { context: { n: 2 }, ...called('mail', 'view') }), permit).to.equal('DENY');
      expect(imported.notes.map(({ kind }) => kind)).to.include('stricter');
    }
    const refusing = cedar(
      'permit(principal, action, resource); forbid(principal, action == Action::"view", resource);',
    );
    for (const server of ['p', 'mail'])
      expect(await verdictFor(refusing, called(server, 'view')), server).to.equal('DENY');
  });

  it('of Cerbos permit nothing for a scope, refuse everywhere what is refused in one, and have one version', async () => {
    const read = (...documents: string[]): ImportResult =>
      importCerbos([{ name: 'c.yaml', text: documents.join('---\n') }], { lexicon });
    const policy = (effect: string, action: string, more = ''): string =>
      `resourcePolicy:\n  resource: doc\n${more}  rules:\n    - { actions: [${action}], effect: EFFECT_${effect}, roles: ['*'] }\n`;
    const inScope = '  scope: acme.corp\n';
    const root = policy('ALLOW', 'view, edit');
    const scoped = read(root, policy('ALLOW', 'delete', inScope), policy('DENY', 'edit', `  scope: other\n`));
    expect(scoped.notes.map(({ line, kind }) => `${line} ${kind}`)).to.deep.equal([
      '8 stricter',
      '10 left out',
      '14 stricter',
    ]);
    const verdictOf = (imported: ImportResult, name: string): Promise<string> =>
      verdictFor(imported, { 'intent.resource': 'doc/1', ...callOf(name) });
    expect(await verdictOf(scoped, 'view')).to.equal('ALLOW');
    expect(await verdictOf(scoped, 'edit')).to.equal('DENY');
    expect(await verdictOf(scoped, 'delete')).to.equal('DENY');
    expect(() => read(policy('ALLOW', 'view', inScope))).to.throw(ImportError, 'no rule');
    const narrowing = `${inScope}  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS\n`;
    expect(() => read(root, policy('ALLOW', 'view', narrowing))).to.throw(ImportError, 'c.yaml:9');
    expect(() => read(root, policy('ALLOW', 'delete', '  version: next\n'))).to.throw(
      ImportError,
      'versions default and next',
    );
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

  it('read the texts of each language as it does, or not at all', async () => {
    const forbidding = (text: string): ImportResult =>
      cedar(
        `permit(principal, action, resource); forbid(principal, action, resource) when { context.who == ${text} };`,
      );
    for (const text of ['"Al"', String.raw`"\x41\u{6c}"`, String.raw`"\u{41}l"`]) {
      expect(await verdictFor(forbidding(text), { context: { who: 'Al' } }), text).to.equal('DENY');
      expect(await verdictFor(forbidding(text), { context: { who: 'Bo' } }), text).to.equal('ALLOW');
    }
    for (const text of [String.raw`"\q"`, String.raw`"\u0041"`, String.raw`"\x80"`, String.raw`"\u{d800}"`])
      expect(() => forbidding(text), text).to.throw(ImportError, 'p.cedar:1');
    const cel = (text: string): ImportResult => cerbosRefusing(`P.id == ${text}`);
    for (const text of [String.raw`"\x41\154"`, String.raw`'\u0041l'`, String.raw`"\U00000041\X6c"`]) {
      expect(await verdictFor(cel(text), { ...onDoc, 'agent.id': 'Al' }), text).to.equal('DENY');
      expect(await verdictFor(cel(text), { ...onDoc, 'agent.id': 'Bo' }), text).to.equal('ALLOW');
    }
    const unread = cel(String.raw`"\q"`);
    expect(unread.notes.map(({ kind }) => kind)).to.deep.equal(['stricter']);
    expect(await verdictFor(unread, { ...onDoc, 'agent.id': 'Bo' })).to.equal('DENY');
  });

  it('of Cerbos search texts for a part, and lists for an item', async () => {
    const part = cerbosRefusing('R.attr.title.contains("secret")');
    for (const [title, verdict] of [
      ['a secret plan', 'DENY'],
      ['a plan', 'ALLOW'],
    ])
      expect(await verdictFor(part, { ...onDoc, 'resource.attributes.title': title }), title).to.equal(verdict);
    const item = cerbosRefusing('"secret" in R.attr.labels');
    for (const [labels, verdict] of [
      [['secret'], 'DENY'],
      [['a secret plan'], 'ALLOW'],
    ])
      expect(await verdictFor(item, { ...onDoc, 'resource.attributes.labels': labels })).to.equal(verdict);
    // CEL has no such method of lists: an error, by which nothing is permitted.
    const permitting = cerbosOf(
      '{ actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: P.roles.contains("root") } } }',
    );
    expect(permitting.notes.map(({ kind }) => kind)).to.deep.equal(['left out']);
  });

  it('of Cerbos take derived roles from the sets that a policy imports alone', async () => {
    const set = (name: string, definition: string): string =>
      `derivedRoles:\n  name: ${name}\n  definitions:\n    - { name: owner, ${definition} }\n---\n`;
    const strict = set('strict', 'parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } }');
    const loose = set('loose', "parentRoles: ['*']");
    const policy = (imports: string): string =>
      `resourcePolicy:\n  resource: doc\n  importDerivedRoles: [${imports}]\n  rules:\n    - { actions: ['*'], effect: EFFECT_ALLOW, derivedRoles: [owner] }\n    - { actions: [other], effect: EFFECT_ALLOW, roles: [user] }\n`;
    const read = (text: string): ImportResult => importCerbos([{ name: 'c.yaml', text }], { lexicon });
    const owned = { ...onDoc, 'agent.id': 'eve', 'agent.tags': ['user'] };
    for (const text of [strict + loose + policy('strict'), loose + strict + policy('strict')]) {
      expect(await verdictFor(read(text), { ...owned, 'resource.attributes.owner': 'eve' })).to.equal('ALLOW');
      expect(await verdictFor(read(text), { ...owned, 'resource.attributes.owner': 'bob' })).to.equal('DENY');
    }
    for (const imports of ['', 'strict, loose', 'unknown'])
      expect(read(strict + loose + policy(imports)).notes.map(({ kind }) => kind)[0], imports).to.equal('left out');
    expect(() => read(strict + strict + policy('strict'))).to.throw(ImportError, 'two sets of derived roles strict');
  });

  it('of Cerbos refuse a policy for a role, which denies what it does not list', () => {
    const text =
      "resourcePolicy:\n  resource: doc\n  version: staging\n  rules:\n    - { actions: ['*'], effect: EFFECT_ALLOW, roles: ['*'] }\n";
    const role = 'rolePolicy:\n  role: user\n  rules:\n    - { resource: doc, allowActions: [view] }\n';
    const read = (of: string): ImportResult => importCerbos([{ name: 'c.yaml', text: of }], { lexicon });
    expect(read(text).notes.map(({ line, kind }) => `${line} ${kind}`)).to.deep.equal(['3 different']);
    expect(() => read(`${text}---\n${role}`)).to.throw(ImportError, 'c.yaml:8 a policy for a role');
    expect(read(`${text}---\ndisabled: true\n${role}`).rules.imported).to.equal(1);
  });

  it('of the toolkit lose no part of a condition, and no order of rules', async () => {
    const read = (...rules: string[]): ImportResult =>
      importAgt([{ name: 'a.yaml', text: `rules:\n${rules.map((rule) => `  - { name: r, ${rule} }\n`).join('')}` }], {
        lexicon,
        fields: {},
      });
    const any = 'condition: { field: agent_id, operator: exists }';
    // Each permits everything when the part that is not read, or not known, is left out.
    for (const rule of [
      'action: allow, condition: { field: agent_id, operator: exists, all: [{ field: size, operator: eq, value: 1 }] }',
      'action: allow, condition: { all: [{ field: agent_id, operator: exists }], any: [{ field: size, operator: eq, value: 1 }] }',
      'action: allow, condition: { field: agent_id, operator: exists, negate: true }',
      'action: allow, conditions: { field: size, operator: eq, value: 1 }, ' + any,
      'action: allow, condition: { all: [] }',
      'action: allow, enabled: false, ' + any,
      'action: allow, condition: { field: size, operator: in, value: "12" }',
      'action: allow, condition: { field: size, operator: eq, value: null }',
      'action: allow, condition: { field: size, operator: eq, value: { fact: context, path: size } }',
      'action: allow, condition: { field: size, operator: matches, value: "(?=a)" }',
    ]) {
      const imported = read(rule, `action: deny, condition: { field: other, operator: exists }`);
      expect(
        imported.notes.map(({ kind }) => kind),
        rule,
      ).to.deep.equal(['left out']);
      expect(await verdictFor(imported, { context: { size: 2 } }), rule).to.equal('DENY');
    }
    const absent = read('action: allow, condition: { field: size, operator: exists, value: false }');
    expect(await verdictFor(absent, { context: { size: 2 } })).to.equal('DENY');
    expect(await verdictFor(absent, {})).to.equal('ALLOW');
    const ordered = read(`action: deny, priority: "10", ${any}`, `action: allow, priority: 9, ${any}`);
    expect(await verdictFor(ordered, {})).to.equal('DENY');
    expect(() => read(`action: deny, priority: high, ${any}`)).to.throw(ImportError, 'a.yaml:2');
  });

  it('of the toolkit that belong together permit by default only what all of them do', async () => {
    const document = (action: string): string =>
      `defaults: { action: ${action} }\nrules:\n  - { name: r, action: deny, condition: { field: size, operator: gt, value: 5 } }\n`;
    for (const [first, second, verdict] of [
      ['allow', 'allow', 'ALLOW'],
      ['allow', 'deny', 'DENY'],
      ['deny', 'allow', 'DENY'],
    ] as const) {
      const sources = [first, second].map((action, i) => ({ name: `d${i}.yaml`, text: document(action) }));
      expect(await verdictFor(importAgt(sources, { lexicon, fields: {} }), { context: { size: 1 } })).to.equal(verdict);
    }
  });

  it('are loaded, whatever their names and members are', async () => {
    const twice = cedar(
      '@id("a") permit(principal, action, resource); @id("a") permit(principal, action, resource); @id("a-2") forbid(principal, action, resource) when { context.x == 1 };',
    );
    expect(await verdictFor(twice, { context: { x: 1 } })).to.equal('DENY');
    const present = cedar('permit(principal, action, resource) when { principal has team };');
    expect(await verdictFor(present, { 'agent.attributes.team': 'red' })).to.equal('ALLOW');
    expect(await verdictFor(present, {})).to.equal('DENY');
    for (const condition of [
      'context["a.b"] == 1',
      'context.n == 9007199254740993',
      'context.x.containsAny([1, "a"])',
    ]) {
      const imported = cedar(
        `permit(principal, action, resource); forbid(principal, action, resource) when { ${condition} };`,
      );
      expect(
        imported.notes.map(({ kind }) => kind),
        condition,
      ).to.deep.equal(['stricter']);
      expect(await verdictFor(imported, { context: { a: { b: 2 } } }), condition).to.equal('DENY');
    }
  });

  it('that are no policies of the format are refused with a sentence', () => {
    for (const text of ['', 'a: [', 'just text', 'rules: 5', '- 1', 'a: &a [*a, *a]'])
      expect(() => importAgt([{ name: 'x.yaml', text }], { lexicon, fields: {} }), text).to.throw(
        ImportError,
        'x.yaml',
      );
    for (const text of ['', 'a: [', 'resourcePolicy: {}', 'resourcePolicy: { resource: a, rules: 5 }'])
      expect(() => importCerbos([{ name: 'x.yaml', text }], { lexicon }), text).to.throw(ImportError);
  });
});
