// Detects requests that describe themselves as not allowed: with stolen or forged things, in secret, against the will of others.
import type { CandidateAction } from '../grammar/candidate.ts';
import type { Sentence } from '../text/tokens.ts';
import { wordSet } from '../text/word-set.ts';

/** Adjectives of things that nobody may use. */
const TAINTED = wordSet(
  'stolen forged falsified fraudulent fraudulently counterfeit pirated unauthorized unauthorised malicious hacked leaked ' +
    'illegal illegally illicit illegitimate unlawful hateful racist sexist defamatory deepfake deepfakes',
);
/** Things made to do harm. */
const HARMFUL = wordSet(
  'ransomware malware spyware keylogger keyloggers rootkit rootkits botnet botnets trojan trojans cryptominer backdoor ' +
    'backdoors phishing smishing ponzi laundering ddos cyberattack',
);
/** `Fake` counts only with things that others rely on: a fake clock belongs to a test. */
const FAKE = wordSet('fake false bogus phony');
const RELIED_ON = wordSet(
  'information bill bills review reviews statement statements identity identities id ids passport passports evidence receipt receipts news ' +
    'certificate certificates diploma profile profiles prescription prescriptions claim claims rumor rumors rumour ' +
    'rumours invoice invoices document documents testimonial testimonials diagnosis',
);
/** Next to these words a tainted thing is the target of defensive work, or made up. */
const ABOUT = wordSet(
  'summary overview presentation briefing plan guide faq documentation report reports alert alerts alarm scan scans scanner policy policies protection playbook runbook checklist training ' +
    'simulation simulations awareness ticket tickets list lists filter filters detector detection rule rules test tests ' +
    'analysis warning warnings reminder attempt attempts event events log logs sample samples indicator indicators ' +
    'statistics incident incidents case cases investigation response responses error errors page pages status message ' +
    'header handler middleware exception prevention defense defence check checks monitor monitoring dashboard model ' +
    'classifier dataset article story novel lesson course quiz poster campaign-report survey signature signatures note ' +
    'domains domain blocklist user users visitor visitors request requests user-agent law regulation regulations form',
);
/** Words after which a thing is only the topic. */
const TOPIC = wordSet(
  'about on of for from against regarding on like as whether was were is are been got who that which',
);
const USES = wordSet('use using utilize utilizing utilise via through leverage leveraging employing');
/** People and things after which `using` and `without` describe them, and not the manner of the request. */
const ACTORS = wordSet(
  'user users visitor visitors customer customers people person anyone anybody everyone someone somebody who those ' +
    'member members employee employees account request requests call calls client clients agent agents token key keys',
);
/** Words that introduce a statement about what others do. */
const RELATIVE = wordSet(
  'who that which was were been made created accessed posted changed used done taken published sent opened given signed sold',
);
/** Words that introduce what must not happen. */
const AGAINST = wordSet(
  'nobody none never not no forbid forbids forbidding prohibit prohibits prevent prevents preventing against ban bans stop ' +
    "whether anybody anyone somebody someone don't doesn't can't cannot isn't aren't won't mustn't shouldn't avoid unless",
);

