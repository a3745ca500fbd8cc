// Removes quotations that a text only mentions: examples of attacks, patterns of filters, values of tests.

/** Words before a quotation that make it an example or a name: `phrases such as "..."`. */
const INTRODUCES =
  /(?:\b(?:(?:patterns?|phrases?|examples?|attacks?|payloads?) (?:is|are|was|were|looks? like|reads?)|(?:reject|block|flag|detect|catch|refuse)(?:s|es|ing)?|such as|like|e\.g\.,?|for example,?|for instance,?|phrases?|patterns?|keywords?|strings?|words?|called|named|titled|labell?ed|known as|simple|term|terms|classic|typed?|contains?|containing|including|examples?|the literal|regex|quotes?|quoting|mentions?|(?:i|we|they|he|she|it|users?|somebody|someone|attackers?) (?:said|typed|wrote|says|types|writes|sends?|sent))\b[\s:(,]{0,3}(?:the |a |an |of )?(?:(?:phrase|string|text|words|word|sentence|message|command) )?)$/i;
/** Code before a quotation that makes it a value: `pattern = r"..."`, `assert detect("...")`. */
const CODE_VALUE =
  /(?:\b(?:payload|pattern|regex|sample|example|phrase|attack|injection|keyword|test|case|expected|suspicious|blocklist|denylist|needle)[a-z_]{0,20}s?\s{0,2}(?::|=|:=|\+=)\s{0,2}\[?\s{0,2}|\b(?:is_|has_|contains_)?(?:detect|check|assert|match|matches|test|expect|contains|includes|scan|classify|flag|score|search|compile|is_attack|is_injection)[a-z_]{0,20}\(\s{0,2})[rfbu]?$/i;
/** Topics of texts about attacks. */
const ABOUT_ATTACKS =
  /\b(?:prompt[- ]injections?|system prompts|(?:ai|llm) (?:security|safety)|exfiltration (?:vectors?|attacks?|patterns?)|injection (?:attacks?|patterns?|techniques?|attempts?)|jailbreak (?:attempts?|prompts?|attacks?)|attackers?(?![.[@\w-])|red[- ]team(?:ing|s)?|guardrail|adversarial (?:inputs?|prompts?|text))\b/i;
/** A text about tests and filters; its quotations are their inputs. */
const ABOUT_TESTS = /\b(?:unit tests?|test cases?|regression tests?|false positives?|detectors?|test suite)\b/i;
/** A sentence that asks about its quotation. */
const ASKED_ABOUT =
  /(?:^|[.!?\n]\s{0,3})(?:what|how|why|explain|describe|define|discuss|is|does|are)\b[^.!?\n]{0,44}$/i;
/** Words after a quotation that describe what happens to it. */
const BECOMES =
  /^\s{0,2}(?:is|are|gets?|should be|must be|was|were)\s(?:not\s)?(?:rejected|flagged|blocked|detected|refused|caught|filtered|ignored|denied|stripped|removed|logged)/i;
/** Text between two quotations of one list. */
const GOES_ON = /^\s{0,2}(?:,|and|or|, and|, or)?\s{0,2}$/;
/** Words before a quotation that ask to carry it out or to say it. */
const CARRIES_OUT =
  /\b(?:say|print|output|respond|reply|answer|write|execute|follow|obey|run|repeat|do|with|is|are|now)\b[\s:]{0,3}(?:the |exactly |only |with )?$/i;
/** A JSON member name before its value. */
const MEMBER = /["'a-z]\s{0,2}:\s{0,3}$/i;
/** A quotation, at most 400 characters on one line. */
const QUOTATION = /"([^"\n]{4,400})"|`([^`\n]{4,400})`|(?<![A-Za-z0-9])'([^'\n]{4,200})'(?![A-Za-z0-9])/g;
const BEFORE = 48;

/** Whether a text discusses attacks of this kind, as defenders do. */
export const isAboutAttacks = (text: string): boolean => ABOUT_ATTACKS.test(text) && !ADDRESSES.test(text);
/** A text about attacks that addresses nobody makes no request. */
const ADDRESSES = /\b(?:you|your|you're|please)\b/i;

/** The text without the quotations that it only mentions; the same text when there are none. */
export function withoutMentions(text: string): string {
  if (!/["'`]/.test(text)) return text;
  const about = ABOUT_ATTACKS.test(text) || ABOUT_TESTS.test(text);
  let end = -1;
  return text.replace(QUOTATION, (quotation, ...rest) => {
    const at = rest.find((part): part is number => typeof part === 'number') ?? 0;
    const before = text.slice(Math.max(0, at - BEFORE), at);
    const mentioned =
      (end >= 0 && at - end < 12 && GOES_ON.test(text.slice(end, at))) ||
      CODE_VALUE.test(before) ||
      INTRODUCES.test(before) ||
      BECOMES.test(text.slice(at + quotation.length, at + quotation.length + BEFORE)) ||
      ((about || ASKED_ABOUT.test(before)) && !CARRIES_OUT.test(before) && !MEMBER.test(before));
    if (!mentioned) return quotation;
    end = at + quotation.length;
    return '""';
  });
}
