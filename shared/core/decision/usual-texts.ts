// The texts that nearly every decision stores, and the values that follow from others, as tables for packed-text.ts. Stored rows can only
// be read with these tables, so they never change: another table needs another first byte.
import { lowestId, proofIdOfDecision } from '../../kernel/ids.ts';
import type { Rules } from './packed-text.ts';

/**
 * Of records of decisions. The most frequent ones come first, because their codes are the shortest. None begins or ends within a value:
 * a search finds a value in the stored bytes unless it is a part of one of these texts (stored-text.ts).
 */
export const RECORD_TEXTS: readonly string[] = [
  '{"agentId":"',
  '","eventType":"custos.decision","occurredAt":"',
  '","payload":{"body":{"agent_id":"',
  '","evaluated_at":"',
  '","allowed":true,"decision_id":"',
  '","allowed":false,"decision_id":"',
  '","expires_at":"',
  '","factsDigest":"',
  '","intent":{"action":"',
  '","domain":"',
  '","effect":"write","normalized":"',
  '","effect":"read","normalized":"',
  '","parsed":false,"requested":{"intent":"',
  '"},"resource":"',
  '","risk":{"factors":[],"level":"low","score":0},"traits":[],"verb":"',
  '"},"key_id":"',
  '","obligations":[],"policy_set":{"digest":"',
  '"},"reasons":[{"code":"',
  '","effect":"ALLOW","message":"',
  '","effect":"DENY","message":"',
  '","policy":"',
  '","rule":"',
  '"}],"request_id":"',
  '","trust":{"as_of":{"day":"',
  '","signals":0},"claimed_level":null,"effective_level":1,"recorded_level":1,"score":250,"uncertainty":1},"verdict":"',
  '"},"environment":"live","organisation":"default","proofId":"',
  '"},"reasons":[{"code":"NO_MATCH","effect":"DENY","message":"no policy permits this","policy":"default","rule":"no-match"}],"request_id":"',
  '","effect":"',
  // From here on a code takes two bytes.
  '","normalized":"',
  '","parsed":true,"requested":{"text":"',
  '","risk":{"factors":["',
  '},"claimed_level":',
  ',"effective_level":',
  ',"recorded_level":',
  '},"verdict":"',
  '","obligations":[{"',
  '}],"policy_set":{"digest":"',
  '"},"environment":"',
  '","organisation":"',
  '","proofId":"',
  '"},{"code":"',
  '","message":"',
  '"}],"trust":{"as_of":{"day":"',
  ',"approval":{"approval_id":"',
  '"},"decision_id":"',
  '","signals":',
];

const same = (value: string): string => value;
/** Decisions that are stored or read one after the other often have the same time. */
function rememberLast(of: (value: string) => string | undefined): (value: string) => string | undefined {
  let [last, result]: [string | undefined, string | undefined] = [undefined, undefined];
  return (value) => {
    if (value !== last) [last, result] = [value, of(value)];
    return result;
  };
}
const HOUR_MS = 3_600_000;
/** A time of RFC 3339 an hour later. */
const anHourLater = rememberLast((time) => {
  const later = new Date(Date.parse(time) + HOUR_MS);
  // An altered row may hold no time, or the last that there is.
  return Number.isNaN(later.getTime()) ? undefined : later.toISOString();
});
/** The beginning of the id of a decision that was made then. */
const idAt = rememberLast((time) => {
  const ms = Date.parse(time);
  return ms >= 0 ? lowestId('dec', ms).slice(0, 14) : undefined;
});
/** The parts of `crm.read.customers.7`: the domain, the action, and what it is about, `customers.7`. */
function partsOf(normalized: string): readonly [domain: string, action: string, object: string] {
  const first = normalized.indexOf('.');
  if (first < 0) return [normalized, '', ''];
  const second = normalized.indexOf('.', first + 1);
  if (second < 0) return [normalized.slice(0, first), normalized.slice(first + 1), ''];
  return [normalized.slice(0, first), normalized.slice(first + 1, second), normalized.slice(second + 1)];
}
const objectOf = (normalized: string): string => partsOf(normalized)[2];
/** The resource of `crm.read.customers.7` is `crm/customers/7`. */
function resourceOf(normalized: string): string {
  const [domain, , object] = partsOf(normalized);
  return `${domain}/${object.replaceAll('.', '/')}`;
}
/** `crm.read.customers.7` may have been asked for as `read:crm/customers/7`. */
const asked = (normalized: string): string => `${partsOf(normalized)[1]}:${resourceOf(normalized)}`;
/** `read:crm/customers/7` names the resource `crm/customers/7`. */
function resourceIn(intent: string): string | undefined {
  const colon = intent.indexOf(':');
  if (colon < 0) return undefined;
  const next = intent.indexOf(':', colon + 1);
  return next < 0 ? intent.slice(colon + 1) : intent.slice(colon + 1, next);
}