const SECRETLY = wordSet(
  'secretly covertly stealthily surreptitiously clandestinely illegally unlawfully illicitly fraudulently',
);
/** Contexts in which a secret is harmless. */
const SURPRISE = wordSet('surprise party birthday gift present santa wedding anniversary');
const LICENCE = wordSet('authorization authorisation permission consent knowledge knowing noticing realizing');
const WHOSE = wordSet(
  'proper prior any due the his her their its explicit written legal patient user my our valid formal official required them him',
);
/** `without permission prompts` is about a screen. */
const NOT_LICENCE = wordSet('prompt prompts check checks error errors header headers token tokens dialog dialogs');
const CAUGHT = wordSet('noticed detected caught seen traced discovered');
const UNSEEN = wordSet('unnoticed undetected untraceable undetectable');
const ENSURES = wordSet(
  'ensure ensuring ensures sure so remain remains remaining stay stays go goes going keep keeping',
);
const EVADES = wordSet('avoid avoiding evade evading escape escaping');
const WATCH = wordSet('detection scrutiny surveillance plagiarism antivirus edr taxes');
/** `Without telling anyone`, and `make sure nobody notices`. */
const TELLING = wordSet('telling informing notifying alerting');
const ANYBODY = wordSet('anyone anybody');
const NOTICES = wordSet('notices notice knows suspects suspect trace traces');
const SO_THAT = wordSet('so that ensure ensuring sure');
const HIDES = wordSet('hide hides hiding conceal concealing cover covering');
const TRACES = wordSet('traces tracks evidence wrongdoing fraud unauthorized unauthorised');
const DECEIVES = wordSet('mislead deceive defraud cheat scam swindle blackmail extort steal launder siphon embezzle');
const HARM = wordSet(
  'harm damage disruption disruptions downtime losses chaos interruptions havoc crashes malfunctions',
);

const CLUES = wordSet('trace traces evidence');
const ASSURES = wordSet('ensure ensuring sure');
const LOOKS = wordSet('access read record monitor open download copy view track');
const OPENS = wordSet('please gain obtain cause trick disrupt');
const BEFORE_VERB = wordSet('please to and then');
const DEFINITE = wordSet('the this that');
const TRIES = wordSet('test tests testing unit fixture fixtures demo sample samples mock seed staging sandbox');
const ADDS = wordSet('include insert embed plant introduce');
const CONTRABAND = wordSet('drugs weapons firearms arms');
const HATE = wordSet('hateful racist sexist');
const SAID = wordSet('messages message comments comment content posts emails speech jokes');
const MONEY = wordSet('money funds proceeds cash');
const ARTICLES = wordSet('a an');
/** Verbs for making up things that others rely on. */
const FABRICATES = wordSet('fabricate forge falsify doctor counterfeit');
const RECORDS = wordSet(
  'document documents record records statement statements evidence result results figures report reports invoice invoices ' +
    'certificate certificates data passport passports prescription prescriptions receipt receipts signature signatures logs products',
);

/** A text without any of these words is not illicit; most texts have none. */
const CLUE_WORDS: ReadonlySet<string> = new Set([
  ...[TAINTED, HARMFUL, FAKE, SECRETLY, UNSEEN, CAUGHT, EVADES, HIDES, DECEIVES, FABRICATES].flatMap((set) => [...set]),
  'without',
  'nobody',
  'cause',
  'disrupt',
]);

/** The words of a sentence with properties of the whole sentence. */
interface Spoken {
  readonly words: readonly string[];
  /** Where it begins to describe what must not happen, or its end. */
  readonly against: number;
  /** It is about a surprise. */
  readonly surprise: boolean;
  /** It is about tests. */
  readonly tries: boolean;
}
type Words = readonly string[];

/** Whether one of the words `from..to` is in the set. */
function within(words: Words, from: number, to: number, set: ReadonlySet<string>): boolean {
  for (let at = Math.max(0, from); at < Math.min(to, words.length); at += 1) if (set.has(words[at] ?? '')) return true;
  return false;
}

/** Whether a tainted thing is at `at`, and nothing in its noun phrase makes it a mere topic. */
function isTainted({ words, tries }: Spoken, at: number): boolean {
  const word = words[at] ?? '';
  const fake = FAKE.has(word) && within(words, at + 1, at + 4, RELIED_ON) && !tries;
  if (!(fake || TAINTED.has(word) || HARMFUL.has(word))) return false;
  return words[at - 1] !== 'anti' && !within(words, at + 1, at + 4, ABOUT);
}

