// A second implementation of every operator from its documentation, sharing no code with the service. Deliberately simple and slow.
import { BlockList, isIP } from 'node:net';

/** The result of a comparison; `partly`: it holds for only some of the resources that a requested pattern covers. */
export type Said = 'yes' | 'no' | 'missing' | 'partly';

const said = (is: boolean): Said => (is ? 'yes' : 'no');
const isSimple = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
const turned = (one: Said): Said => (one === 'yes' ? 'no' : one === 'no' ? 'yes' : one);

/** The segments of a pattern, and whether it covers everything below them. */
function aim(pattern: string): { readonly segments: readonly string[]; readonly below: boolean } {
  const segments = pattern.split('/');
  const below = segments.at(-1) === '*';
  return { segments: below ? segments.slice(0, -1) : segments, below };
}
const beginsWith = (long: readonly string[], short: readonly string[]): boolean =>
  short.every((segment, i) => long[i] === segment);

/** Whether a pattern covers everything that a request names. */
export function isAllOf(request: string, pattern: string): boolean {
  const [asked, named] = [aim(request), aim(pattern)];
  if (!named.below) return !asked.below && request === pattern;
  const isBelow = asked.below || asked.segments.length > named.segments.length;
  return isBelow && beginsWith(asked.segments, named.segments);
}

/** Whether both match some common resource. */
export function isSomeOf(request: string, pattern: string): boolean {
  if (isAllOf(request, pattern) || isAllOf(pattern, request)) return true;
  const [asked, named] = [aim(request), aim(pattern)];
  if (!asked.below || !named.below) return false;
  return beginsWith(asked.segments, named.segments) || beginsWith(named.segments, asked.segments);
}

function canonical(text: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    return undefined;
  }
  const folded = decoded.normalize('NFKC').toLowerCase();
  if (/[%\p{Cc}\p{Cf}]/u.test(folded)) return undefined;
  const pieces = folded.split(/[/\\:]/);
  if (pieces.some((piece) => piece.trim() === '.' || piece.trim() === '..')) return undefined;
  const segments = pieces.flatMap((piece) => piece.split('.')).filter((one) => one !== '');
  const isStarred = segments.some((one, i) => one.includes('*') && (one !== '*' || i < segments.length - 1));
  if (segments.length === 0 || isStarred || segments.some((one) => one.trim() !== one)) return undefined;
  return segments.join('/');
}

function resource(actual: unknown, value: unknown): Said {
  const patterns = listOf(value).map((one) => canonical(String(one)) ?? '');
  const answers = listOf(actual).map((one): Said => {
    const name = typeof one === 'string' ? canonical(one) : undefined;
    if (name === undefined) return 'missing';
    if (patterns.some((pattern) => isAllOf(name, pattern))) return 'yes';
    return aim(name).below && patterns.some((pattern) => isSomeOf(name, pattern)) ? 'partly' : 'no';
  });
  return (['missing', 'yes', 'partly'] as const).find((one) => answers.includes(one)) ?? 'no';
}

function order(holds: (actual: number, value: number) => boolean): (actual: unknown, value: unknown) => Said {
  return (actual, value) =>
    typeof actual === 'number' && Number.isFinite(actual) ? said(holds(actual, Number(value))) : 'missing';
}

function text(holds: (actual: string, value: string) => boolean): (actual: unknown, value: unknown) => Said {
  return (actual, value) =>
    typeof actual === 'string' ? said(listOf(value).some((one) => holds(actual, String(one)))) : 'missing';
}

/** RFC 3339 with an offset; days that do not exist in their month are invalid. */
function instant(value: unknown): number | undefined {
  const parts =
    typeof value === 'string'
      ? /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.exec(value)
      : null;
  if (parts === null) return undefined;
  const [at, year, month, day] = [Date.parse(parts[0]), ...parts.slice(1, 4).map(Number)];
  if (year === undefined || month === undefined || day === undefined || Number.isNaN(at)) return undefined;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days ? at : undefined;
}

