// The frame of the dashboard: which commands of the palette fit a text, where an id leads, and the counts of the menu.
import { expect } from 'chai';
import { badgesOf, shortCount } from '../../../ingress/dashboard/client/badges.ts';
import { type Command, found, jumpsOf } from '../../../ingress/dashboard/client/commands.ts';
import type { Overview } from '../../../ingress/dashboard/client/wire/overview.ts';

const command = (title: string, words = ''): Command => ({
  id: title,
  title,
  words,
  group: 'Pages',
  icon: 'gauge',
  run: () => undefined,
});
const COMMANDS = [
  command('Agents', 'trust'),
  command('Dead jobs', 'failed retry'),
  command('Keys', 'api tokens'),
  command('API reference', 'docs'),
];

describe('the palette', () => {
  for (const [typed, titles] of [
    ['', ['Agents', 'Dead jobs', 'Keys', 'API reference']],
    ['ap', ['API reference', 'Keys']],
    ['JOBS dead', ['Dead jobs']],
    ['retry', ['Dead jobs']],
    ['gents', []],
  ] as const)
    it(`finds ${JSON.stringify(titles)} for "${typed}": each word begins a word of the command, titles first`, () => {
      expect(found(COMMANDS, typed).map(({ title }) => title)).to.deep.equal(titles);
    });

  const ulid = '01jq3k5v7w9x1y3z5b7d9f1h3p';
  for (const [typed, pages] of [
    [` dec_${ulid} `, ['decisions']],
    [`apr_${ulid}`, ['approvals']],
    [`prf_${ulid}`, ['receipts']],
    ['dec_short', ['agents', 'receipts']],
    ['deploy-bot', ['agents', 'receipts']],
    ['  ', []],
  ] as const)
    it(`leads from "${typed}" to ${JSON.stringify(pages)}`, () => {
      expect(jumpsOf(typed).map(({ page }) => page)).to.deep.equal(pages);
    });
});

describe('the counts of the menu', () => {
  it('are those of waiting approvals, dead jobs and webhooks that fail, and none for zero', () => {
    // The members that the counts are made of.
    const overview = { log: null, deadJobs: 0, webhooks: { disabled: 1, failing: 1 }, system: null } as Overview;
    const approvals = { at: '', total: 120, newest: [] };
    const badges = badgesOf(overview, approvals);
    expect(badges.get('approvals')).to.deep.equal({ count: 120, tone: 'warn', text: '120 waiting' });
    expect(badges.get('webhooks')).to.include({ count: 2 });
    expect(badges.has('dead-jobs')).to.equal(false);
    expect(badgesOf(undefined, undefined).size).to.equal(0);
    expect([shortCount(99), shortCount(120)]).to.deep.equal(['99', '99+']);
  });
});
