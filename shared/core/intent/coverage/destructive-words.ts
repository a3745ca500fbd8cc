// Finds words that destroy, in any form and anywhere in a text, which no request that was read accounts for.
import type { CandidateAction, OfSentence } from '../grammar/candidate.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { wordsOf } from '../grammar/request.ts';
import { K, someAre, type TaggedWords } from '../lexicon/word-kinds.ts';
import type { Sentences, Token } from '../text/tokens.ts';

/** A part of a text that no reading accounts for. */
export interface UnreadSpan {
  readonly at: number;
  readonly text: string;
}

/** Words of a token that may be several: an identifier, a path, a URL, a quotation. */
const PARTS = /[\p{Lu}]?[\p{Ll}\p{N}]+|[\p{Lu}]+(?![\p{Ll}])/gu;
const ONE_WORD = /^\p{Lu}\p{Ll}*$/u;
/** Letters with a sign between each two: `d-e-l-e-t-e`. */
const SPELLED_SIGNS = /[-._ ](?:[^-._ ]{1,2}[-._ ]){2}/;
const SPELLED = /(?<![\p{L}\p{N}])(?:\p{L}[-._ ]){3,15}\p{L}(?![\p{L}\p{N}])/gu;
const DOCUMENT = /\.(?:md|txt|html?|pdf|docx?|rst|adoc|csv|json|ya?ml|log|png|jpe?g|xlsx?)$/i;
const FILE = /\.[a-z0-9]{1,5}$/i;
const REACH = 4;

/** Whether the words before a participle ask for it to be done. */
const isAskedFor = (words: TaggedWords, at: number): boolean =>
  !someAre(words, at - REACH, at, K.reporting_participle) && someAre(words, at - REACH, at, K.asking_for_participle);

const isNegated = (words: TaggedWords, at: number): boolean => someAre(words, at - REACH, at, K.negating_nearby);

/** Whether a sentence of nothing but reads names what it reads: a quotation, a file, a function. */
const isSearchedFor = (candidates: readonly CandidateAction[], token: Token): boolean =>
  candidates.some(({ at }) => at < token.at) && candidates.every((one) => one.effect === 'read' && !one.weak);

/** Whether opening a name may act: a link, or the path of a page, which is not a file. */
const isPage = ({ kind, text }: Token): boolean =>
  kind === 'url' ? !DOCUMENT.test(text) : kind === 'path' && text.startsWith('/') && !FILE.test(text);

/** Whether the sentence carries out what follows: `execute the delete statement`, but not `move the delete button`. */
const isCarriedOut = ({ at }: Token, candidates: readonly CandidateAction[], lexicon: Lexicon): boolean =>
  candidates.some(
    (one) =>
      one.at < at && !one.negated && (one.action === 'execute' || lexicon.wordKinds.has(one.verb, K.carrying_out_verb)),
  );

function partsOf({ kind, text }: Token): string[] {
  // The name of a document is no order: `docs/delete-user.md`.
  if (kind !== 'quoted' && kind !== 'code' && DOCUMENT.test(text)) return [];
  return (text.match(PARTS) ?? []).map((part) => part.toLowerCase());
}

/** The name of a setting that is switched off: `"delete_extra": false`. */
const SWITCHED_OFF = /^["'\\]{0,2}([\w.-]{1,60})["'\\]{0,2}\s{0,3}[:=]\s{0,3}(?:false|off|no|null|none|0)(?![\w.])/i;
/** Words of such names by which it protects when it is on. */
const PROTECTS =
  /prevent|protect|den(?:y|ies)|block|forbid|keep|retain|confirm|approv|soft|restrict|disallow|undo|before|ask|warn|no_/i;

const isSwitchedOff = (text: string, { at }: Token): boolean => {
  const name = SWITCHED_OFF.exec(text.slice(at, at + 80))?.[1];
  return name !== undefined && !PROTECTS.test(name);
};

/** The words that destroy and that no request accounts for, in the order of the text. */
export function destructiveWordsIn(
  text: string,
  sentences: Sentences,
  candidates: readonly CandidateAction[],
  ofSentence: OfSentence,
  isMentionedCode: (at: number) => boolean,
  isTold: (at: number) => boolean,
  lexicon: Lexicon,
): UnreadSpan[] {
  const found: UnreadSpan[] = [];
  const { find } = lexicon.destructiveWords;
  const read = new Set(candidates.filter((one) => !one.weak).map(({ at }) => at));
  for (const [index, sentence] of sentences.entries()) {
    const own = ofSentence(index);
    const words = wordsOf(sentence);
    for (const [at, token] of sentence.entries()) {
      const { kind } = token;
      if (read.has(token.at) || kind === 'punct' || kind === 'number' || kind === 'email' || kind === 'secret')
        continue;
      if (kind === 'word') {
        if (lexicon.compounds.match(words, at) !== undefined && !isCarriedOut(token, own, lexicon)) continue;
        const isOneWord = token.text === token.lower || ONE_WORD.test(token.text);
        const form =
          token.info.destroys ??
          (isOneWord
            ? undefined
            : partsOf(token)
                .map(find)
                .find((one) => one !== undefined));
        if (form === undefined || isNegated(words, at) || isTold(token.at)) continue;
        if (form === 'participle' && !isAskedFor(words, at)) continue;
        // A name of several words is read as what it names: `find usages of deleteAll`.
        if (token.info.destroys === undefined && isSearchedFor(own, token)) continue;
      } else {
        const parts = partsOf(token);
        if (!parts.some((part) => find(part) === 'word') || isNegated(words, at)) continue;
        const isSearched = isSearchedFor(own, token);
        if (isSearched ? !isPage(token) : isTold(token.at)) continue;
      }
      if (!isMentionedCode(token.at) && !isSwitchedOff(text, token)) found.push({ at: token.at, text: token.text });
    }
  }
  const spelled = SPELLED_SIGNS.test(text) ? text.slice(0, 10_000).matchAll(SPELLED) : [];
  for (const match of spelled)
    if (find(match[0].replace(/[-._ ]/g, '').toLowerCase()) !== undefined)
      found.push({ at: match.index, text: match[0] });
  return found.sort((a, b) => a.at - b.at);
}