/** Whether the noun phrase at `at` names a tainted thing; a definite one (`the stolen card`) may be the subject of a report. */
function namesTainted(spoken: Spoken, at: number, mayBeDefinite: boolean, mayBeListed: boolean): boolean {
  const { words } = spoken;
  for (let next = at; next < Math.min(words.length, at + 6); next += 1) {
    const word = words[next] ?? '';
    if (isTainted(spoken, next)) return true;
    if (word === '' || (word !== 'of' && TOPIC.has(word)) || (!mayBeListed && ABOUT.has(word))) return false;
    if (!mayBeDefinite && (DEFINITE.has(word) || word.endsWith("'s"))) return false;
  }
  return false;
}

/** `without anyone's permission`, `without being noticed`, `without a trace`. */
function isWithoutLeave(words: Words, at: number): boolean {
  let next = at + 1;
  const first = words[next] ?? '';
  if (first === 'being' || first === 'getting') return CAUGHT.has(words[next + 1] ?? '');
  if (TELLING.has(first)) return ANYBODY.has(words[next + 1] ?? '');
  if (first === 'leaving') return within(words, next + 1, next + 4, CLUES);
  while (next < at + 4 && (WHOSE.has(words[next] ?? '') || (words[next] ?? '').endsWith("'s"))) next += 1;
  const owned = next > at + 1;
  const word = words[next] ?? '';
  if (!(LICENCE.has(word) || (word === 'approval' && owned)) || NOT_LICENCE.has(words[next + 1] ?? '')) return false;
  // `users without permission to edit` describes users.
  return owned || !(ACTORS.has(words[at - 1] ?? '') || words[next + 1] === 'to');
}

/** `Hide the traces panel` and `hide menus from unauthorized users` are about pages. */
function hidesTraces(words: Words, at: number): boolean {
  if (words[at + 1] === 'the') return false;
  for (let next = at + 1; next < at + 5; next += 1)
    if (TRACES.has(words[next] ?? '')) return !within(words, next + 1, next + 3, ABOUT);
  return false;
}

/** Whether the words at `at` give a manner or a purpose that is not allowed. */
function isIllicitManner({ words, surprise }: Spoken, at: number): boolean {
  const word = words[at] ?? '';
  if (SECRETLY.has(word)) return !surprise;
  if (word === 'without') return !surprise && isWithoutLeave(words, at);
  if (word === 'nobody')
    return !surprise && within(words, at - 3, at, SO_THAT) && within(words, at + 1, at + 4, NOTICES);
  if (UNSEEN.has(word)) return within(words, at - 6, at, ENSURES);
  if (CAUGHT.has(word)) return words[at - 1] === 'not' && within(words, at - 8, at - 1, ASSURES);
  if (EVADES.has(word)) return within(words, at + 1, at + 4, WATCH);
  if (HIDES.has(word)) return hidesTraces(words, at);
  if (word === 'to') return DECEIVES.has(words[at + 1] ?? '');
  if (word === 'disrupt') return at === 0 || BEFORE_VERB.has(words[at - 1] ?? '');
  if (word === 'launder') return within(words, at + 1, at + 5, MONEY);
  return word === 'cause' && (at === 0 || BEFORE_VERB.has(words[at - 1] ?? '')) && within(words, at + 1, at + 5, HARM);
}

const makes = ({ action, verb }: CandidateAction): boolean =>
  action === 'create' ||
  action === 'execute' ||
  action === 'send' ||
  action === 'transfer' ||
  action === 'grant' ||
  verb === 'provide' ||
  verb === 'offer';

/** The words of a sentence, split at hyphens, each with the offset of its token; quotations and signs become empty words. */
function partsOf(sentence: Sentence): { words: string[]; offsets: number[] } {
  const words: string[] = [];
  const offsets: number[] = [];
  for (const { kind, lower, at } of sentence) {
    for (const part of kind === 'word' ? lower.split('-') : [kind === 'number' ? '#' : '']) {
      words.push(part);
      offsets.push(at);
    }
  }
  return { words, offsets };
}

