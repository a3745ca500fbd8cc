// Finds the verbs of a sentence that request something. A verb counts only in a slot, a position where a request may begin.
import { withImplied } from './implied.ts';
import { lateRequest } from './late-request.ts';
import { leadAt, purposeAfter, delegatedAt, taskOfRun } from './leads.ts';
import type { Lexicon, Prefix } from '../lexicon/types.ts';
import type { PhraseMatch } from '../lexicon/phrase-table.ts';
import { passiveAsked, undoneAt } from './needs.ts';
import { announcesNew, ASKED, isQuestion, leaveAsked, prefixAround, wantedAt } from './questions.ts';
import { isConsequential, QUERY, type RequestedAction, requestOf } from './request.ts';
import type { Sentence } from '../text/tokens.ts';
import { type Seen, type Slot, verbAt } from './verb-slots.ts';
import { is, isAny, K, type TaggedWords } from '../lexicon/word-kinds.ts';

/** The requests of one sentence with its words, including implied ones. */
export function requestsOf(sentence: Sentence, words: TaggedWords, lexicon: Lexicon): readonly RequestedAction[] {
  return withImplied(sentence, words, spokenRequests(sentence, words, lexicon), lexicon);
}

/** Whether the colon at `words[at]` introduces written text; `Message: ...` alone is only a heading. */
const saysWhatFollows = (
  request: RequestedAction | undefined,
  words: TaggedWords,
  at: number,
  lexicon: Lexicon,
): boolean =>
  request !== undefined &&
  request.next < at &&
  (lexicon.wordKinds.has(request.entry.verb, K.saying_verb) ||
    (is(words, at - 1, K.titled_thing) && (request.entry.action === 'create' || request.entry.action === 'send')));
const OPENS_REQUEST = /[,:;()\u2013\u2014*>\]|/&-]/;

