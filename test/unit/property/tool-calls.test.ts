// Calls of tools in texts, over all verbs of the lexicon.
import { expect } from 'chai';
import fc from 'fast-check';
import { gravity } from '../../../shared/core/intent/code/code.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { runs } from './runs.ts';

const lexicon = shippedLexicon();
/** `get` reads in the name of a tool; in a sentence it may be to buy. */
const verbs = [...lexicon.verbs].flatMap(([word, { weak }]) =>
  /^[a-z]{2,20}$/.test(word) && !weak && word !== 'get' ? [word] : [],
);
const nouns = ['record', 'file', 'user', 'payment', 'permission', 'ticket', 'database', 'backup', 'message'];
const FORMS: readonly ((name: string) => string)[] = [
  (name) => JSON.stringify({ tool: name, arguments: { id: 'a7' } }),
  (name) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  (name) => JSON.stringify([{ type: 'function', function: { name: `crm.${name}`, arguments: '{"id":"a7"}' } }]),
  (name) => `${name}(id="a7")`,
];
const call = fc.record({
  verb: fc.constantFrom(...verbs),
  noun: fc.constantFrom(...nouns),
  form: fc.constantFrom(...FORMS),
});
/** Of what is done; traits differ with the words around it. `unknown`: of a text that is not understood. */
function gravityOf(text: string, unknown = 0): number {
  const { action, effect } = parseIntent(text, lexicon);
  return action === 'unknown' ? unknown : gravity({ action, effect, traits: [] });
}
/** The same of a call. No ALLOW matches what is unknown. */
const gravityOfCall = (text: string): number => gravityOf(text, Number.POSITIVE_INFINITY);

describe('calls of tools in texts', () => {
  it('are never milder than the sentence that their name is', () => {
    fc.assert(
      fc.property(call, ({ verb, noun, form }) => {
        const text = form(`${verb}_${noun}`);
        expect(gravityOfCall(text), text).at.least(gravityOf(`${verb} ${noun}`));
      }),
      runs(400),
    );
  });

  const SEPARATORS = ['; ', '\n', ' and ', ' || ', '\n\n# then\n'];
  it('are never milder in a program than the gravest of its calls', () => {
    fc.assert(
      fc.property(
        call,
        call,
        fc.constantFrom(...SEPARATORS),
        fc.constantFrom('', 'x = ', 'print('),
        (one, other, separator, lead) => {
          const [first, second] = [one, other].map(({ verb, noun }) => `${verb}_${noun}(id="a7")`);
          const text = `${first}${separator}${lead}${second}${lead === 'print(' ? ')' : ''}`;
          for (const single of [first ?? '', second ?? ''])
            expect(gravityOfCall(text), text).at.least(gravityOf(single));
        },
      ),
      runs(400),
    );
  });

  it('are never milder when a function is handed to another one than when it is called', () => {
    fc.assert(
      fc.property(
        call,
        fc.constantFrom('list_files(callback=$)', 'list(map($, list_files("a")))', 'f = $\nlist_files(f)'),
        ({ verb, noun }, form) => {
          const doing = lexicon.commandVerbs.get(verb);
          fc.pre(doing?.effect === 'destructive');
          const text = form.replace('$', `${verb}_${noun}`);
          expect(gravityOfCall(text), text).at.least(gravity({ action: 'delete', effect: 'destructive', traits: [] }));
        },
      ),
      runs(100),
    );
  });

  const NAMES = [
    'read_file',
    'list_users',
    'run_terminal_cmd',
    'bash',
    'execute',
    'code_interpreter',
    'get_report',
    'python',
    'frobnicate',
  ];
  const KEYS = ['command', 'cmd', 'script', 'code', 'sql', 'statement', 'program', 'shell', 'commands', 'argv'];
  const CODE = ['frobnicate --all', './x.sh prod', 'rm -rf /srv', 'x.go()', 'drop table users', 'aW1wb3J0IG9z'];
  it('are permitted by no ALLOW when code among their arguments is not understood or destroys, whatever their names', () => {
    for (const name of NAMES)
      for (const key of KEYS)
        for (const code of CODE) {
          const text = JSON.stringify({ name, arguments: { [key]: code } });
          const { action, effect } = parseIntent(text, lexicon);
          expect(action === 'unknown' || effect === 'destructive', text).to.equal(true);
        }
  });

  it('are never milder than the gravest of them', () => {
    fc.assert(
      fc.property(call, call, (one, other) => {
        const texts = [one, other].map(({ verb, noun }) => ({ tool: `${verb}_${noun}`, arguments: { id: 'a7' } }));
        const both = gravityOfCall(JSON.stringify(texts));
        for (const text of texts) expect(both, JSON.stringify(texts)).at.least(gravityOf(JSON.stringify(text)));
      }),
      runs(400),
    );
  });
});