function times(holds: (actual: number, value: number) => boolean): (actual: unknown, value: unknown) => Said {
  return (actual, value) => {
    const [a, v] = [instant(actual), instant(value)];
    return a === undefined || v === undefined ? 'missing' : said(holds(a, v));
  };
}

/** The minute and the day of the week (0: Sunday) of an instant in a zone. */
function wallClock(at: number, timeZone: string): readonly [minute: number, day: number] {
  const [date = '', time = ''] = new Date(at).toLocaleString('sv-SE', { timeZone }).split(' ');
  return [Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)), new Date(`${date}T00:00:00Z`).getUTCDay()];
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function hours(actual: unknown, value: unknown): Said {
  const at = instant(actual);
  const written = (typeof value === 'string' ? { hours: value } : value) as Hours; // a checked value of a policy
  const isPlain = written.days === undefined && (written.zone ?? 'UTC') === 'UTC';
  if (at === undefined && !isPlain) return 'missing';
  const [ofDay, day] = at === undefined ? [actual, 0] : wallClock(at, written.zone ?? 'UTC');
  if (typeof ofDay !== 'number' || !Number.isInteger(ofDay) || ofDay < 0 || ofDay > 1_439) return 'missing';
  const [from = 0, to = 0] = (written.hours ?? '00:00-00:00')
    .split('-')
    .map((one) => Number(one.slice(0, 2)) * 60 + Number(one.slice(3)));
  // Walks from the first minute to the last, into the next day if necessary.
  for (let i = 0, minute = from; i === 0 || minute !== to; i += 1, minute = (minute + 1) % 1_440) {
    if (minute !== ofDay) continue;
    const begun = from + i >= 1_440 ? (day + 6) % 7 : day;
    return said(written.days?.includes(DAYS[begun] ?? '') ?? true);
  }
  return 'no';
}

/** @param now the time of the decision */
type Reference = (actual: unknown, value: unknown, now?: string) => Said;

interface Hours {
  readonly hours?: string;
  readonly zone?: string;
  readonly days?: readonly string[];
}

/** The time of the decision, where facts give no other. */
export const NOW = '2026-03-04T10:30:00.000Z';
const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

function age(holds: (age: number, limit: number) => boolean): Reference {
  return (actual, value, now = NOW) => {
    const at = instant(actual);
    const seconds = at === undefined ? Number.NaN : (Date.parse(now) - at) / 1_000;
    const limit = Number.parseInt(String(value), 10) * (SECONDS[String(value).slice(-1)] ?? 0);
    return Number.isNaN(seconds) || seconds < -300 ? 'missing' : said(holds(seconds, limit));
  };
}

/** Of a list of results: the one that settles the matter, else what can't be told, else the other one. */
function settled(answers: readonly Said[], by: 'yes' | 'no'): Said {
  return [by, 'missing' as const, 'partly' as const].find((one) => answers.includes(one)) ?? turned(by);
}

interface OfItem {
  readonly all?: readonly OfItem[];
  readonly any?: readonly OfItem[];
  readonly not?: OfItem;
  readonly path?: string;
  readonly operator?: string;
  readonly value?: unknown;
}

function judge(condition: OfItem, item: unknown, now: string): Said {
  if (condition.not !== undefined) return turned(judge(condition.not, item, now));
  if (condition.all !== undefined)
    return settled(
      condition.all.map((part) => judge(part, item, now)),
      'no',
    );
  if (condition.any !== undefined)
    return settled(
      condition.any.map((part) => judge(part, item, now)),
      'yes',
    );
  let value = item;
  for (const key of condition.path?.split('.') ?? [])
    value = Array.isArray(value) ? undefined : Object.getOwnPropertyDescriptor(Object(value), key)?.value;
  const name = String(condition.operator);
  if (name !== 'isPresent' && (value ?? undefined) === undefined) return 'missing';
  return (REFERENCE[`${name} (text)`] ?? REFERENCE[name])?.(value, condition.value, now) ?? 'missing';
}