function spokenRequests(sentence: Sentence, words: TaggedWords, lexicon: Lexicon): RequestedAction[] {
  const found: RequestedAction[] = [];
  const endsAsQuestion = sentence.some((token) => token.kind === 'punct' && token.text.includes('?'));
  let slot: Slot | undefined = { strong: true, first: true };
  const seen: Seen = { third: false, gerund: false, listing: false, inside: false, negated: false };
  let subordinate = false;
  let conditional = false;
  // Where a condition begins that no comma has ended.
  let condition = -1;
  let written = false;
  let nothingSaid = true;
  // Computed lazily and only once.
  let isRun: boolean | undefined;
  let carriedOut: boolean | undefined;
  const isShownByDoing = (): boolean =>
    (carriedOut ??=
      words.some((word) => word.endsWith('by') || word === 'and' || word === 'then') && isCarriedOut(words.join(' ')));
  for (let at = 0; at < sentence.length; at += 1) {
    const token = sentence[at];
    const word = words[at] ?? '';
    if (!token) break;
    if (token.kind === 'punct') {
      // `Draft an email to Ana: thank her for the book`: the text of a message counts as requested only if it is destructive, because then
      // doubt counts.
      if (token.text === ':' && saysWhatFollows(found.at(-1), words, at, lexicon)) written = true;
      // A comma, a dash or a colon may open a request; so may a bullet.
      if (OPENS_REQUEST.test(token.text)) {
        slot = { strong: subordinate || found.length === 0, first: found.length === 0 };
        subordinate = false;
        conditional = false;
        condition = -1;
        seen.negated = false;
      }
      if (token.text.includes('(')) seen.inside = true;
      else if (token.text.includes(')')) seen.inside = false;
      continue;
    }
    // `@bot rename it`
    if (at === 0 && /^[@/]\w/.test(token.text) && token.kind !== 'word') continue;
    // `okay but how much is it`
    nothingSaid &&= is(words, at, K.interjection);
    const inSlot: boolean = slot !== undefined;
    const prefix: PhraseMatch<Prefix> | undefined =
      lexicon.prefixes.match(words, at) ?? (inSlot ? prefixAround(words, at, lexicon) : undefined);
    // `wonder if you can`, `know the price, and if you can order it` are only questions.
    const asksWhether =
      prefix !== undefined &&
      ((word === 'if' && prefix.length > 2 && (!inSlot || slot?.joined === true)) ||
        // `If you would like to change the plan`
        (word === 'you' && is(words, at - 1, K.conditional)));
    if (
      prefix &&
      !asksWhether &&
      (inSlot ||
        prefix.value === 'negation' ||
        (found.length === 0 && prefix.length > 1 && !is(words, at - 1, K.subject_pronoun)) ||
        word === 'please')
    ) {
      // `You can` and `can we` inside a question keep it a question, unless they ask someone to act.
      const lead = lexicon.verbForms.match(words, at);
      // `Thanks` closes a text; `thank the team` is a request.
      const asks = lead && lead.length >= prefix.length && lead.value.form !== 'third' && !lead.value.entry.weak;
      // `Don't let me forget` is a verb of its own.
      const longer = lead !== undefined && lead.length > prefix.length;
      if (!(asks && (prefix.value === 'polite' || longer) && inSlot)) {
        if (prefix.value === 'negation') seen.negated = true;
        else if (prefix.length > 1 || word === 'please') seen.negated = false;
        // After a comma, `optionally` and `then` do not show that a verb follows; a noun may follow, too.
        const strong: boolean =
          found.length === 0 || !(prefix.length === 1 && word.endsWith('ly')) || slot?.strong === true;
        slot = { strong, first: slot?.first ?? found.length === 0, joined: slot?.joined ?? false };
        at += prefix.length - 1;
        // `it would be great if you would rename it`
        if (words[at] === 'you' && is(words, at + 1, K.softening_modal)) at += 1;
        continue;
      }
    }
    // `if they ask for payment or refund methods`: a condition is not a request.
    if (conditional && word === 'or') continue;
    if (is(words, at, K.conjunction)) {
      // `or` continues a negation; `and` and `but` end it, because doubt counts as a request.
      if (word !== 'or') seen.negated = false;
      slot = { strong: false, first: found.length === 0 && nothingSaid, joined: true };
      continue;
    }
    if (found.length > 0 && is(words, at, K.question_word) && isShownByDoing()) {
      at = beforeShown(words, at);
      slot = { strong: true, first: true };
      continue;
    }
    const lead = is(words, at, K.lead_opening) || word.endsWith('ing') ? leadAt(words, at, found, lexicon) : undefined;
    if (lead) {
      if (lead.replaces) found.pop();
      slot = { strong: true, first: true };
      at += Math.max(0, lead.length - 1);
      if (lead.length > 0) continue;
    }
    const passive =
      is(words, at, K.asking_modal) && !is(words, at - 1, K.question_word)
        ? passiveAsked(words, at, lexicon)
        : slot?.first && found.length === 0
          ? undoneAt(words, at, lexicon)
          : undefined;
    if (passive) {
      found.push(requestOf({ ...passive, at: sentence[passive.at]?.at ?? token.at, sentence }));
      at = passive.next - 1;
      slot = undefined;
      continue;
    }
    if (!slot) continue;
    if (at === 0 && announcesNew(words, lexicon) && (word !== 'note' || token.at === 0)) {
      found.push(wish(0, token.at, sentence, false, 0.75));
      written = true;
      slot = undefined;
      continue;
    }
    if (token.kind === 'word' && word.endsWith('ly') && word.length > 4 && !lexicon.verbForms.match(words, at))
      continue;
    if (slot.first && found.length === 0 && is(words, at, K.permission_modal)) {
      // `May I have a look at the report`
      if (is(words, at + 1, K.first_person) && (lexicon.verbForms.match(words, at + 2)?.length ?? 0) > 2) {
        slot = { strong: true, first: true };
        at += 1;
        continue;
      }
      const wanted = wantedAt(words, at);
      if (wanted > 0) {
        found.push(wish(at + wanted, token.at, sentence, false));
        slot = undefined;
        continue;
      }
    }
    const leave = slot.first && found.length === 0 ? leaveAsked(words, at, lexicon) : 0;
    if (leave > 0) {
      slot = { strong: true, first: true, asked: true };
      at += leave - 1;
      continue;
    }
    if (slot.first && found.length === 0 && isQuestion(words, at, endsAsQuestion)) {
      found.push(requestOf({ entry: QUERY, next: at + 1, at: token.at, sentence, certainty: 0.8, kind: 'question' }));
      slot = undefined;
      continue;
    }
    const match = verbAt(sentence, words, at, slot, seen, lexicon);
    if (match && written && match.entry.effect !== 'destructive') {
      slot = undefined;
      continue;
    }
    // `get the assistant to rename it`: the delegated action is the request.
    const taskAt = match ? delegatedAt(words, at + match.length, match.entry.verb, lexicon) : -1;
    if (taskAt >= 0) {
      slot = { strong: true, first: true };
      at = taskAt - 1;
      continue;
    }
    if (match) {
      const { entry, form } = match;
      if (form === 'third') seen.third = true;
      if (form === 'gerund') seen.gerund = true;
      const certainty = slot.asked ? match.certainty * ASKED : match.certainty;
      found.push(
        requestOf({ entry, next: at + match.length, at: token.at, sentence, negated: seen.negated, certainty }),
      );
      at += match.length - 1;
      // `Use X to list Y`, `help me find Y`: the purpose is the request.
      slot = undefined;
      if (entry.weak && lexicon.wordKinds.has(entry.verb, K.wanting_verb) && is(words, at + 1, K.indefinite)) {
        // `then I'll need a taxi`, `you want a room for two`
        const purpose = purposeAfter(words, at, lexicon);
        if (words[purpose] !== 'to') {
          const { at: place, next, negated } = found.pop() ?? { at: token.at, next: at + 1, negated: false };
          found.push(wish(next, place, sentence, negated));
          continue;
        }
      }
      // What a thing is for is done when it is run or scheduled, filled in, or written to be run.
      const isUsed = entry.action === 'execute' || entry.verb === 'schedule' || entry.verb === 'fill in';
      if (
        isUsed ||
        (entry.action === 'create' && (isRun ??= words.some((_, place) => runsIt(words, place, lexicon))))
      ) {
        const taskAt = taskOfRun(words, at, lexicon);
        if (taskAt >= 0) {
          slot = { strong: true, first: true };
          at = taskAt - 1;
          continue;
        }
      }
      if (entry.weak) at = purposeAfter(words, at, lexicon);
      if (entry.weak && words[at] === 'to') slot = { strong: true, first: true };
      // `explain how` is one verb.
      else if (is(words, at, K.question_word) && isShownByDoing()) {
        at = beforeShown(words, at);
        slot = { strong: true, first: true };
      }
      continue;
    }
    const wanted = wantedAt(words, at);
    if (wanted > 0) {
      found.push(wish(at + wanted, token.at, sentence, seen.negated));
    }
    if (is(words, at, K.subordinator)) subordinate = true;
    if (is(words, at, K.conditional)) {
      conditional = true;
      condition = at;
    }
    if (found.length > 0 && is(words, at, K.listing)) seen.listing = true;
    slot = undefined;
  }
  // `when the copy is done delete the source` begins as a question does.
  const isClause =
    found.length === 1 && found[0]?.kind === 'question' && !endsAsQuestion && is(words, 0, K.conditional);
  if (isClause || found.every(({ entry, negated }) => entry.weak && negated)) {
    const late = lateRequest(sentence, words, lexicon);
    if (late && (!isClause || late.kind === 'imperative')) found.push(late);
  } else if (condition > 0) {
    // `check the disks and if one is full delete the logs`
    const late = lateRequest(sentence, words, lexicon, condition);
    if (late?.kind === 'imperative' && isConsequential(late.entry) && found.every(({ at }) => at < late.at))
      found.push(late);
  }
  return found;
}