/** Of records with the first byte 3. */
export const FIRST_RECORD_RULES: Rules = {
  agent_id: { from: 'agentId', by: [same] },
  evaluated_at: { from: 'occurredAt', by: [same] },
};

/** Rules whose values don't repeat others, or their beginnings, are in stored-text.ts, too. */
export const RECORD_RULES: Rules = {
  ...FIRST_RECORD_RULES,
  decision_id: { from: 'occurredAt', by: [idAt] },
  expires_at: { from: 'evaluated_at', by: [anHourLater] },
  intent: { from: 'normalized', by: [same] },
  resource: { from: 'intent', by: [resourceIn] },
  verb: { from: 'action', by: [same] },
  // The service's own ids of requests begin with their time, as those of decisions.
  request_id: { from: 'decision_id', by: [(id) => `req_${id.slice(4, 12)}`] },
  day: { from: 'occurredAt', by: [(time) => time.slice(0, 10)] },
  proofId: { from: 'decision_id', by: [proofIdOfDecision] },
};

/** Of the JCS of all facts. */
export const FACTS_TEXTS: readonly string[] = [
  '{"agent":{"capabilities":[],"id":"',
  '","registered":false,"status":"UNREGISTERED","tags":[]},"client":{"address":"127.0.0.1"},"context":{',
  '},"environment":"live","history":{"last_1h":{"ALLOW":',
  '},"last_24h":{"ALLOW":',
  '},"last_60s":{"ALLOW":',
  ',"DEGRADE":',
  ',"DENY":',
  ',"ESCALATE":',
  '}},"intent":{"action":"',
  '","confidence":1,"coverage":1,"data_classes":[],"depth":',
  ',"domain":"',
  '","effect":"write","entities":{"emails":[],"hosts":[],"identifiers":[],"money":[],"paths":[],"urls":[]},"extent":"one","flags":[],"normalized":"',
  '","effect":"read","entities":{"emails":[],"hosts":[],"identifiers":[],"money":[],"paths":[],"urls":[]},"extent":"one","flags":[],"normalized":"',
  '","object":"',
  '","parsed":false,"places":[],"requested":{"intent":"',
  '"},"resource":"',
  '","risk":{"factors":[],"level":"low","score":0},"traits":[],"verb":"',
  '"},"key":{"bound":false,"environment":"live","id":"',
  '","tags":[]},"organisation":{"slug":"default"},"time":{"date":"',
  '","hour":',
  ',"minute_of_day":',
  ',"now":"',
  '","weekday":',
  '},"trust":{"claimed":null,"level":1,"recorded":{"level":1,"score":250},"score":250,"uncertainty":1}}',
  '","registered":true,"status":"ACTIVE","tags":[],',
  '{"agent":{"attributes":{',
  '},"capabilities":[',
  '"amount":',
  // From here on a code takes two bytes.
  '","effect":"destructive","entities":{"emails":[],"hosts":[],"identifiers":[],"money":[],"paths":[],"urls":[]},"extent":"',
  '","effect":"write","entities":{"emails":[',
  '","effect":"read","entities":{"emails":[',
  '{"agent":{"capabilities":[',
  '],"id":"',
  '","registered":true,"status":"ACTIVE","tags":[',
  '","registered":false,"status":"UNREGISTERED","tags":[]},"context":{',
  '},"client":{"address":"',
  '"},"context":{',
  '},"context":{',
  '},"environment":"test","history":{"last_1h":{"ALLOW":',
  '},"environment":"dev","history":{"last_1h":{"ALLOW":',
  '","confidence":',
  ',"coverage":',
  ',"data_classes":[',
  '],"depth":',
  '","entities":{"emails":[',
  '],"hosts":[',
  '],"identifiers":[',
  '],"money":[',
  '],"paths":[',
  '],"urls":[',
  ']},"extent":"',
  '","flags":[',
  '],"normalized":"',
  '","parsed":true,"places":[',
  '","parsed":false,"places":[',
  ',"requested":{"intent":"',
  ',"requested":{"text":"',
  ',"resource":"',
  '","risk":{"factors":[',
  '],"level":"',
  '","score":',
  ',"score":',
  ',"traits":[',
  '],"verb":"',
  '"},"key":{"bound":',
  ',"environment":"',
  ',"id":"',
  '","tags":[',
  '},"organisation":{"slug":"',
  '"},"time":{"date":"',
  ',"tool":{',
  '},"trust":{"claimed":',
  ',"level":',
  ',"recorded":{"level":',
  ',"uncertainty":',
];

export const FACTS_RULES: Rules = {
  normalized: { from: 'domain', by: [(domain) => `${domain}.`] },
  object: { from: 'normalized', by: [objectOf] },
  intent: { from: 'normalized', by: [same, asked] },
  resource: { from: 'normalized', by: [resourceOf] },
  verb: { from: 'action', by: [same] },
  now: { from: 'date', by: [(date) => `${date}T`] },
};
