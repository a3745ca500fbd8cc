// What a command does depends neither on how its options are written nor on what it is run by.
import { expect } from 'chai';
import fc from 'fast-check';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { runs } from '../property/runs.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { lexiconJson } from './lexicon.ts';

// Learned weights would hide what the rules do not see.
const { harm: _, ...rules } = lexiconJson();
const lexicon = compileLexicon(rules);
const read = (text: string) => parseIntent(text, lexicon);

const HARM = fc.constantFrom(
  'rm -rf /srv/data',
  'dropdb shop',
  'userdel -r ana',
  'kubectl delete ns prod',
  'systemctl stop auditd',
);
const WRAPPERS: readonly ((code: string) => string)[] = [
  (code: string) => `sudo -u root ${code}`,
  (code: string) => `env -i A=b ${code}`,
  (code: string) => `nice -n 19 ${code}`,
  (code: string) => `timeout --signal=KILL 30 ${code}`,
  (code: string) => `nohup ${code} &`,
  (code: string) => `xargs -n1 ${code}`,
  (code: string) => `ssh -p 22 web1 ${code}`,
  (code: string) => `docker --log-level debug exec -it web ${code}`,
  (code: string) => `docker container exec web ${code}`,
  (code: string) => `podman exec web ${code}`,
  (code: string) => `kubectl -n prod exec pod -- ${code}`,
  (code: string) => `oc exec pod -c app -- ${code}`,
  (code: string) => `conda run -n x ${code}`,
  (code: string) => `git submodule foreach ${code}`,
  (code: string) => `ls; ${code}`,
  (code: string) => `(ls) && ${code}`,
  (code: string) => `if true; then ${code}; fi`,
  (code: string) => `for i in 1 2; do ${code}; done`,
  (code: string) => `cat <<EOF\n$(${code})\nEOF`,
  (code: string) => `bash <<EOF\n${code}\nEOF`,
  (code: string) => `ssh web1 bash -s <<EOF\n${code}\nEOF`,
  (code: string) => `echo '${code}' | ssh web1`,
];

describe('a command that destroys', () => {
  it('is never less than that or unknown, whatever runs it', () => {
    const wrappers = fc.array(fc.constantFrom(...WRAPPERS.slice(0, 14)), { maxLength: 2 });
    fc.assert(
      fc.property(HARM, wrappers, fc.constantFrom(...WRAPPERS), (code, inner, outer) => {
        const text = outer(inner.reduce<string>((wrapped, wrap) => wrap(wrapped), code));
        const { effect, action } = read(text);
        expect(
          effect === 'destructive' || action === 'unknown' || action === 'revoke',
          `${text}: ${action} ${effect}`,
        ).to.equal(true);
      }),
      runs(300, 0.1),
    );
  });
});

describe('code in an option', () => {
  const clients = fc.constantFrom(
    { client: 'psql', flags: ['t', 'A', 'q', 'X', '1'], letter: 'c', long: '--command' },
    { client: 'mysql', flags: ['N', 'B', 's', 'v'], letter: 'e', long: '--execute' },
    { client: 'sqlcmd', flags: ['b', 'I'], letter: 'Q', long: '' },
  );

  it('is the same in a cluster, right after its letter, in a short form and after other options', () => {
    fc.assert(
      fc.property(
        clients,
        fc.nat(4),
        fc.nat(4),
        fc.constantFrom('DROP TABLE users', 'DELETE FROM users'),
        (of, from, cut, sql) => {
          const cluster = `${of.flags.slice(from % of.flags.length).join('')}${of.letter}`;
          const long =
            of.long === ''
              ? []
              : [`${of.long}="${sql}"`, `${of.long.slice(0, Math.max(5, of.long.length - cut))} "${sql}"`];
          for (const option of [
            `-${of.letter} "${sql}"`,
            `-${of.letter}"${sql}"`,
            `-${cluster} "${sql}"`,
            `-${cluster}"${sql}"`,
            ...long,
          ])
            expect(read(`${of.client} ${option}`).effect, `${of.client} ${option}`).to.equal('destructive');
        },
      ),
      runs(100, 0.1),
    );
  });
});
