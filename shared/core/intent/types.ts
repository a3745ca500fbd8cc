// The result of parsing a text. Members are snake_case, because a parse appears unchanged in JSON (also as policy facts).
import type { Action, DataClass, Effect, Extent, IntentFlag, Trait } from '../../kernel/vocabulary.ts';

/** A sum of money: `currency` is an ISO 4217 code, `amount` in its major unit. */
export interface Money {
  amount: number;
  currency: string;
}

export interface Entities {
  emails: string[];
  urls: string[];
  hosts: string[];
  money: Money[];
  paths: string[];
  identifiers: string[];
}

/** Another action that the text requests, or may request. */
export interface Alternative {
  normalized: string;
  action: Action;
  verb: string;
  object: string;
  effect: Effect;
  confidence: number;
}

/** One thing that an intent may come to mean: what policies judge it as. */
export interface Meaning {
  action: Action;
  verb: string;
  effect: Effect;
  extent: Extent;
}

export interface ParsedIntent {
  /** `<domain>.<action>.<object>`, lower case, snake_case words; parsing it again returns it. */
  normalized: string;
  domain: string;
  action: Action;
  /** The verb of the text in its base form (`drop`, `fetch`); `unknown` when none was found. */
  verb: string;
  object: string;
  /** The places of the object, each a canonical resource path such as `db/production`. */
  places: string[];
  effect: Effect;
  traits: Trait[];
  /** How many objects are affected. */
  extent: Extent;
  /**
   * All that it may mean, sorted, when that is more than one thing; then action, verb, effect and extent above are the
   * strictest of them. Absent: those are all that it means.
   */
  meanings?: Meaning[];
  /** 0..1, three decimals. */
  confidence: number;
  alternatives: Alternative[];
  entities: Entities;
  data_classes: DataClass[];
  flags: IntentFlag[];
}