function spokenOf(words: Words): Spoken {
  const against = words.findIndex((word) => AGAINST.has(word));
  return {
    words,
    against: against < 0 ? words.length : against,
    surprise: words.some((word) => SURPRISE.has(word)),
    tries: words.some((word) => TRIES.has(word)),
  };
}

/** Whether a sentence describes its own request as not allowed. `changes` and `deletesOrLooks` describe the requested action. */
function isSelfIncriminating(spoken: Spoken, changes: boolean, deletesOrLooks: boolean): boolean {
  const { words, against } = spoken;
  const ofOthers = (at: number) => at > against || within(words, at - 4, at, RELATIVE);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (changes) {
      if (
        USES.has(word) &&
        !ACTORS.has(words[at - 1] ?? '') &&
        namesTainted(spoken, at + 1, true, false) &&
        !ofOthers(at)
      )
        return true;
      if (
        FABRICATES.has(word) &&
        within(words, at + 1, at + 6, RECORDS) &&
        !within(words, at - 2, at, TOPIC) &&
        !ofOthers(at)
      )
        return true;
      if (ADDS.has(word) && words[at - 1] === 'to' && namesTainted(spoken, at + 1, false, false) && !ofOthers(at))
        return true;
      const next = words[at + 1] ?? '';
      if (((TAINTED.has(word) && CONTRABAND.has(next)) || (HATE.has(word) && SAID.has(next))) && at <= against)
        return true;
      if (word === 'to' && ARTICLES.has(next) && isTainted(spoken, at + 2) && !ofOthers(at)) return true;
    }
    // A request that only looks something up may describe the acts of others: `find payments that were made without authorization`.
    if (isIllicitManner(spoken, at) && (changes || deletesOrLooks) && !ofOthers(at)) return true;
  }
  return false;
}

/** Whether a text with the words `words` describes its own request as not allowed. Linear in the length of the text. */
export function isIllicit(words: Words, all: readonly CandidateAction[], sentences: readonly Sentence[]): boolean {
  const hasClue = (word: string) =>
    CLUE_WORDS.has(word) || (word.includes('-') && word.split('-').some((part) => CLUE_WORDS.has(part)));
  if (!words.some(hasClue)) return false;
  const bySentence = new Map<number, CandidateAction[]>();
  for (const candidate of all) {
    if (candidate.source !== 'words') continue;
    const of = bySentence.get(candidate.sentence);
    if (of) of.push(candidate);
    else bySentence.set(candidate.sentence, [candidate]);
  }
  const changesOf = (requests: readonly CandidateAction[]) =>
    requests.some((request) => makes(request) || request.action === 'update' || request.action === 'unknown');
  const anyChange = changesOf(all.filter((candidate) => !candidate.negated));
  for (const [index, sentence] of sentences.entries()) {
    const requests = bySentence.get(index) ?? [];
    if (requests.some((candidate) => candidate.negated)) continue;
    const { words: parts, offsets } = partsOf(sentence);
    const spoken = spokenOf(parts);
    const { against } = spoken;
    const first = parts[0] ?? '';
    const changes =
      requests.length > 0
        ? changesOf(requests)
        : (anyChange && (ENSURES.has(first) || EVADES.has(first))) || (all.length === 0 && OPENS.has(first));
    for (const request of requests) {
      if (!makes(request)) continue;
      const at = offsets.indexOf(request.at);
      const bought = request.action === 'transfer';
      if (at >= 0 && namesTainted(spoken, at + 1, false, bought) && at <= against) return true;
    }
    const deletesOrLooks = requests.some(({ action, verb }) => action === 'delete' || LOOKS.has(verb));
    if (isSelfIncriminating(spoken, changes, deletesOrLooks)) return true;
  }
  return false;
}

/** Whether a text gives someone else a shell over the network. */
export const handsOverShell = (text: string): boolean =>
  text.includes('/dev/tcp/') || /(?<![\w/])nc(?:at)? (?:-[a-z]{1,6} ){0,4}-[a-z]{0,4}e\b/.test(text);
