// A text in parts: sentences of tokens, words, code, and what is hidden in it.
import { takeoverOf } from './attack/takeover.ts';
import { isForeign } from './attack/flags.ts';
import type { Fragment } from './code/code.ts';
import { codeOf, fragmentsOf, type WholeProgram } from './code/fragments.ts';
import type { ReadTool } from './code/program/tools.ts';
import type { UnreadProgram } from './code/program/tree.ts';
import type { Lexicon } from './lexicon/types.ts';
import { hiddenIn } from './text/encodings.ts';
import { isSecret } from './text/secrets.ts';
import { type Sentences, sentencesOf } from './text/tokens.ts';
import { type KnownWords, spokenText } from './text/words.ts';

export interface Segments {
  readonly text: string;
  readonly sentences: Sentences;
  readonly spoken: KnownWords;
  readonly code: readonly Fragment[];
  /** The text is a program of which everything is understood. */
  readonly program: WholeProgram | undefined;
  /** The text is a program that is not read. */
  readonly unread: UnreadProgram | undefined;
  readonly hidden: HiddenText;
  /** The words are of another language than English. */
  readonly isForeign: boolean;
}

export interface HiddenText {
  /** Decoded. */
  readonly texts: readonly string[];
  readonly code: readonly Fragment[];
  /** What is hidden is an attack, whether or not the text asks to execute it: code, an attempt to take over, or all of the text. */
  readonly isAttack: boolean;
  /** Words are disguised by shifting their letters. */
  readonly isShifted: boolean;
}

const HIDDEN_SENTENCE = /(?:[a-z]{1,20}[ ,.]{1,2}){6}/i;
const PLAIN_WORD = /^[a-z]{3,}$/;

function hiddenText(text: string, words: readonly string[], lexicon: Lexicon): HiddenText {
  const { texts, moved } = hiddenIn(text, words);
  const code = texts.flatMap((inner) => fragmentsOf(inner, lexicon));
  // Text that consists only of encoded sentences is hidden, whatever it says.
  const isAll = texts.some((inner) => HIDDEN_SENTENCE.test(inner)) && !words.some((word) => PLAIN_WORD.test(word));
  const isAttack = isAll || code.length > 0 || texts.some((inner) => takeoverOf(inner, lexicon).attack);
  return { texts, code, isAttack, isShifted: moved };
}

/**
 * @param text as `plainText` returns it, without white space around it
 * @param readTool reads the calls of a program that it does not define
 */
export function segmentsOf(text: string, lexicon: Lexicon, readTool?: ReadTool): Segments {
  const { fragments: code, program, unread } = codeOf(text, lexicon, readTool);
  const spoken = spokenText(text, lexicon.words);
  return {
    text,
    sentences: sentencesOf(text, isSecret, lexicon.words),
    spoken,
    code,
    program,
    unread,
    hidden: hiddenText(text, spoken.words, lexicon),
    isForeign: isForeign(spoken),
  };
}
