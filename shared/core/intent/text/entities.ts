// Extracts entities from a text: addresses, hosts, sums of money, paths, identifiers.
import { isIPv4 } from 'node:net';
import { plainHost } from './addresses.ts';
import type { Sentence, Sentences, Token } from './tokens.ts';
import { pairMap, wordMap } from './word-set.ts';
import type { Entities, Money } from '../types.ts';

const MAX_FILE_NAME = 300;

const SYMBOLS = pairMap('$:USD €:EUR £:GBP ¥:JPY ₹:INR ₩:KRW ₽:RUB ₺:TRY ₴:UAH ₦:NGN ₪:ILS ฿:THB ₫:VND ₱:PHP');
const NAMES = wordMap({
  USD: 'dollar dollars bucks',
  EUR: 'euro euros',
  GBP: 'pound pounds',
  JPY: 'yen',
  INR: 'rupee rupees',
  CHF: 'francs',
  CNY: 'yuan',
});
// ISO 4217, active codes (list one, without funds, metals and test codes).
const CODES = new Set(
  (
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE ' +
    'CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS ' +
    'KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR ' +
    'PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD ' +
    'TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG'
  ).split(' '),
);
const SCALES = new Map(Object.entries({ k: 1e3, m: 1e6, mn: 1e6, million: 1e6, thousand: 1e3, bn: 1e9, billion: 1e9 }));
const AMOUNT = /^(\p{Sc})?([0-9][0-9.,]{0,20})(k|m|mn|bn|usd|eur|gbp|jpy|chf)?(\p{Sc})?$/iu;
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.){1,10}[a-z]{2,18}$/i;
const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$/;
const FILE_ENDING =
  /\.(?:txt|md|csv|tsv|json|jsonl|ya?ml|xml|html?|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|mp[34]|mov|zip|gz|tgz|tar|log|sql|db|sqlite|py|m?[jt]sx?|go|rs|java|rb|sh|ps1|exe|dll|so|conf|cfg|ini|env|toml|lock|bak|tmp|ipynb|parquet|key|pem)$/i;

/** The value of `1,234.56` or `1.234,56`, or undefined. */
function amountOf(text: string): number | undefined {
  const decimal = /[.,]\d{1,2}$/.exec(text);
  const whole = (decimal ? text.slice(0, decimal.index) : text).replace(/[.,]/g, '');
  const amount = Number(decimal ? `${whole}.${decimal[0].slice(1)}` : whole);
  return Number.isFinite(amount) ? amount : undefined;
}

