// Which settings are plain by the kind of their name and value: sizes, levels of a log, addresses of the machine itself, files of the project.
import { isSystemPath } from './code.ts';
import { isMoney, isDestroying } from './names.ts';
import type { Setting } from './settings.ts';
import type { Lexicon } from '../lexicon/types.ts';

const SIZE = /^(?!0+(?:\.0+)?[a-z])\d{1,6}(?:\.\d{1,3})?\s?(?:[kmgt]i?b?)$/;
const SIZE_NAME = /(?:^|_)(?:size|mem|memory|buffers?|cache|storage|body|capacity)(?:_|$)/;
const LEVEL = /^(?:trace|debug|info|information|notice|warn|warning|error)$/;
const LOG_NAME = /(?:^|_)(?:log|logs|logging|loggers?|level|verbosity)(?:_|$)/;
const AUDIT_NAME = /(?:^|_)(?:audit|auditing|security)(?:_|$)/;
/** A number or a short time with its unit, above zero. */
const AMOUNT =
  /^(?!0+(?:\.0+)?[a-z%]*$)\d{1,6}(?:\.\d{1,3})?\s?(?:ms|[smhd%]|secs?|seconds?|mins?|minutes?|hours?|days?)?$/;
const ON = /^(?:true|on|yes|enabled?)$/;
/** One word, name or path: no blank, quotation mark or variable. */
const WORD = /^[\p{L}\p{N}][\p{L}\p{N}._/+-]*$/u;
/** `^3.11`, `>=20`, `~1.2`, `v4.6.0` */
const VERSION = /^(?:[\^~]|[<>=]=?|v)?\s?\d+(?:\.[\dx*]+){0,3}(?:[-+][a-z\d.]+)?$/;

/** The machine itself, or one that only the network around it knows by its name. */
const LOCAL_HOST = String.raw`(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|[a-z][a-z\d-]*(?:\.[a-z\d-]+)*\.(?:internal|local|localhost|lan|test|svc)|[a-z][a-z\d-]*)`;
const LOCAL_ADDRESS = new RegExp(
  String.raw`^(?:[a-z][a-z\d+.-]*://${LOCAL_HOST}(?::\d+)?(?:/[\w./-]*)?|(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)(?::\d+)?|[a-z][a-z\d-]*:\d{2,5}|sqlite:///?\.?[\w./-]*)$`,
);
/** `8080:80`, `127.0.0.1:8000:8000` */
const PORTS = /^(?:127\.0\.0\.1:)?\d{2,5}(?::\d{2,5})?(?:\/(?:tcp|udp))?$/;

