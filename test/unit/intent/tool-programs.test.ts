// Programs that call what they do not define: such calls are read as those of tools, and none more mildly.
import { expect } from 'chai';
import { gravity, NOT_UNDERSTOOD } from '../../../shared/core/intent/code/code.ts';
import type { ProgramLanguage } from '../../../shared/core/intent/lexicon/programs.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { JAVASCRIPT_WAYS, PYTHON_WAYS, type Sink } from './hidden-effects.ts';
import { shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();
const WAYS = { python: PYTHON_WAYS, javascript: JAVASCRIPT_WAYS };
const LANGUAGES: readonly ProgramLanguage[] = ['python', 'javascript'];

/** Functions of tools that do harm. */
const SINKS: readonly Sink[] = [
  { module: 'store', name: 'purge', args: "'customers'" },
  { module: 'bank', name: 'transfer', args: "900, 'DE89370400440532013000'" },
  { module: 'users', name: 'deleteAll', args: "'all'" },
  { module: 'iam', name: 'grant_admin', args: "'mallory'" },
  { module: 'db', name: 'drop_table', args: "'users'" },
];
const around: Readonly<Record<ProgramLanguage, (text: string) => string>> = {
  python: (text) => `rows = reports.list()\nprint(len(rows))\n${text}\n`,
  javascript: (text) => `const rows = await reports.list();\nconsole.log(rows.length);\n${text}\n`,
};
const isGrave = (text: string): boolean => gravity(parseIntent(text, lexicon)) >= gravity(NOT_UNDERSTOOD);
/** Whether a way has a program of its own, whichever function is called. */
const isFixed = (way: (sink: Sink) => string): boolean => new Set(SINKS.map(way)).size === 1;
const pair = (call: string, name: string, given: string) => ({
  program: `${call}\n`,
  tool: JSON.stringify({ tool: name, arguments: JSON.parse(given) as unknown }),
});

for (const language of LANGUAGES)
  describe(`a program in ${language} that hides which tool it calls`, () => {
    for (const [name, way] of Object.entries(WAYS[language]).filter(([, one]) => !isFixed(one)))
      it(`is not read more mildly than the call: ${name}`, () => {
        for (const sink of SINKS)
          for (const text of [way(sink), around[language](way(sink))]) expect(isGrave(text), text).to.equal(true);
      });
  });

describe('a call of a tool in a program', () => {
  it('is at least as grave as the same call in JSON', () => {
    const calls = [
      pair('tickets.search(query="printer")', 'tickets.search', '{"query": "printer"}'),
      pair('tickets.create(title="Paper is out")', 'tickets.create', '{"title": "Paper is out"}'),
      pair('payouts.create(amount=90)', 'payouts.create', '{"amount": 90}'),
      pair('users.update(id=4, role="admin")', 'users.update', '{"id": 4, "role": "admin"}'),
      pair('backups.update(enabled=False)', 'backups.update', '{"enabled": false}'),
      pair('chat.post(channel="#ops", text="hello")', 'chat.post', '{"channel": "#ops", "text": "hello"}'),
      pair('files.remove(path="a.txt")', 'files.remove', '{"path": "a.txt"}'),
      pair('reports.fetch(sql="DROP TABLE x")', 'reports.fetch', '{"sql": "DROP TABLE x"}'),
    ];
    for (const { program, tool } of calls) {
      const longer = `print(1)\n${program}`;
      expect(gravity(parseIntent(longer, lexicon)), program).to.be.at.least(gravity(parseIntent(tool, lexicon)));
    }
  });

  it('is not understood by a name that says nothing, and its coverage says that only names were read', () => {
    for (const name of ['run', 'process', 'handle', 'sync', 'sweep', 'apply', 'execute', 'load'])
      expect(parseIntent(`rows = orders.list()\nthings.${name}(rows)\n`, lexicon).action, name).to.equal('unknown');
    const read = parseIntent('rows = orders.list()\nprint(len(rows))\n', lexicon);
    expect([read.action, read.coverage]).to.deep.equal(['read', 0.8]);
    expect(parseIntent('rows = [1, 2]\nprint(len(rows))\n', lexicon).coverage).to.equal(1);
  });

  it('is not understood in a program of more calls than are read', () => {
    const program = Array.from({ length: 40 }, (_, at) => `print(orders.list(page=${at}))\n`).join('');
    expect(parseIntent(program, lexicon).action).to.equal('unknown');
  });
});