/** The host of a URL token, lower case without port, or undefined. */
export function hostOf(url: string): string | undefined {
  const start = url.indexOf('://');
  const rest = start < 0 ? url : url.slice(start + 3);
  const authority = rest.split(/[/?#]/, 1)[0] ?? '';
  // Some clients end the host here, others take what follows an @: with the backslash it is on no list of hosts.
  const backslash = authority.indexOf('\\');
  if (backslash >= 0) return authority.slice(0, backslash + 1).toLowerCase();
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d+$/, '')
    .toLowerCase();
  return host === '' ? undefined : host;
}

export const isFileName = (text: string): boolean =>
  text.length <= MAX_FILE_NAME && text.includes('.') && FILE_ENDING.test(text);
const isHost = (text: string): boolean =>
  text.length <= 253 && text.includes('.') && !isFileName(text) && (HOST.test(text) || IPV4.test(text));

const BEGINS_AS_SUM = /^.?\d/u;

export const noEntities = (): Entities => ({
  emails: [],
  urls: [],
  hosts: [],
  money: [],
  paths: [],
  identifiers: [],
});

/** A sum of money at `sentence[at]`, alone or with an adjacent token. */
function moneyAt(sentence: Sentence, at: number): Money | undefined {
  const token = sentence[at];
  // A sum begins with a digit or a sign and a digit; no word does.
  if (!token || token.kind === 'word' || token.text.length > 40 || !BEGINS_AS_SUM.test(token.text)) return undefined;
  const match = AMOUNT.exec(token.text);
  if (!match) return undefined;
  const next = sentence[at + 1]?.lower ?? '';
  const previous = sentence[at - 1]?.lower ?? '';
  const scaled = SCALES.get(match[3]?.toLowerCase() ?? '') ?? SCALES.get(next) ?? 1;
  const after = !SCALES.has(next) ? next : (sentence[at + 2]?.lower ?? '');
  const currency =
    SYMBOLS.get(match[1] ?? match[4] ?? '') ??
    codeAt(sentence, at, match[3] ?? '', [after, previous]) ??
    NAMES.get(after);
  if (currency === undefined) return undefined;
  const amount = amountOf(match[2] ?? '');
  return amount === undefined ? undefined : { amount: amount * scaled, currency };
}

/** The currency code in the token of a sum, or in an adjacent one. */
function codeAt(sentence: Sentence, at: number, inside: string, beside: readonly string[]): string | undefined {
  const isCode = (word: string) => word.length === 3 && CODES.has(word.toUpperCase());
  const code = (isCode(inside) ? inside : beside.find(isCode))?.toUpperCase();
  if (code === undefined || code === inside.toUpperCase()) return code;
  // `all`, `top` and `try` are primarily words, so such a code must be in capitals.
  const isCapital = [at - 1, at + 1, at + 2].some((index) => sentence[index]?.text === code);
  return isCapital || !['ALL', 'TOP', 'TRY', 'CUP', 'LAK'].includes(code) ? code : undefined;
}

/** An address in quotation marks. */
const EMAIL = /^[^\s@/]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$/i;

/**
 * All entities of a text, whole: policies may refuse a single one of them. Secrets are left out; their tokens have their own kind.
 */
export function entitiesOf(sentences: Sentences): Entities {
  const emails = new Set<string>();
  const urls = new Set<string>();
  const hosts = new Set<string>();
  const paths = new Set<string>();
  const identifiers = new Set<string>();
  const money = new Map<string, Money>();
  const take = (token: Token) => {
    const { kind, text, lower } = token;
    // Words and punctuation are not entities.
    if (kind === 'word' || kind === 'punct' || kind === 'secret') return;
    if (kind === 'email') emails.add(lower);
    else if (kind === 'url') {
      urls.add(text);
      const host = hostOf(text);
      // Policies compare the whole host: `0x7f.1` and `[::ffff:127.0.0.1]` are 127.0.0.1.
      if (host !== undefined) hosts.add(plainHost(host) ?? host);
    } else if (kind === 'path' || isFileName(text)) paths.add(text);
    else if (kind === 'identifier' || kind === 'number') {
      if (isHost(text)) hosts.add(lower);
      else if (kind === 'identifier' && /[\d_-]/.test(text) && /^[\p{L}\p{N}#][\p{L}\p{N}_.#/-]*$/u.test(text)) {
        identifiers.add(text);
      }
    } else if (kind === 'quoted' && EMAIL.test(text)) emails.add(lower);
    else if (kind === 'quoted' && !text.includes(' ')) identifiers.add(text);
  };
  for (const sentence of sentences) {
    for (let at = 0; at < sentence.length; at += 1) {
      const token = sentence[at];
      if (token) take(token);
      const sum = moneyAt(sentence, at);
      if (sum) money.set(`${sum.amount} ${sum.currency}`, sum);
    }
  }
  return {
    emails: [...emails],
    urls: [...urls],
    hosts: [...hosts],
    money: [...money.values()],
    paths: [...paths],
    identifiers: [...identifiers],
  };
}

const PRIVATE = /^(?:10\.|192\.168\.|127\.|172\.(?:1[6-9]|2\d|3[01])\.)/;

/** Whether a host, if there is one, lies outside the organisation. */
export function isExternalHost(host: string | undefined, internalHosts: readonly string[]): boolean {
  if (host === undefined) return false;
  const bare = host.replace(/:\d+$/, '');
  // A name that begins with the numbers of a private network (10.evil.example) is no address.
  if (isIPv4(bare) && PRIVATE.test(bare)) return false;
  return !internalHosts.some(
    (known) => bare === known || (known.startsWith('.') && (bare.endsWith(known) || bare === known.slice(1))),
  );
}
