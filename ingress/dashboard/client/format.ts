// Numbers, times and names formatted for people.
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** 1,234,567 */
export function whole(value: number): string {
  return WHOLE.format(value);
}

/** 1.2M, for small spaces. */
export function compact(value: number): string {
  return value < 10_000 ? whole(value) : COMPACT.format(value);
}

/** A rate or a small number: 0, 0.3, 4.2, 57, 1,234. */
export function rate(value: number): string {
  if (value === 0) return '0';
  return value < 10 ? value.toFixed(1) : whole(value);
}

/** An amount that may be a fraction: 0, 3, 0.25, 7.14, 21. */
export function amount(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
}

/** With every decimal that budgets count: 0, 3, 0.25, 1,234.000001. */
export function exact(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 6 });
}

/** 4.2 ms, 57 ms, 1.3 s */
export function milliseconds(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms > 0 && ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** 512 kB, 3.4 MB, 12 GB */
export function bytes(amount: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, amount < 1 ? 0 : Math.floor(Math.log10(amount) / 3));
  const value = amount / 1_000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

/** 0 s, 12 s, 3 min, 2 h, 5 d: one unit, rounded down. */
export function duration(seconds: number): string {
  const s = Math.max(0, seconds);
  if (s < 60) return `${Math.floor(s)} s`;
  if (s < 3_600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) return `${Math.floor(s / 3_600)} h`;
  return `${Math.floor(s / 86_400)} d`;
}

/** "12 s ago", "in 3 min", "just now" */
export function relative(at: Date, now: Date): string {
  const seconds = (now.getTime() - at.getTime()) / 1_000;
  if (Math.abs(seconds) < 1) return 'just now';
  return seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
}

/**
 * Times in the reader's language and time zone, but always with Latin digits and the Gregorian calendar, as in the rest of the
 * page.
 * @param locale only for tests; absent: the browser's
 */
export function timesAs(options: Intl.DateTimeFormatOptions, locale?: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...options, calendar: 'gregory', numberingSystem: 'latn' });
}

const TIME = timesAs({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const DATE = timesAs({ year: 'numeric', month: 'short', day: 'numeric' });

/** The time of day, with the date unless it is today; in the reader's time zone. */
export function moment(at: Date, now: Date): string {
  return DATE.format(at) === DATE.format(now) ? TIME.format(at) : `${DATE.format(at)}, ${TIME.format(at)}`;
}

const SHORT_DATE = timesAs({ month: 'short', day: 'numeric' });

/** Like `moment`, for the rows of a log: "14:03:07", "Nov 21 14:03:07", or with the year unless it is this one. */
export function rowTime(at: Date, now: Date): string {
  if (DATE.format(at) === DATE.format(now)) return TIME.format(at);
  const date = at.getFullYear() === now.getFullYear() ? SHORT_DATE : DATE;
  return `${date.format(at)} ${TIME.format(at)}`;
}

const MINUTE = timesAs({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const DAY = timesAs({ month: 'short', day: 'numeric' });

/**
 * Labels for the ticks of a time axis: as precise as their distance needs, and the date where a day begins.
 * @param seconds since 1970, rising
 * @param step between two of them, in seconds
 */
export function tickTimes(seconds: readonly number[], step: number, now = new Date()): string[] {
  let day = DAY.format(now);
  return seconds.map((each) => {
    const at = new Date(each * 1_000);
    const before = day;
    day = DAY.format(at);
    if (step >= 86_400 || day !== before) return day;
    return step < 60 ? TIME.format(at) : MINUTE.format(at);
  });
}

/** A part of the time axis: "14:20 – 14:30", with seconds or the day as its length needs. */
export function bucketLabel(fromMs: number, stepMs: number, now = new Date()): string {
  const [from, to] = [new Date(fromMs), new Date(fromMs + stepMs)];
  const format = stepMs < 60_000 ? TIME : MINUTE;
  const day = DAY.format(from) === DAY.format(now) ? '' : `${DAY.format(from)}, `;
  return `${day}${format.format(from)} – ${format.format(to)}`;
}

/** The reader's time zone, such as "UTC" or "GMT+1". */
export function timeZone(at: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** A long id or hash, shortened in the middle. */
export function short(text: string, length = 16): string {
  if (text.length <= length) return text;
  // By code points, so that no surrogate pair is split.
  const characters = [...text];
  if (characters.length <= length) return text;
  const half = Math.floor((length - 1) / 2);
  return `${characters.slice(0, length - 1 - half).join('')}…${characters.slice(-half).join('')}`;
}

/** A text with invisible and direction-changing characters replaced by their code points, such as ⟨202E⟩. */
export function spelled(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, codeOf);
}

/**
 * A caller's name, written so that different names look different. Beside the characters that `spelled` replaces, it replaces
 * leading, trailing and repeated spaces, unusual spaces, and other characters without a visible form.
 */
export function named(name: string): string {
  return spelled(name).replace(BLANK, (unseen) => [...unseen].map(codeOf).join(''));
}

/** Spaces first; then letters and marks without a visible form. */
const BLANK =
  /^ +| +$|(?<= ) +|(?! )\p{Zs}|\u034f|[\u115f\u1160\u2800\u3164\uffa0]|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]/gu;

function codeOf(character: string): string {
  return `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** "1 agent", "2 agents" */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${whole(value)} ${value === 1 ? one : many}`;
}

/** A name in parts between which a line may break: after punctuation, not within a word. */
export function breaksOf(name: string): string[] {
  return name.split(/(?<=[./:-])(?=[^./:-])/);
}
