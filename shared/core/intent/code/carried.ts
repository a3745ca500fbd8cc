// Words that only say that code is to be run: `run`, `execute the following query:`. The code itself says what that does.

const MAX_BETWEEN = 60;
const CARRIES =
  /^[a-z]{2,10}(?:\s{1,3}(?:the|this|these|following|command|commands|query|statement|sql|script|code|request|line|in|bash|shell|it|for|me|please|a|an|http|terminal|on)){0,6}[\s:`"'$>(#]{0,8}(?:bash\s|sh\s|sql\s)?$/i;

/** Whether the words from `at` to a piece of code say nothing but that it is to be run. */
export const onlyRuns = (text: string, at: number, codeAt: number): boolean =>
  codeAt > at && codeAt - at <= MAX_BETWEEN && CARRIES.test(text.slice(at, codeAt));
