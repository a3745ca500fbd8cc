// Code that a text only mentions: it explains, asks about or searches for the code, and runs nothing. And words that only run it.
import type { CandidateAction } from '../grammar/candidate.ts';
import type { Segments } from '../segments.ts';
import type { Fragment } from './code.ts';

const SEPARATED = /[;&|]\s{0,8}$/;
/** After a command: the line goes on with another one. */
const GOES_ON = /^["'`)\s]{0,4}(?:\||&&|;)/;
const JOINED = /\b(?:and|then|or|plus)\s{1,8}$/i;
/** ``document why `rm -rf x` is needed`` */
const TELLS_ABOUT = /\b(?:why|how|what|whether)\s{1,3}["'`]$/i;
const IS_TOLD = /^["'`]\s{1,3}(?:is|was|are|does|did|would|could|can|might|fails?|raises?)\b/i;
const EXAMINES =
  /^(?:analyze|analyse|review|compare|check|find|search|look|read|show|grep|count|log|locate|match|highlight|debug|audit|evaluate|assess|verify|validate)/;
const REWRITES = /^(?:convert|port|rewrite|reformat|beautify|minify)$/;
const runs = (verb: string): boolean => verb === 'run' || verb === 'execute';

/** Whether the requests of a text, in words, only mention a piece of its code; `previousAt` is where the code before it begins. */
export function isMentioned(
  fragment: Fragment,
  previousAt: number,
  requests: readonly CandidateAction[],
  { text, sentences, code }: Pick<Segments, 'text' | 'sentences' | 'code'>,
): boolean {
  if (fragment.inComment) return true;
  const before = (characters: number): string => text.slice(Math.max(0, fragment.at - characters), fragment.at);
  // A command after a separator is part of a command line, not of a sentence.
  if (fragment.language === 'shell' && SEPARATED.test(before(12))) return false;
  // A word of the same command line is no verb of a sentence: `git branch | grep x | xargs git branch -d`.
  const isCommand = (at: number) =>
    code.some(
      (one) =>
        one.language === 'shell' &&
        one.at <= at &&
        at < one.end &&
        (fragment.at < one.end || (fragment.language === 'shell' && GOES_ON.test(text.slice(one.end, one.end + 8)))),
    );
  const isBefore = (request: CandidateAction) =>
    request.at < fragment.at && request.source !== 'code' && !isCommand(request.at);
  const last = requests.findLast(isBefore);
  // What a comment says governs nothing after it.
  if (!last || text.slice(last.at, fragment.at).includes('*/')) return false;
  // `check x and drop table y` contains two requests; `explain what drop table and delete from do` mentions both.
  if (
    fragment.effect !== 'read' &&
    previousAt < last.at &&
    requests.some((request) => request.at === fragment.at && !request.negated) &&
    JOINED.test(before(16))
  )
    return false;
  const after = text.slice(fragment.end, fragment.end + 24);
  const talks =
    (TELLS_ABOUT.test(before(12)) && IS_TOLD.test(after)) ||
    last.mentions ||
    (last.tells && last.action !== 'read' && fragment.language === 'http') ||
    REWRITES.test(last.verb) ||
    (last.action === 'read' && fragment.effect !== 'read' && EXAMINES.test(last.verb));
  // `grep found X; run that statement` runs it after all.
  if (requests.some(({ verb, at, negated }) => at > fragment.at && !negated && runs(verb))) return false;
  const isRun = () => requests.some((request) => request.action === 'execute' && isBefore(request));
  if (!(last.negated || (talks && !isRun()))) return false;
  return sentences.some((sentence) => {
    const start = sentence[0]?.at ?? 0;
    const end = sentence.at(-1)?.at ?? 0;
    return start <= last.at && fragment.at <= end + 1;
  });
}

const MAX_BETWEEN = 60;
/** Words that only say that code is to be run: `run`, `execute the following query:`. The code itself says what that does. */
const CARRIES =
  /^[a-z]{2,10}(?:\s{1,3}(?:the|this|these|following|command|commands|query|statement|sql|script|code|request|line|in|bash|shell|it|for|me|please|a|an|http|terminal|on)){0,6}[\s:`"'$>(#]{0,8}(?:bash\s|sh\s|sql\s)?$/i;

/** Whether the words from `at` to a piece of code say nothing but that it is to be run. */
export const onlyRuns = (text: string, at: number, codeAt: number): boolean =>
  codeAt > at && codeAt - at <= MAX_BETWEEN && CARRIES.test(text.slice(at, codeAt));
