// Recognizes credentials by their published formats, so that no answer, record or log line repeats one.

const MAX_TOKEN = 4_096;
/** Anchored at the token's start; each is linear in the token. */
const FORMS: readonly RegExp[] = [
  /^(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}$/, // AWS access key ids
  /^cst_(?:live|test|dev)?_?[A-Za-z0-9_-]{8,}$/, // Custos API keys
  /^gh[opsur]_[A-Za-z0-9]{20,}$/,
  /^github_pat_[A-Za-z0-9_]{20,}$/,
  /^glpat-[A-Za-z0-9_-]{16,}$/,
  /^xox[abeprs]-[A-Za-z0-9-]{10,}$/, // Slack
  /^(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}$/, // Stripe
  /^sk-[A-Za-z0-9_-]{20,}$/, // OpenAI, Anthropic
  /^AIza[0-9A-Za-z_-]{30,}$/, // Google
  /^ya29\.[0-9A-Za-z_-]{20,}$/,
  /^npm_[A-Za-z0-9]{30,}$/,
  /^hf_[A-Za-z0-9]{20,}$/,
  /^SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}$/, // SendGrid
  /^eyJ[A-Za-z0-9_-]{5,}\.eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*$/, // JSON web tokens
];
/** All patterns joined into one, so that a token is scanned once and not fourteen times. */
const ANY_FORM = new RegExp(FORMS.map(({ source }) => source).join('|'));
const URL_PASSWORD = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,200}:[^\s/@]{3,200}@/i;
const ASSIGNMENT =
  /^(?:[a-z0-9_-]{0,30}(?:password|passwd|pwd|secret|token|api_?key|access_?key|private_?key))(?:=|:)["']?([^\s"']{6,})/i;
const PLACEHOLDER = /^(?:x{2}|[*<{$[]|your|example|changeme|null|none|true|false|undefined)/i;
/** Where a program gets a secret from, which names it: `api_key=RO_KEY)`, `token=os.environ["TOKEN"]`, `secret: process.env.SECRET`. */
const REFERENCE =
  /^(?:[A-Z]{2,20}(?:_[A-Z]{2,20}){1,5}[)\]},;]*$|[a-z]\w{0,30}(?:\.\w{1,30}){1,4}[([]|getenv\(|process\.env\.\w+)/;

/** Whether a token without spaces is a credential. */
export function isSecret(token: string): boolean {
  if (token.length < 12 || token.length > MAX_TOKEN)
    return token.length > MAX_TOKEN ? isSecret(token.slice(0, 500)) : false;
  if (ANY_FORM.test(token)) return true;
  if (!/[:=]/.test(token)) return false;
  if (URL_PASSWORD.test(token)) return true;
  const value = ASSIGNMENT.exec(token)?.[1];
  return value !== undefined && !PLACEHOLDER.test(value) && !REFERENCE.test(value);
}

/** Whether a text holds a PEM header of a private key, which has spaces. */
export function holdsPrivateKey(text: string): boolean {
  return /-----BEGIN (?:[A-Z]{2,10} )?(?:[A-Z]{2,10} )?PRIVATE KEY/.test(text);
}