function items(by: 'yes' | 'no'): Reference {
  return (actual, value, now = NOW) => {
    if (!Array.isArray(actual) || actual.length > 1_000) return 'missing';
    if (actual.length === 0) return by === 'yes' ? 'no' : 'missing';
    return settled(
      actual.map((item: unknown) => judge(Object(value) as OfItem, item, now)), // a checked value of a policy
      by,
    );
  };
}

function network(actual: unknown, value: unknown): Said {
  const family = typeof actual === 'string' && !actual.includes('%') ? isIP(actual) : 0;
  if (typeof actual !== 'string' || family === 0) return 'missing';
  const mapped = new BlockList();
  mapped.addSubnet('::ffff:0:0', 96, 'ipv6');
  const isV4 = family === 4 || mapped.check(actual, 'ipv6');
  const translated = new BlockList();
  for (const [prefix, length] of [
    ['::', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['2002::', 16],
  ] as const)
    translated.addSubnet(prefix, length, 'ipv6');
  const isUnclear = !isV4 && translated.check(actual, 'ipv6') && !/^[0:]*[0:1]$/.test(actual);
  const list = new BlockList();
  for (const one of listOf(value)) {
    const [address = '', prefix] = String(one).split('/');
    // An address belongs to networks of its own kind; an IPv4-mapped IPv6 address is an IPv4 address.
    if ((isIP(address) === 4) === isV4) list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  const isWithin = list.check(actual, family === 4 ? 'ipv4' : 'ipv6');
  const isOfV4 = listOf(value).some((one) => isIP(String(one).split('/')[0] ?? '') === 4);
  return isUnclear && isOfV4 && !isWithin ? 'missing' : said(isWithin);
}

function members(how: 'some' | 'every'): (actual: unknown, value: unknown) => Said {
  return (actual, value) => {
    const wanted = listOf(value);
    if (!Array.isArray(actual) || actual.some((one) => typeof one !== typeof wanted[0])) return 'missing';
    const items: readonly unknown[] = actual;
    return said(wanted[how]((one) => items.includes(one)));
  };
}

function amount(actual: unknown, value: unknown): Said {
  const { amount: limit, currency } = Object(value) as { amount: number; currency: string }; // a checked value of a policy
  const sums = listOf(actual).map((one) => Object(one) as { amount?: unknown; currency?: unknown }); // looked at member by member
  const isSum = (one: { amount?: unknown; currency?: unknown }): boolean =>
    Number.isFinite(one.amount) && typeof one.currency === 'string';
  if (sums.length === 0 || !sums.every(isSum)) return 'missing';
  if (sums.some((one) => one.currency === currency && Number(one.amount) > limit)) return 'yes';
  return sums.every((one) => one.currency === currency) ? 'no' : 'missing';
}

const same = (actual: unknown, value: unknown): Said =>
  isSimple(actual) && typeof actual === typeof value ? said(actual === value) : 'missing';
const among = (actual: unknown, value: unknown): Said => {
  const items = listOf(value);
  return isSimple(actual) && typeof actual === typeof items[0] ? said(items.includes(actual)) : 'missing';
};

/** The segments of a path, resolved; undefined when its dots are ambiguous or lead out of it. */
function steps(path: string): string[] | undefined {
  if (/\p{Cc}/u.test(path) || (path.includes('/') && path.includes('\\'))) return undefined;
  const parts = path.split(/[/\\]/);
  const dotted = parts.some((part) => part === '.' || part === '..');
  const isDrive = /^[A-Za-z]:$/.test(parts[0] ?? '') && parts.length > 1;
  const beyond = isDrive ? parts.slice(1).join('/') : parts.join('/');
  if (dotted && (beyond.includes(':') || beyond.startsWith(isDrive ? '/' : '//'))) return undefined;
  const kept: string[] = [];
  for (const [i, part] of parts.entries()) {
    const isRoot = kept.filter((one) => one !== '').length === (isDrive ? 1 : 0);
    if (dotted && part === '..' && isRoot) return undefined;
    if (dotted && part === '..') kept.pop();
    else if ((part !== '' || i === 0) && !(dotted && part === '.')) kept.push(part);
  }
  if (kept.join('') !== '') return kept;
  // The root has an empty name below an empty name; "." is the empty path.
  return /^[/\\]/.test(path) ? ['', ''] : [''];
}

function fits(glob: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = glob;
  if (first === undefined) return path.length === 0;
  if (first === '**' && rest.length === 0) return path.length > 0 && path.join('/') !== '';
  if (first === '**') return path.some((_, i) => fits(rest, path.slice(i))) || fits(rest, path);
  const [head, ...tail] = path;
  if (head === undefined) return false;
  const letters = (pattern: string, text: string): boolean =>
    pattern === ''
      ? text === ''
      : pattern.startsWith('*')
        ? letters(pattern.slice(1), text) || (text !== '' && letters(pattern, text.slice(1)))
        : text.startsWith(pattern.charAt(0)) && letters(pattern.slice(1), text.slice(1));
  return letters(first, head) && fits(rest, tail);
}

const glob = (actual: unknown, value: unknown): Said => {
  const path = typeof actual === 'string' ? steps(actual) : undefined;
  return path === undefined ? 'missing' : said(listOf(value).some((one) => fits(steps(String(one)) ?? [], path)));
};

/** For patterns whose meaning RE2 and JavaScript share. */
const pattern = (actual: unknown, value: unknown): Said =>
  typeof actual === 'string' ? said(listOf(value).some((one) => new RegExp(String(one), 'u').test(actual))) : 'missing';

const hosts = (actual: unknown, value: unknown): Said => {
  const host =
    typeof actual === 'string' ? /^[a-z]+:\/\/([a-z0-9.-]+)(?::\d+)?(?:[/?#][^\s\\]*)?$/i.exec(actual)?.[1] : undefined;
  if (host === undefined) return 'missing';
  const name = host.toLowerCase().replace(/\.$/, '');
  return said(
    listOf(value)
      .map(String)
      .some((one) => (one.startsWith('*.') ? name.endsWith(one.slice(1)) : name === one)),
  );
};

const part = (actual: unknown, value: unknown): Said =>
  typeof actual !== 'string'
    ? members('some')(actual, value)
    : typeof value === 'string'
      ? said(actual.indexOf(value) !== -1)
      : 'missing';

export const REFERENCE: Readonly<Record<string, Reference>> = {
  equal: same,
  notEqual: (actual, value) => turned(same(actual, value)),
  in: among,
  notIn: (actual, value) => turned(among(actual, value)),
  lessThan: order((a, v) => a < v),
  lessThanInclusive: order((a, v) => a <= v),
  greaterThan: order((a, v) => a > v),
  greaterThanInclusive: order((a, v) => a >= v),
  matchesGlob: glob,
  matchesPattern: pattern,
  hostIn: hosts,
  'contains (text)': part,
  'doesNotContain (text)': (actual, value) => turned(part(actual, value)),
  contains: members('some'),
  doesNotContain: (actual, value) => turned(members('some')(actual, value)),
  containsAny: members('some'),
  containsAll: members('every'),
  containsNone: (actual, value) => turned(members('some')(actual, value)),
  some: items('yes'),
  every: items('no'),
  startsWith: text((a, v) => a.slice(0, v.length) === v),
  endsWith: text((a, v) => a.slice(Math.max(0, a.length - v.length)) === v),
  matchesResource: resource,
  withinHours: hours,
  before: times((a, v) => a < v),
  after: times((a, v) => a > v),
  olderThan: age((seconds, limit) => seconds > limit),
  newerThan: age((seconds, limit) => seconds < limit),
  inCidr: network,
  amountAbove: amount,
  isPresent: (actual, value) => said((actual !== undefined && actual !== null) === value),
};