/** The index of the last word before `how you` or `how to`, which introduce what is to be shown by doing it. */
function beforeShown(words: TaggedWords, at: number): number {
  let last = at;
  while (is(words, last + 1, K.question_subject) || words[last + 1] === 'to') last += 1;
  return last;
}

/** A request for a thing, without a verb that says what is to be done with it. */
const wish = (next: number, at: number, sentence: Sentence, negated: boolean, certainty = 0.55): RequestedAction =>
  requestOf({ entry: QUERY, next, at, sentence, negated, certainty, wanted: true });

const CARRYING_OUT =
  /\b(?:and|then)\s{1,8}(?:then\s{1,8}|actually\s{1,8})?(?:do|perform|carry\s{1,8}out)\s{1,8}(?:it|that|this|so)(?:\s{0,8}[.,;!?]|\s{0,8}$|\s{1,8}(?:now|at\s{1,8}once|today|tonight)\b)|\bby\s{1,8}(?:\w{1,20}ly\s{1,8}|just\s{1,8})?(?:doing|running|executing|performing|applying|trying|issuing|carrying\s{1,8}out)\s{1,8}(?:it|that|this|them|those|these|so|one|the\s{1,8}(?:command|commands|statement|query|code|script))\b/i;

/** `run it`, but not `do not run it` and `I will run it`. */
const runsIt = (words: TaggedWords, at: number, { verbs }: Lexicon): boolean =>
  verbs.get(words[at] ?? '')?.action === 'execute' &&
  isAny(words, at + 1, K.thing_pronoun, K.pointer) &&
  !isAny(words, at - 1, K.negator, K.auxiliary, K.subject_pronoun);

/** Whether a text asks to carry out what it seems only to mention: `show me how you delete users by doing it`. */
export const isCarriedOut = (text: string): boolean => CARRYING_OUT.test(text);
