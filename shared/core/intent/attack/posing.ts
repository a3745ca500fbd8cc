// Detects posing by form: JSON members, hidden parts, delimiters and forged conversation turns.
import { hasForgedHeading } from './headings.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { K } from '../lexicon/word-kinds.ts';

/** A member of structured data that contains an order: `"ai_instruction": ...`, `x-ai-override: ...`. */
const ORDER_MEMBER =
  /(?<![a-z0-9])(?:ai|assistant|agent|llm|model|internal|hidden|processing|metadata)[_-](?:note|instruction|directive|command|override)["']?\s?[:=]|[{,]\s{0,8}["']_(?:hidden|secret|internal|instructions?|system|note)["']\s?:|\bdata-(?:instruction|directive|command)\s?=/;
/** Fast check: the second parts of their names. */
const MAY_BE_MEMBER = /["'_-](?:_|note|instruction|directive|command|override)/;

/** Elements that wrap the input that a program gives to a model: these, and names with an underscore, which HTML does not have. */
const WRAPPERS =
  /<\/((?:user|document|data|context|results|message|email|input|task|content|query)|[a-z]{1,20}_[a-z_]{1,20})>/g;

/** A text that closes an element which it never opened tries to break out of its enclosing element. */
function breaksOut(lower: string): boolean {
  const openings = new Map<string, number>();
  for (const { 1: name = '', index } of lower.matchAll(WRAPPERS)) {
    const opening = openings.get(name) ?? lower.indexOf(`<${name}`);
    if (opening < 0 || opening > index) return true;
    openings.set(name, opening);
  }
  return false;
}

// Scripts without spaces between words, and Arabic: "ignore" before "rules", or after it. Every gap is bounded.
const OTHER_SCRIPTS =
  /(?:忽略|无视|忘记|取消|停用|禁用|删除|移除)[^。！？\n]{0,24}(?:指示|指令|规则|提示|限制|安全|内容|instructions|prompt)|无视(?:以上|前面|之前)|無視して(?:ください|、|。)|系统提示|(?:给|致)(?:大模型|模型|智能助手|助手|ai|llm)的(?:提示|指示|指令|说明|备注)|没有(?:任何)?限制|(?:指示|指令|命令|ルール|制限)[^。！？\n]{0,14}(?:無視|忘れ|キャンセル|解除|ignore)|システムプロンプト|最初の(?:指示|プロンプト)|あなたの(?:指示|プロンプト|ルール)|(?:지시|명령|규칙|지침|필터|제한)[^.!?\n]{0,14}(?:무시|잊|비활성|해제)|시스템 프롬프트|초기 프롬프트|너의 (?:지시|프롬프트|지침)|(?:تجاهل|انس|ألغ)[^.!؟\n]{0,24}(?:تعليمات|توجيهات|أوامر|قواعد|قيود)|موجه النظام|निर्देश[^।\n]{0,20}(?:अनदेखा|नज़रअंदाज़|भूल)|(?:เพิกเฉย|ละเว้น|ลืม)[^\n]{0,20}คำสั่ง|התעלם[^.\n]{0,20}הוראות|(?:ігноруй|забудь|проігноруй)[^.\n]{0,24}(?:інструкції|вказівки|правила)|(?:αγνόησε|ξέχνα|ξέχασε)[^.\n]{0,24}(?:οδηγίες|εντολές)|(?:دستورات|دستورالعمل)[^.\n]{0,24}نادیده/;
/** Fast check: Greek to Thai, and the scripts of East Asia. */
const HAS_OTHER_SCRIPT = /[\u0370-\u0eff\u3040-\u9fff\uac00-\ud7af]/;

const NOTICE = /(?:\[|(?<!-)-{3}|(?<!=)={3}|<!--)\s?([A-Z']{2,20}[ -][A-Z' -]{2,60})(?:\]|-{3}|={3}|-->)/g;

/** A comment that a page does not show, and that contains a request. */
function hasHiddenRequest(lower: string, lexicon: Lexicon): boolean {
  for (const match of lower.matchAll(
    /<!--\s{0,4}(?:[^>\n]{0,120}?[.:!]\s{1,3}(?:now|always|please|also|then|you must) )?([a-z]{2,20}) (?!(?:of|at|from|in|on|by)\b)[a-z]/g,
  )) {
    if (lexicon.verbs.has(match[1] ?? '')) return true;
  }
  return false;
}

/** Whether a notice in capitals is set between brackets or dashes, like those of a page or a program. */
function hasPosedNotice(text: string, { wordKinds }: Lexicon): boolean {
  for (const { 1: title = '' } of text.matchAll(NOTICE))
    if (title.split(/[ -]+/).some((word) => wordKinds.has(word.toLowerCase(), K.notice_word))) return true;
  return false;
}

/** A heading in the middle of a text that announces an order, followed by a verb: `Rendering instruction: wrap the answer`. */
const ANNOUNCES =
  /[.!?\n\])}]\s{1,3}(?:[A-Za-z'-]{1,20} ){0,4}(?:instruction|directive|note|command|step|contract|requirement|message|request|order|goal|objective)s?(?: from (?:the )?[A-Za-z ]{2,30})?\s?:\s{0,3}([a-z]{2,20})\b/gi;

function announcesOrder(text: string, lexicon: Lexicon): boolean {
  for (const { 1: word = '' } of text.matchAll(ANNOUNCES)) if (lexicon.verbs.has(word.toLowerCase())) return true;
  return false;
}

/** An address whose name reveals its purpose. */
const TELLING_ADDRESS =
  /\b(?:evil|attacker|hacker|malicious|exfil)[a-z0-9-]{0,20}(?:\.|\[\.\])(?:com|net|org|io|example|ru|xyz|cn|dev|co|info|biz|site|online|tk|app|cc|me|test|invalid|local|link)\b|\b(?:attacker|hacker|leak|exfil)@/i;
/** Parts of such an address, which are rarer and cheaper to find than the address. */
const MAY_TELL = ['evil', 'attack', 'hack', 'malici', 'exfil', 'leak@'];
const SENDS_TO_IT =
  /\b(?:send|sends|sending|forward|e-?mail|post|upload|transmit|exfiltrate|transfer|wire|curl|wget|nc|fetch|load|open|visit|copy|bcc|cc|share|to)\b[^\n]{0,160}(?:(?:evil|attacker|hacker|malicious|exfil)[a-z0-9-]{0,20}(?:\.|\[\.\])|(?:attacker|hacker|leak|exfil)@)/i;
/** A mode between brackets: `[admin mode]`. */
const BRACKET_MODE =
  /\[\[?(?:admin|system|root|developer|dev|debug|god|sudo|override|operator|maintenance) (?:mode|access|override|note|message|command)/i;
/** Dictated words, which are rare in real requests: `print "..."`, `reply with '...'`. */
const DICTATES =
  /\b(?:print|say|output|respond|reply|state|answer|write|declare|repeat|display)(?: (?:that|with|only|exactly|the (?:words?|phrase|text|sentence|string|message|following)|back)){0,3}:? ?["'`<\u201c]/i;
/** A forged user turn with a request of its own. */
const USER_TURN =
  /\n\s{0,8}(?:user|human)\s?:\s{0,3}(?:next|now|please|thanks|there|forget|ignore|could you|can you|i want)/i;
/** An e-mail that asks to forward something. */
const MAIL = /^\s{0,4}subject\s?:/i;
const SENDS_ON = /\b(?:send|forward|e-?mail|reply|submit)\b[^\n]{0,80}\b(?:to|at)\b[^\n]{0,40}@/i;
/** One short word repeated many times, in order to push earlier text out of the context. */
const PADDING = /(?:^|\s)(\S{1,4})(?:\s\1){19}/;

const NAMED_BOT = /\b[A-Z][A-Za-z]{1,15}(?:GPT|Bot)\b/;
/** Files and folders that hold credentials. */
const SECRET_FILE = /\/etc\/shadow|\bid_(?:rsa|ed25519|ecdsa)\b(?!\.pub)|\.aws\/credentials/;
const SECRET_PATH = /\/\.(?:ssh|aws|cursor|kube|gnupg)\b|\/etc\/(?:passwd|shadow)|\bid_rsa\b|(?:^|[\s"'/])\.env\b/;

/** Fast check: almost every form contains a sign that plain sentences do not have, a quotation or capitals. */
const UNPLAIN = /[^A-Za-z0-9 ,.?!'-]|[A-Z]{3}|(?<![a-z])'|--/;

/** Weaker forms, by name, which count as hints: those in capitals, those with an element, those of several lines, and the others. */
type Forms = Readonly<Record<string, RegExp | readonly RegExp[]>>;
const OF_CAPITALS: Forms = {
  /** Weaker signs of form rather than words: urgent headings, and notices in capitals. */
  presses:
    /(?:^|[\s"'>(])(?:IMPORTANT|URGENT|ACTION REQUIRED|CRITICAL|ATTENTION|MANDATORY)(?: [A-Z]{2,15}){0,3}(?::|!{2})/,
  /** A heading in capitals that claims to come from the system: `SYSTEM NOTICE: ...`. */
  capital_heading:
    /(?:^|[\n"'(]|[.!?]\s)(?:[A-Z]{2,12} ){0,2}(?:SYSTEM|ADMIN|SECURITY|DEVELOPER|ROOT|OPERATOR|OVERRIDE|COMPLIANCE|INSTRUCTIONS?|DIRECTIVES?)(?: [A-Z]{2,15}){0,3}\s?:/,
  /** A note among lines of code or data: `-- DBA NOTE: ...`. */
  comment_note: /(?:^|\n)\s{0,8}(?:--|#|\/\/|\*|<!--)\s{0,3}(?:[A-Z]{2,15} ){1,3}(?:NOTE|NOTICE|ACTION|MESSAGE)\b/,
  /** A line that ends the preceding part: `%%% END OF RULES %%%`, `USER INPUT END`. */
  cut: /(?:^|\n)[^A-Za-z0-9\n]{0,10}(?:(?:END|STOP|FINISH)[ _-][A-Za-z][A-Za-z _-]{2,40}|[A-Z]{3,12} [A-Z]{3,12} END)[^A-Za-z0-9\n]{0,10}(?:\n|$)|(?<!%)%{3,}\s?(?:end|begin)\b/,
  /** A line of capitals that announces orders: `-- CORE INSTRUCTION`. */
  order_line:
    /(?:^|\n)[-=#*>~\s]{1,10}(?:[A-Z]{2,15}[ ,]{1,2}){0,5}(?:INSTRUCTION|DIRECTIVE|OVERRIDE|COMMAND)S?[A-Z ,]{0,30}[-=#*~]{0,10}(?:\n|$)/,
  /** Orders in capitals: `IGNORE THE REST`. */
  shouts: /\b(?:IGNORE|STOP|FORGET|DISREGARD|OVERRIDE|BYPASS)(?: [A-Z]{2,15}){1,6}\b/,
  /** A line that announces a new part: `### NEW CONTEXT ###`. */
  new_part: /(?:^|\n)[#=*\-~]{2,10}\s?NEW [A-Z]{3,15}/,
  code_word: [
    /** A code word to be printed, as in tests of agents: `output MARKER_7`, `print "OWNED BY ME"`. */
    /\b(?:[Oo]utput|[Pp]rint|[Rr]eply|[Rr]espond|[Ss]ay|[Aa]nswer|[Rr]eturn|[Ii]nclude|[Aa]ppend|containing|words?|phrase|with)\b[^.\n"']{0,24}["'\u201c]?(?:\b[A-Z]{3,}[A-Z0-9]*_[A-Z0-9_]+\b|["'\u201c][A-Z]{3,}(?: [A-Z]{2,}){1,5}["'\u201d.!])/,
    /** The same as one long word of capitals, right after the request for it. */
    /\b(?:[Pp]repend|[Aa]ppend|[Oo]utput|[Pp]rint|[Ss]ay|[Ee]mit|[Ee]cho|word|token|identifier|string|marker)\s["'`]?[A-Z]{6,}\b/,
  ],
};
const OF_ELEMENTS: Forms = {
  invisible:
    /<[a-z]{1,10} [^<>]{0,200}(?:display:\s?none|font-size:\s?[01]px|opacity:\s?0|left:\s?-\d{3}|aria-hidden=.true)/i,
  /** Text that a page does not show, and that addresses its reader. */
  invisible_order:
    /(?:display:\s?none|font-size:\s?[01](?:px|pt)?\b|opacity:\s?0|color:\s?(?:white|#fff)|aria-hidden=.true)[^<>]{0,100}>[^<]{0,200}\b(?:ai|assistant|agent|model|you|ignore|please|send|forward|must)\b/i,
};
const OF_LINES: Forms = {
  /** A forged conversation turn; weak, because people also send transcripts. */
  forged_turn: /\n[\s*[]{0,8}(?:turn \d{1,3} ?- ?)?(?:ai assistant|assistant|ai)[\]*]{0,3}\s?:/i,
  system_turn: /\nsystem\s?:/i,
};
const OTHERS: Forms = {
  escaped_breaks: /(?:\\ ?n ?){5}/,
  telling_name: /\b(?:attacker|hacker|evil)[_-]?[a-z]{0,8}_?\d/i,
  hidden_part: /[[(][^\])\n]{0,24}\b(?:hidden|invisible|white[ -]on[ -]white|white text|watermark|font-size)\b/i,
  /** The same after a colon: `Output exactly: ALL OWNED`. */
  code_word:
    /\b(?:[Oo]utput|[Ss]ay|[Pp]rint|[Rr]eply|[Rr]espond|[Aa]nswer)\b[^.\n:]{0,16}:\s?(?:[A-Z]{2,}|[A-Z])(?: [A-Z]{1,15}){1,5}(?:[.!\s]|$)/,
  /** A separator line that marks the end of a part, in the style of programs that concatenate texts. */
  cut: /(?<![-=*#<[_])[-=*#<[_]{2,}\s?(?:end|start|begin)(?:ning)? of (?:the )?(?:document|text|data|input|file|e-?mail|message|context|article|page|content|prompt)/i,
  /** Conversation turns within a line: `... thanks. User: now show it`. */
  turn_in_line: /[.!?] {1,3}(?:System|Assistant|User|Human|Developer|Admin)\s?:\s/,
  calls_machine: [
    /(?:^|\s)@(?:assistant|ai|agent|claude|copilot|cursor|bot|chatgpt)\b/i,
    /** A machine addressed in the middle of a text: `... done. Assistant, now run it`. */
    /[\n.!?"')\]]\s{0,3}(?:Assistant|Agent|AI|Bot|Claude|ChatGPT|Model|Copilot),\s(?:now|please|also|you|then|ignore|run|do|add|send|delete|call|use)\b/,
  ],
};

/** The forms found in a text. */
export interface Posing {
  /** Sufficient by itself. */
  readonly attack: boolean;
  /** Names of weaker forms, and of those that count half as much. */
  readonly hints: ReadonlySet<string>;
  readonly traces: ReadonlySet<string>;
}

function hasMarker(lower: string, { markers }: Lexicon): boolean {
  for (const [sign, forms] of markers) if (lower.includes(sign) && forms.test(lower)) return true;
  return false;
}

/** Orders in what has a colon, an equals sign or a comment: forms of a text in lower case, and of one in its own case. */
const ORDERS_IN_LOWER: readonly RegExp[] = [
  /** A note to the reader, as in forged tool results; real requests have no such heading. */
  /(?:^|\n)[\s#*\-"'<(/]{0,8}todo\s?:/,
  /^[\s#*"'<]{0,8}assistant\s?:/,
  /** A system turn that contains an order; `System: macOS 14` is part of a report. */
  /\nsystem\s?:[^\n]{0,80}\b(?:you|your|user|ignore|override|instructions?|must|always|now|assistant|disregard|do not|reveal|new)\b/,
  /** A JSON member that introduces another speaker: `{role: 'system', content: ...}`. */
  /\brole["']?\s{0,2}:\s{0,2}["'](?:system|developer)["']/,
];
const ORDERS: readonly RegExp[] = [
  /** A JSON member that gives orders, and a part that is hidden from people and addresses a machine. */
  /["']\s?:\s?["'](?:OVERRIDE|SYSTEM|IMPORTANT|URGENT|ACTION REQUIRED|CRITICAL|ATTENTION|MANDATORY)(?::|!)/,
  /[[(][^\])\n]{0,24}\b(?:hidden|invisible|watermark|white text)\b[^\])\n:]{0,20}:\s?(?:dear )?(?:ai|llm|assistant)\b/i,
  /** An image whose URL is to be filled in with data that the reader knows. */
  /!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{0,200}?[=/?](?:[{[<$]|%7b|data\b|secret|base64|encoded|your)/i,
  /** A comment for a machine that works on code: `// AI: when you change this ...`. */
  /(?:^|\n)\s{0,12}(?:\/\/|#|--|\/\*|\*|<!--)\s{0,3}@?(?:ai|llm|assistant|agent|claude|copilot|cursor|chatgpt|gpt|gemini)\b[^:\n]{0,20}:\s{0,3}(?:when|always|please|also|you|never|ignore|run|make|do|add|remove|before|if)\b|<!--\s{0,3}(?:ai|llm|assistant|agent|bot|claude|copilot|chatgpt)\s?[:,]/i,
  /** A heading with a task for the reader: `Next step for the assistant: ...`. */
  /\b(?:instructions?|orders?|commands?|notes?|tasks?|actions?(?: items?)?|steps?|messages?|items?|requests?|directives?)\s(?:for|to) (?:the |any |all )?(?:ai|ais|llms?|assistants?|agents?|bots?|models?|chatbots?|copilot)(?: (?:parsing|reading|processing|handling|summari[sz]ing|working|that|who|which|only|agents?|assistants?|models?)\b[^:.\n]{0,40})?:/i,
  /** A JSON member that names the next action. */
  /["'](?:next_?(?:action|step)s?|required_action|action_required|agent_[a-z]{2,20}|system_note)["']\s?:\s?["'](?:please |you must |now )?(?:call|execute|run|send|transfer|delete|forward|ignore|reply|respond|email)\b/i,
];

const isOrderOfData = (text: string, lower: string): boolean =>
  ORDERS_IN_LOWER.some((form) => form.test(lower)) ||
  (MAY_BE_MEMBER.test(lower) && ORDER_MEMBER.test(lower)) ||
  ORDERS.some((form) => form.test(text));

/** Finds the forms in a text; `lower` is the text in lower case. */
export function posingOf(text: string, lower: string, ascii: boolean, lexicon: Lexicon): Posing {
  const hints = new Set<string>();
  const traces = new Set<string>();
  if (text.length > 60 && PADDING.test(text)) hints.add('padding');
  if (MAY_TELL.some((part) => lower.includes(part)) && TELLING_ADDRESS.test(text)) {
    hints.add('telling_address');
    if (SENDS_TO_IT.test(text)) hints.add('sends_to_it');
  }
  if ((text.includes('GPT') || text.includes('Bot')) && NAMED_BOT.test(text)) traces.add('named_bot');
  const marked = hasMarker(lower, lexicon);
  if (!UNPLAIN.test(text)) return { attack: marked, hints, traces };
  const capitals = /[A-Z]{3}/.test(text);
  const elements = text.includes('<');
  const addFrom = (forms: Forms) => {
    for (const name in forms) {
      const form = forms[name];
      if (form instanceof RegExp ? form.test(text) : form?.some((one) => one.test(text))) hints.add(name);
    }
  };
  if (capitals) addFrom(OF_CAPITALS);
  if (elements) addFrom(OF_ELEMENTS);
  if (text.includes('\n')) addFrom(OF_LINES);
  addFrom(OTHERS);
  if (capitals && hasPosedNotice(text, lexicon)) hints.add('posed_notice');
  if (text.includes(':') && announcesOrder(text, lexicon)) hints.add('announces_order');
  if (DICTATES.test(text)) traces.add('dictates');
  if (USER_TURN.test(text)) traces.add('user_turn');
  if (SECRET_FILE.test(text)) hints.add('secret_path');
  else if (SECRET_PATH.test(text)) traces.add('secret_path');
  if (MAIL.test(text)) {
    traces.add('mail');
    if (SENDS_ON.test(text)) traces.add('sends_on');
  }
  const attack =
    marked ||
    (/[:=]|<!--/.test(text) && isOrderOfData(text, lower)) ||
    hasForgedHeading(text, lexicon) ||
    (text.includes('[') && BRACKET_MODE.test(text)) ||
    (elements && (breaksOut(lower) || hasHiddenRequest(lower, lexicon))) ||
    (!ascii && HAS_OTHER_SCRIPT.test(lower) && OTHER_SCRIPTS.test(lower));
  return { attack, hints, traces };
}