/** A file or folder of the project, or one below a folder that no system needs: no hidden one, none above. */
const SEGMENT = String.raw`(?:[\p{L}\p{N}_*{}@+,-][\p{L}\p{N}_.*{}@+,-]*)`;
const RELATIVE = new RegExp(String.raw`^(?:\./)?${SEGMENT}(?:/${SEGMENT})*/?$`, 'u');
const ABSOLUTE = new RegExp(String.raw`^/${SEGMENT}(?:/${SEGMENT})*/?$`, 'u');
const SYSTEM = /^\/(?:run|proc|sys|home|mnt|media|host|hostfs|rootfs|var\/run|root|lib|sbin)(?:\/|$)/;
const HAS_FOLDER = /[/*]|\.[a-z][a-z\d]{1,6}$/;
/** `pgdata:/var/lib/postgresql/data`, `./site:/usr/share/nginx/html:ro`: what stands there is only seen by the container. */
const MOUNTED = new RegExp(String.raw`^((?:\./)?${SEGMENT}(?:/${SEGMENT})*/?):/[\w./-]+(?::r[ow])?$`, 'u');

/** `*` is all that there is. */
const isFile = (value: string): boolean =>
  !value.includes('..') &&
  /[\p{L}\p{N}]/u.test(value) &&
  ((RELATIVE.test(value) && HAS_FOLDER.test(value)) ||
    (ABSOLUTE.test(value) && !isSystemPath(value) && !SYSTEM.test(value)) ||
    MOUNTED.test(value));

/** Folders that projects have. */
const FOLDER = /^(?:\.|src|tests?|docs|dist|build|lib|app)$/;
const DATE = /^\d{4}-\d\d-\d\d(?:[t ][\d:.z+]+)?$/;
/** A package at a version: `python=3.11` */
const PINNED = /^[a-z][\w.-]*(?:[=<>~!]=?[\d.]+[a-z\d]*,?)+$/;

/** Whether a value is an address of the machine itself, ports of it, a version, or a file of the project. */
export const isPlainPlace = (value: string): boolean =>
  [LOCAL_ADDRESS, PORTS, VERSION, FOLDER, DATE, PINNED].some((form) => form.test(value)) || isFile(value);

/** Places of the machine that hold what others run on, or all of it. */
const HOST_PLACE =
  /^(?:\/|~\/\..*|\/?(?:\.\.\/).*|.*docker\.sock|\/(?:run|proc|sys|home|root|etc|boot|dev|usr|bin|sbin|var|var\/run|var\/lib(?:\/(?:docker|kubelet|containerd|etcd).*)?)\/?|\/(?:etc|root|boot|dev|proc|sys|home)\/.*)$/;
const NAMES_PLACE = /(?:^|_)(?:path|volumes?|mounts?|binds?|source|src|device|devices)$/;

/** Whether a container is given the machine that it runs on: `- /:/host`, `hostPath: {path: /etc}`. */
export function exposesMachine({ name, own = name, value }: Setting): boolean {
  if (!NAMES_PLACE.test(own) || !/volume|mount|host_path|bind|device/.test(name)) return false;
  const place = /^([^:]+):\/\S*$/.exec(value)?.[1] ?? value;
  return HOST_PLACE.test(place) && !/(?:^|_)mount_path$/.test(own);
}

const IMAGE =
  /^(?:[\w.-]+\.(?:local|internal|corp|lan)(?::\d+)?\/)?(?:[\w-]+\/)*[\w.-]+(?::[\w.-]+)?(?:@sha256:[a-f\d]{64})?$/;

/** Whether an image is one without a publisher (`postgres:16`), or of a registry inside. */
const isKnownImage = (value: string): boolean =>
  IMAGE.test(value) && (!value.includes('/') || /^[\w.-]+\.(?:local|internal|corp|lan)(?::\d+)?\//.test(value));
/** `actions/checkout@v4` */
const USED = /^([a-z\d-]+)\/[\w./-]+@v?[\w.]+$/;
const LINK = /^https:\/\/github\.com\/([a-z\d-]+)\/[\w.-]+$/;

/** Whether a sensitive name is only about a part of a program, and set to what no part minds: a number, a place in the machine, a known publisher. */
export function isPlumbing({ name, own = name, value }: Setting, { codeWords }: Lexicon): boolean {
  const { leastRights, plumbing, publishers, runsCode, sensitiveSettings } = codeWords;
  if (leastRights.has(value)) return RIGHTS.test(own);
  if (own === 'image') return isKnownImage(value);
  const by = (USED.exec(value) ?? LINK.exec(value))?.[1];
  if (by !== undefined) return (own === 'uses' || own === 'repo') && publishers.has(by);
  const parts = own.split('_');
  if (!parts.every((part) => !sensitiveSettings.has(part) || plumbing.has(part))) return false;
  if (AMOUNT.test(value)) return true;
  // A path of a server is none of the machine.
  const isRoot = value === '/' && own === 'path' && /(?:^|_)http_/.test(name);
  return isRoot || (!parts.some((part) => runsCode.has(part)) && (ON.test(value) || isPlainPlace(value)));
}
const RIGHTS = /(?:^|_)(?:access|acl|contents|permissions?|role|roles|visibility)$/;

/** Whether a name is about how something looks or is built, of which nobody needs any part. */
export const isLook = (parts: readonly string[], { codeWords: { looks } }: Lexicon): boolean =>
  parts.some((part) => looks.has(part));

/** An expression over metrics, which reads and nothing else: `rate(http_requests_total[5m]) > 0.5`. */
const METRICS = /^[\w\s(){}[\]"'=~!<>+*/.,:%^|-]+$/;
const METRIC = /[a-z]+_[a-z_]+|\[\d+[smhd]\]/;
/** A function that is none of those over metrics: `delete_all(users)`. */
const OTHER_FUNCTION =
  /(?<![a-z\d_])(?!(?:sum|avg|min|max|count|group|stddev|stdvar|topk|bottomk|quantile|rate|irate|increase|delta|idelta|deriv|absent|absent_over_time|changes|resets|time|clamp|clamp_max|clamp_min|abs|ceil|floor|round|histogram_quantile|label_replace|label_join|predict_linear|scalar|(?:avg|min|max|sum|count|quantile|last|present)_over_time|by|on|without|ignoring|group_left|group_right|and|or|unless|offset|bool)\s*\()[a-z_]\w*\s*\(/;

/** Words of a name that say nothing of what code is checked with, and are grave elsewhere. */
const CHECKED = /^(?:allow|args|checks?|disable|exclude[ds]?|force|ignored?|include|modules?|overrides?|paths?|skip)$/;

/** Whether it is a setting of what code is checked and formatted with. */
function isWorkbench({ name, value }: Setting, lexicon: Lexicon): boolean {
  const {
    demands,
    exposures,
    leastRights,
    looks,
    runsCode,
    safeguards,
    sensitiveSettings,
    sensitiveValues,
    workbench,
  } = lexicon.codeWords;
  const parts = name.split('_');
  if (!parts.slice(0, 2).some((part) => workbench.has(part))) return false;
  const isOff = /^(?:false|off|no|none|never|disabled?|empty|0)$/.test(value);
  const isGrave = (part: string) =>
    runsCode.has(part) ||
    isMoney(part, lexicon) ||
    isDestroying(part, lexicon) ||
    exposures.has(part) ||
    (sensitiveSettings.has(part) && (!CHECKED.test(part) || (isOff && /^checks?$/.test(part)))) ||
    (isOff && !looks.has(part) && (safeguards.has(part) || demands.has(part)));
  const says = value.split(/[^\p{L}\p{N}]+/u);
  return (
    !parts.some(isGrave) &&
    (isOff ||
      !says.some((part) => sensitiveValues.has(part) || isDestroying(part, lexicon) || leastRights.has(part))) &&
    (WORD.test(value) || isFile(value))
  );
}

const ENVIRONMENT = /^(?:app|node|rails|flask|go)_env$/;

/** Values that stop or throw away something, whatever the name. */
const NOT_PLAIN = /^(?:0|off|sigkill|9|allkeys-\w+|clusterrole(?:binding)?|\w*webhookconfiguration)$/;

/** A setting that only tunes something, whatever else its name may mean. */
export function isTuning(setting: Setting, lexicon: Lexicon): boolean {
  const { name, own = name, value } = setting;
  const { plainSettings, plumbing, sensitiveSettings, sensitiveValues } = lexicon.codeWords;
  const parts = own.split('_');
  const around = name.split('_').slice(0, -parts.length);
  const isWord = WORD.test(value);
  if (
    SIZE.test(value) &&
    SIZE_NAME.test(own) &&
    !AUDIT_NAME.test(name) &&
    !name
      .split('_')
      .some(
        (part) =>
          isDestroying(part, lexicon) ||
          isMoney(part, lexicon) ||
          (sensitiveSettings.has(part) && !plumbing.has(part) && part !== 'shared'),
      )
  )
    return true;
  if (LEVEL.test(value) && LOG_NAME.test(name) && !AUDIT_NAME.test(name)) return true;
  if (plainSettings.has(own) && isWord && !(NOT_PLAIN.test(value) || (own === 'when' && value === 'never')))
    return true;
  if (/^(?:expr|expression|promql)$/.test(own) && METRICS.test(value) && METRIC.test(value))
    return !OTHER_FUNCTION.test(value);
  // The name of an alert.
  if (own === 'alert' && isWord && !sensitiveValues.has(value) && !isDestroying(value, lexicon))
    return !/^(?:false|no|off|\d+)$/.test(value);
  if (own === 'for' && /^\d{1,3}[smhd]$/.test(value)) return true;
  if (/^(?:runbook(?:_url)?|homepage|documentation|schema)$/.test(own) && /^https:\/\/\S+$/.test(value)) return true;
  if (/(?:ssl|tls)_protocols$/.test(own) && /^(?:tlsv1\.[23]\s?)+$/.test(value)) return true;
  if (value === 'empty' && around.at(-1) === 'volumes') return true;
  // What something is called.
  const says = value.split(/[^\p{L}\p{N}]+/u);
  const isSaid = (part: string) => sensitiveValues.has(part) || isDestroying(part, lexicon);
  if (own.endsWith('_name') && isWord && !parts.some((part) => sensitiveSettings.has(part) || isMoney(part, lexicon)))
    return !says.some(isSaid);
  if (ENVIRONMENT.test(own)) return /^(?:dev|development|test|testing|local|ci)$/.test(value);
  return isWorkbench(setting, lexicon);
}
