// The kinds of values that settings have, by the names that the lexicon gives them: sizes, files of the project, addresses outside.
import { isSystemPath } from './code.ts';
import { isDestroying, isMoney, partsOf } from './names.ts';
import { disablesSomething, type Setting } from './settings.ts';
import type { ValueKind } from '../lexicon/settings.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { hostOf, isExternalHost } from '../text/entities.ts';

/** A word before the name of a thing, at the beginning: an order with whatever verb, `Yeet the database`. */
export const ORDERS =
  /^\s*(?!(?:and|as|at|below|by|for|from|here|in|is|of|on|that|this|to|with)\s)\p{L}+\s+(?:the|all|every|everything|everyone|our|your|my|its|their|th[eo]se|die|das|den|alle|le|les|la|el|los|las|il)(?:\s|:|$)/iu;
/** Words of what people do with programs all day. */
const MILD = /^(?:checks?|deploy|policy|policies|publish|release|session|domains?|key|keys|user|users|rates?|send)$/;

type Test = (value: string, setting: Setting, lexicon: Lexicon) => boolean;
const form =
  (pattern: RegExp): Test =>
  (value) =>
    pattern.test(value);

const WORD = String.raw`[\p{L}\p{N}_][\p{L}\p{N}._+-]*`;
const SEGMENT = String.raw`(?:[\p{L}\p{N}_*{}@+,-][\p{L}\p{N}_.*{}@+,-]*)`;
const RELATIVE = new RegExp(String.raw`^(?:\.|\./|(?:\./)?${SEGMENT}(?:/${SEGMENT})*/?)$`, 'u');
const ABSOLUTE = new RegExp(String.raw`^/${SEGMENT}(?:/${SEGMENT})*/?$`, 'u');
const SYSTEM = /^\/(?:run|proc|sys|home|mnt|media|host|hostfs|rootfs|var\/run|root|lib|sbin)(?:\/|$)/;
/** `pgdata:/var/lib/postgresql/data`, `./site:/usr/share/nginx/html:ro`: what stands there is only seen by the container. */
const MOUNTED = new RegExp(String.raw`^(?:\./)?${SEGMENT}(?:/${SEGMENT})*/?:/[\w./-]+(?::r[ow])?$`, 'u');
const HAS_FOLDER = /\/|\.[a-z][a-z\d]{1,6}$/;
/** The machine itself, or one that only the network around it knows by its name. */
const LOCAL_HOST = String.raw`(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|[a-z][a-z\d-]*(?:\.[a-z\d-]+)*\.(?:internal|local|localhost|lan|test|svc)|[a-z][a-z\d-]*)`;
const LOCAL = new RegExp(
  String.raw`^(?:[a-z][a-z\d+.:-]*://${LOCAL_HOST}(?::\d+)?(?:/[\w./-]*)?|(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)(?::\d+)?|[a-z][a-z\d-]*:\d{2,5}|sqlite:///?\.?[\w./-]*|(?:127\.0\.0\.1:)?\d{2,5}(?::\d{2,5})?(?:/(?:tcp|udp))?)$`,
);
const ADDRESS = /[a-z][a-z\d+.-]{0,20}:\/\/[^\s"',;)\]}]{1,300}|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/g;
const HOST = /^(?:\.?[a-z\d-]+)(?:\.[a-z\d-]+)*\.[a-z]{2,7}(?::\d+)?$/;
const MAIL = /^[\w.+-]{1,64}@([\w-]+(?:\.[\w-]+)+)$/;
/** Places of the machine that hold what others run on, or all of it. */
const MACHINE =
  /^(?:\/|~\/\..*|\/?(?:\.\.\/).*|.*docker\.sock|\/(?:run|proc|sys|home|root|etc|boot|dev|usr|bin|sbin|var|var\/run|var\/lib(?:\/(?:docker|kubelet|containerd|etcd).*)?)\/?|\/(?:etc|root|boot|dev|proc|sys|home)\/.*)$/;
const IMAGE =
  /^(?:[\w-]+|[\w.-]+\.(?:local|internal|corp|lan)(?::\d+)?\/[\w./-]+?)(?::[\w.-]+)?(?:@sha256:[a-f\d]{64})?$/;
/** `actions/checkout@v4`, `https://github.com/psf/black` */
const PUBLISHED = /^(?:([a-z\d-]+)\/[\w./-]+@v?[\w.]+|https:\/\/github\.com\/([a-z\d-]+)\/[\w.-]+)$/;
/** An expression over metrics, which reads and nothing else: `rate(http_requests_total[5m]) > 0.5`. */
const METRICS = /^(?=.*(?:[a-z]+_[a-z_]+|\[\d+[smhd]\]))[\w\s(){}[\]"'=~!<>+*/.,:%^|-]+$/;
/** A function that is none of those over metrics: `delete_all(users)`. */
const OTHER_FUNCTION =
  /(?<![a-z\d_])(?!(?:sum|avg|min|max|count|group|stddev|stdvar|topk|bottomk|quantile|rate|irate|increase|delta|idelta|deriv|absent|absent_over_time|changes|resets|time|clamp|clamp_max|clamp_min|abs|ceil|floor|round|histogram_quantile|label_replace|label_join|predict_linear|scalar|(?:avg|min|max|sum|count|quantile|last|present)_over_time|by|on|without|ignoring|group_left|group_right|and|or|unless|offset|bool)\s*\()[a-z_]\w*\s*\(/;
/** Whether a value is more words than a name has: they may ask for anything. */
export function isProse(value: string): boolean {
  const words = value.trim().split(/\s+/);
  return words.length > 2 && words.filter((word) => /\p{L}/u.test(word)).length > 1;
}
/** A number, with its unit, a word, some words, or the name of a place such as `Europe/Lisbon`. */
const PLAIN = /^#?[\p{L}\p{N}_][\p{L}\p{N}_ .,%+-]{0,60}(?:\/[\p{L}_-]{0,30})?$/u;

const DAY_SECONDS = 86_400;
const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['ms', 0.001],
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', DAY_SECONDS],
  ['w', 7 * DAY_SECONDS],
]);
const LASTS = /(\d+(?:\.\d+)?)\s?(ms|[smhdw])[a-z]*/g;

/** How long a value lasts, in seconds; NaN for one without a unit, in itself or in its name. */
function secondsOf(value: string, { name, own = name }: Setting): number {
  const unit = /(?:^|_)(ms|millis|s(?:econds?|ecs?)|m(?:inutes?|ins?)|hours?|days?)(?:_|$)/.exec(own)?.[1];
  const isBare = /^\d+(?:\.\d+)?$/.test(value) && unit !== undefined;
  const text = isBare ? `${value}${/^mill|^ms/.test(unit) ? 'ms' : unit.charAt(0)}` : value;
  const found = [...text.matchAll(LASTS)];
  if (found.length === 0 || text.replace(LASTS, '').trim() !== '') return Number.NaN;
  return found.reduce((sum, [, count, of = '']) => sum + Number(count) * (UNIT_SECONDS.get(of) ?? 0), 0);
}

const saysOf = (value: string, has: (part: string) => boolean): boolean => [...new Set(partsOf(value))].some(has);

/** Whether a value names an address that is not of the organisation. */
export const leadsOutside = (value: string, { internalHosts }: Lexicon): boolean =>
  [...value.matchAll(ADDRESS)].some(([address]) => {
    const host = hostOf(address);
    return host?.includes('.') === true && isExternalHost(host, internalHosts);
  });

const TESTS: Readonly<Record<ValueKind, Test>> = {
  on: form(/^(?:true|on|yes|enabled?|enforc(?:e|ed|ing)|block|strict|required?|always|[1-9]\d{0,5}[a-z]{0,5})$/),
  switchedOn: form(/^(?:true|on|yes|enabled?|enforced?|strict|required?|always|1)$/),
  off: form(/^(?:false|off|no|none|null|nil|never|disabled?|empty|-?0+(?:[.x]0+)?[a-z]{0,5}|undefined)$/),
  zero: form(/^-?0/),
  one: form(/^1(?!\s?(?:w|mon|y))\D{0,5}$/),
  hundred: (value) => Number.parseFloat(value) >= 100,
  amount: form(
    /^(?!0+(?:\.0+)?[a-z%]*$)\d{1,6}(?:\.\d{1,3})?\s?(?:ms|[smhd%]|secs?|seconds?|mins?|minutes?|hours?|days?)?$/,
  ),
  size: form(/^(?!0+(?:\.0+)?[a-z])\d{1,6}(?:\.\d{1,3})?\s?(?:[kmgt]i?b?)$/),
  level: form(/^(?:trace|debug|info|information|notice|warn|warning|error)$/),
  schedule: form(
    /^(?:@(?:hourly|daily|weekly|monthly)|(?:[\d*][\d*,/-]{0,20} ){3}[\d*][\d*,/-]{0,20} [\d*a-z][\d*a-z,/-]{0,20}|(?:hourly|daily|weekly|monthly)|(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[ ,.-]*)+(?:\d\d?:\d\d(?::\d\d)?)?)$/,
  ),
  version: form(
    /^(?:[\^~]|[<>=]=?|v)?\s?\d+(?:\.[\dx*]+){0,3}(?:[-+][a-z\d.]+)?$|^[a-z][\w.-]*(?:[=<>~!]=?[\d.]+[a-z\d]*,?)+$/,
  ),
  date: form(/^\d{4}-\d\d-\d\d(?:[t ][\d:.z+]+)?$/),
  word: form(new RegExp(`^${WORD}(?:/[\\p{L}\\p{N}._/+-]*)?$`, 'u')),
  words: (value) => PLAIN.test(value) && !isProse(value) && !HOST.test(value),
  remark: (value) =>
    /^[\p{L}\p{N} ,.:'()/-]{1,80}$/u.test(value.replace(/\{\{[^{}]{0,80}\}\}/g, '')) && !ORDERS.test(value),
  file: (value) =>
    !value.includes('..') &&
    /[\p{L}\p{N}.]/u.test(value) &&
    ((RELATIVE.test(value) && (HAS_FOLDER.test(value) || value === '.')) ||
      (ABSOLUTE.test(value) && !isSystemPath(value) && !SYSTEM.test(value)) ||
      MOUNTED.test(value)),
  folder: form(/^(?:\.|src|tests?|docs|dist|build|lib|app)$/),
  local: form(LOCAL),
  machine: (value) => MACHINE.test(/^([^:]+):\/\S*$/.exec(value)?.[1] ?? value),
  everywhere: form(/^(?:\*|(?:0\.0\.0\.0|\[?::\]?|\*)(?:\/0|:\d+)?|\d{1,3}(?:\.\d{1,3}){3}\/[0-7]|any)$/),
  outside: (value, _, lexicon) => leadsOutside(value, lexicon),
  host: (value, _, { internalHosts }) => HOST.test(value) && isExternalHost(value.replace(/:\d+$/, ''), internalHosts),
  mail: (value, _, { internalHosts }) => isExternalHost(MAIL.exec(value)?.[1], internalHosts),
  link: form(/^https:\/\/\S+$/),
  image: form(IMAGE),
  published: (value, _, { codeWords }) => {
    const [, action, project] = PUBLISHED.exec(value) ?? [];
    return codeWords.publishers.has(action ?? project ?? '');
  },
  metrics: (value) => METRICS.test(value) && !OTHER_FUNCTION.test(value),
  moment: (value, setting) => secondsOf(value, setting) < 60,
  brief: (value, setting) => secondsOf(value, setting) < DAY_SECONDS,
  endless: (value, setting) => secondsOf(value, setting) > 366 * DAY_SECONDS,
  ends: (value, { name, own = name }, lexicon) =>
    disablesSomething(`${lexicon.codeWords.switches.has(own) ? name : own}=${value}`, lexicon),
  // `test` and `dev` say what a thing is for where they are a part of its name.
  sensitive: (value, _, { codeWords }) =>
    saysOf(/^\w+$/.test(value) ? value : value.replace(/(?<![a-z])(?:dev|test)(?![a-z])/g, ''), (part) =>
      codeWords.sensitiveValues.has(part),
    ),
  destroying: (value, _, lexicon) =>
    saysOf(value, (part) => isDestroying(part, lexicon) || lexicon.codeWords.weakeners.has(part)),
  acts: (value, _, lexicon) =>
    saysOf(value, (part) => {
      const verb = lexicon.verbs.get(part);
      const { plumbing, sensitiveSettings } = lexicon.codeWords;
      return (
        (verb && (verb.effect === 'destructive' || /^(?:transfer|grant|revoke)$/.test(verb.action))) ||
        isMoney(part, lexicon) ||
        (sensitiveSettings.has(part) && !plumbing.has(part) && !MILD.test(part))
      );
    }),
  inside: form(/^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}(?:\/(?:[89]|[12]\d|3[0-2]))?$/),
  /** What a program is, or a file that one loads. */
  program: form(
    /^(?:\.{0,2}\/|~\/|[a-z]:\\)(?!.*\.(?:json|ya?ml|toml)$)|\.(?:[cm]?[jt]s|py|so|sh|rb|dll|jar|php|pl|lua|sql|exe|bat|ps1)$/,
  ),
  shared: form(/^\/(?:tmp|home|dev|mnt|media|root|var\/tmp)\//),
  unpinned: form(/^[^@]+$|@(?:main|master|develop|dev|head|latest|trunk)$/),
  reference: form(/^(?:\$\{?[\w.:-]+(?:[:/][\w./:-]*)?\}?|\{\{.*\}\}|<.*>|(?:ref|vault|secret|env|file):\S+)$/),
  least: (value, _, { codeWords }) => codeWords.leastRights.has(value),
};
/** Longer values are none of a form. */
const MAX_VALUE = 400;
const OF_WORDS: ReadonlySet<ValueKind> = new Set(['outside', 'destroying', 'sensitive', 'acts']);

export const isOfKind = (kind: ValueKind, setting: Setting, lexicon: Lexicon): boolean =>
  (setting.value.length <= MAX_VALUE || OF_WORDS.has(kind)) && TESTS[kind](setting.value, setting, lexicon);
