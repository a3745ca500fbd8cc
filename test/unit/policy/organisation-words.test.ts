// Words of one organisation in the tools of policy authors: test cases and explanations parse as the service does for it.
import { lexiconFile } from '../../support/lexicon.ts';
import { expect } from 'chai';
import { factsOfQuestion, type QuestionOptions } from '../../../cli/policy/question.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { filesOf, policy } from './support.ts';
import { casesOf } from './testing-support.ts';

const shipped = JSON.parse(lexiconFile().text) as object;
const organisations = { rail: { verbs: [{ action: 'delete', verbs: ['derail'] }] } };
const reads = policy('reads', 'ALLOW', { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: 'read' }] });
const loaded = loadPolicySet(
  filesOf([reads]),
  { path: 'lexicon.json', text: JSON.stringify({ ...shipped, organisations }) },
  { compileLexicon },
);

describe('the words of one organisation', () => {
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  const { set } = loaded;
  const text = { text: 'Derail the train' };
  const read = (document: object) =>
    casesOf([{ path: 't.json', text: JSON.stringify({ name: 'words', ...document }) }], set);

  it('apply in a case of that organisation and in no other, even with a shared fixture', () => {
    const { cases, findings } = read({
      fixtures: { intents: { derail: text } },
      cases: [
        { name: 'fixture, rail', agent: {}, organisation: 'rail', intent: 'derail' },
        { name: 'fixture, other', agent: {}, intent: 'derail' },
        { name: 'text, rail', agent: {}, organisation: 'rail', intent: text },
        { name: 'string, rail', agent: {}, organisation: 'rail', intent: 'derail:trains/7' },
      ],
    });
    expect(findings).to.deep.equal([]);
    expect(cases.map(({ facts }) => facts.intent.action)).to.deep.equal(['delete', 'unknown', 'delete', 'delete']);
  });

  it('apply in a file and in a matrix of that organisation', () => {
    const { cases, findings } = read({
      organisation: 'rail',
      fixtures: { agents: { a: {} }, intents: { derail: 'trains.derail.train' } },
      matrix: [{ name: 'm', agents: ['a'], intents: ['derail'], expect: {} }],
    });
    expect(findings).to.deep.equal([]);
    expect(cases.map(({ facts }) => facts.intent.action)).to.deep.equal(['delete']);
  });

  it('are unknown to others: a string with such a verb is reported at the fixture', () => {
    const { findings } = read({
      fixtures: { intents: { derail: 'trains.derail.train' } },
      cases: [{ name: 'c', agent: {}, intent: 'derail' }],
    });
    expect(findings.map(({ code, pointer }) => [code, pointer])).to.deep.equal([
      ['BAD_INTENT', '/fixtures/intents/derail'],
    ]);
  });

  it('apply in an explanation for that organisation', () => {
    const question = (organisation: string): QuestionOptions => ({
      text: text.text,
      agent: 'a',
      registered: true,
      status: 'ACTIVE',
      capability: [],
      tag: [],
      environment: 'live',
      organisation,
    });
    const actionFor = (organisation: string) => factsOfQuestion(question(organisation), set, 0).intent.action;
    expect(['rail', 'other'].map(actionFor)).to.deep.equal(['delete', 'unknown']);
  });
});
