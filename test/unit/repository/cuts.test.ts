// Limits of the readers of texts. What is cut silently may be what does harm, so each limit is counted here, with what makes it safe.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

const FOLDER = path.join(findRoot(), 'shared/core/intent');

/** What is done with what a limit leaves out. */
const SAYS = 'the rest counts as not understood, as hidden or as outside';
const STRICTER = 'what is longer is read as graver';
const SHOWN = 'only of what is shown, or remembered';
const NEAR = 'the distance of words that belong together in a sentence, or the place of a subcommand';
const KIND = 'what is longer is nothing of that kind: no file, host or sum has such a name';
const REST = 'the rest is read too, in a way that takes less time, or by another reader';

/** The number of limits in a file, and what makes them safe. `firstOf` and `beginningOf` are not counted: they say what they cut. */
const ALLOWED: Readonly<Record<string, readonly [count: number, ...reasons: readonly string[]]>> = {
  'assess/candidates.ts': [2, NEAR],
  'assess/lead.ts': [1, SHOWN],
  'attack/features.ts': [1, REST],
  'attack/flags.ts': [1, NEAR],
  'attack/learned.ts': [1, SHOWN],
  'attack/posing.ts': [1, REST],
  'code/call-start.ts': [3, REST, STRICTER],
  'code/call-syntax.ts': [6, SAYS],
  'code/calls.ts': [1, SHOWN],
  'code/commands.ts': [1, STRICTER],
  'code/configuration.ts': [1, REST],
  'code/found-settings.ts': [3, SAYS],
  'code/fragments.ts': [1, REST],
  'code/graphql.ts': [1, SHOWN],
  'code/http-query.ts': [3, STRICTER],
  'code/http-start.ts': [7, SAYS, NEAR],
  'code/http.ts': [6, SAYS, STRICTER],
  'code/judged-settings.ts': [2, SAYS, SHOWN],
  'code/lines.ts': [2, SAYS],
  'code/mentioned.ts': [1, NEAR],
  'code/names.ts': [3, REST],
  'code/printed.ts': [1, SAYS],
  'code/program/calls.ts': [2, REST],
  'code/program/contents.ts': [1, SAYS],
  'code/program/deeds.ts': [2, SAYS],
  'code/program/gaps.ts': [2, STRICTER],
  'code/program/judge.ts': [1, SAYS],
  'code/program/program.ts': [4, SAYS],
  'code/program/texts.ts': [1, STRICTER],
  'code/program/tree.ts': [4, SAYS],
  'code/program/values.ts': [3, STRICTER],
  'code/program/variables.ts': [4, SAYS, REST],
  'code/script.ts': [2, SAYS],
  'code/settings.ts': [5, SAYS, NEAR],
  'code/shell-code.ts': [1, SAYS],
  'code/shell-command.ts': [3, SAYS],
  'code/shell-files.ts': [3, NEAR],
  'code/shell-start.ts': [7, NEAR, SAYS],
  'code/shell-syntax.ts': [6, SAYS],
  'code/shell.ts': [1, SAYS],
  'code/short-programs.ts': [1, SAYS],
  'code/sql-start.ts': [3, STRICTER, REST],
  'code/sql-statement.ts': [1, SHOWN],
  'code/sql.ts': [2, SAYS],
  'code/tool-calls.ts': [2, SAYS],
  'code/value-kinds.ts': [1, STRICTER],
  'code/yaml.ts': [5, SAYS],
  'coverage/coverage.ts': [5, SHOWN, REST],
  'coverage/destructive-words.ts': [1, REST],
  'grammar/antecedent.ts': [1, NEAR],
  'grammar/changes.ts': [2, NEAR],
  'grammar/context.ts': [1, NEAR],
  'grammar/destinations.ts': [2, SAYS, NEAR],
  'grammar/end-states.ts': [1, NEAR],
  'grammar/implied-parts.ts': [1, NEAR],
  'grammar/leads.ts': [1, NEAR],
  'grammar/meaning.ts': [2, NEAR],
  'grammar/needs.ts': [1, NEAR],
  'grammar/object.ts': [5, NEAR],
  'grammar/questions.ts': [3, NEAR],
  'grammar/request-object.ts': [3, NEAR],
  'grammar/set-values.ts': [4, REST, NEAR],
  'grammar/sums.ts': [1, NEAR],
  'grammar/verb-slots.ts': [2, NEAR],
  'harm/estimate.ts': [3, SHOWN],
  'harm/features.ts': [1, SHOWN],
  'languages/known.ts': [1, NEAR],
  'languages/one-language.ts': [1, REST],
  'languages/told.ts': [2, NEAR],
  'normalized.ts': [1, REST],
  'parse.ts': [5, SHOWN, STRICTER],
  'readings.ts': [3, REST, NEAR],
  'resource.ts': [5, SAYS],
  'second-reading.ts': [3, SHOWN],
  'text/encodings.ts': [9, SAYS, REST],
  'text/entities.ts': [3, KIND],
  'text/glued.ts': [2, NEAR, STRICTER],
  'text/secrets.ts': [4, NEAR],
  'text/text.ts': [2, SAYS],
  'text/tokens.ts': [4, NEAR],
};

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, '');

/** A part of a list or text up to a limit, and a comparison with a limit: a constant, or a number of two digits. */
const LIMITS =
  /\.slice\((?:[^()]|\([^()]*\))*?\b(?:MAX|MOST)_[A-Z_]+|\.slice\(0, [\d_]{2,}\)|\.split\([^()]*\b(?:MAX|MOST)_[A-Z_]+|(?:[<>]=?|[!=]==) (?:[\w.]+ [+-] )?(?:MAX|MOST)_[A-Z_]+|\bMath\.min\([^()]*\b(?:MAX|MOST)_[A-Z_]+|\.(?:length|size) (?:[<>]=?|[!=]==) [\d_]{2,}/g;

describe('the limits of the readers', () => {
  it('are known: no new one cuts a text without anybody having said what becomes of the rest', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('lexicon'))
      .sort();
    const found = files.map((name): [string, readonly string[]] => {
      const code = withoutComments(readFileSync(path.join(FOLDER, name), 'utf8'));
      return [name.replaceAll(path.sep, '/'), code.match(LIMITS) ?? []];
    });
    const shown = found.flatMap(([file, limits]) =>
      limits.length === (ALLOWED[file]?.[0] ?? 0) ? [] : limits.map((limit) => `${file}: ${limit}`),
    );
    expect(shown, 'limits that are not counted, or are no longer there').to.deep.equal([]);
    expect(Object.keys(ALLOWED)).to.deep.equal(found.filter(([, limits]) => limits.length > 0).map(([file]) => file));
  });
});
