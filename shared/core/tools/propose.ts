// Proposes what a tool does, from its name, annotations, input schema and description. Whatever is not clear becomes the stricter entry.
import { effectRank, stricterEffect } from '../intent/assess/strictness.ts';
import { effectOfAction } from '../intent/lexicon/effect.ts';
import type { Lexicon } from '../intent/lexicon/types.ts';
import { definitionDigest, type ToolDefinition } from './definition.ts';
import { wordsOfName } from './name-words.ts';
import type { ToolEntry } from './schema.ts';
import type { ActionClass, DataClass, Effect, Trait } from '../../kernel/vocabulary.ts';
import { objectOf } from '../../kernel/json.ts';
import { destructiveWord, leadingVerb, meaningOfName, type NameMeaning } from './name-meaning.ts';
import { meaningOfSchema, type SchemaMeaning } from './schema-meaning.ts';

export type Confidence = 'high' | 'medium' | 'low';

export interface Proposal {
  readonly entry: ToolEntry;
  /** `high`: name and annotations agree. `low`: they contradict each other, or neither says anything. */
  readonly confidence: Confidence;
  /** Why, in clauses. */
  readonly reasons: readonly string[];
}

/** A tool as a server lists it. */
export type ListedTool = ToolDefinition & { readonly name: string };

/** What a call is assumed to do, and why. */
interface Estimate {
  readonly action: ActionClass;
  readonly effect: Effect;
  readonly confidence: Confidence;
  readonly reasons: readonly string[];
}

interface Hint {
  readonly effect: Effect;
  readonly text: string;
  /** The server wrote it, and it is not the default of the protocol. */
  readonly isExplicit: boolean;
}

/** The effect that the annotations state; undefined when there are none about it. */
export function hintOf(annotations: unknown): Hint | undefined {
  const { readOnlyHint, destructiveHint } = objectOf(annotations) ?? {};
  if (readOnlyHint === true && destructiveHint === true)
    return { effect: 'destructive', text: 'the annotations contradict each other', isExplicit: false };
  if (readOnlyHint === true) return { effect: 'read', text: 'readOnlyHint is true', isExplicit: true };
  if (typeof destructiveHint === 'boolean')
    return {
      effect: destructiveHint ? 'destructive' : 'write',
      text: `destructiveHint is ${String(destructiveHint)}`,
      isExplicit: true,
    };
  return readOnlyHint === false
    ? {
        effect: 'destructive',
        text: 'readOnlyHint is false, and destructiveHint is true by default',
        isExplicit: false,
      }
    : undefined;
}

const ACTION_OF_EFFECT: Readonly<Record<Effect, ActionClass>> = {
  read: 'read',
  write: 'execute',
  destructive: 'execute',
};

function ofName(name: NameMeaning): string {
  const { word, action, effect, isSure } = name;
  return `the name has ${isSure ? 'the verb' : 'the word'} "${word}" (${action}, ${effect})`;
}

/** What name and annotations say together. */
function estimateOf(name: NameMeaning | undefined, hint: Hint | undefined): Estimate {
  if (name === undefined && hint === undefined)
    return {
      action: 'execute',
      effect: 'destructive',
      confidence: 'low',
      reasons: ['neither the name nor an annotation says what it does'],
    };
  if (name === undefined) {
    const { effect = 'destructive', text = '', isExplicit = false } = hint ?? {};
    const reasons = [text, 'the name has no verb that the lexicon knows'];
    return { action: ACTION_OF_EFFECT[effect], effect, confidence: isExplicit ? 'medium' : 'low', reasons };
  }
  const { action, effect } = name;
  if (hint === undefined)
    return {
      action,
      effect,
      confidence: name.isSure && name.mayBeMilder !== true ? 'medium' : 'low',
      reasons: [ofName(name), 'there is no annotation about its effect'],
    };
  const reasons = [ofName(name), hint.text];
  if (name.mayBeMilder === true && hint.isExplicit && hint.effect === 'write')
    return { action, effect: 'write', confidence: 'medium', reasons };
  const joined = stricterEffect(effect, hint.effect);
  if (effect === hint.effect)
    return { action, effect, confidence: hint.isExplicit && name.isSure ? 'high' : 'medium', reasons };
  // A noun weighs less than what the server states; both are visible in the reasons.
  const isWeak = !name.isSure && hint.isExplicit;
  return {
    action: action === 'read' ? ACTION_OF_EFFECT[joined] : action,
    effect: joined,
    confidence: isWeak ? 'medium' : 'low',
    reasons: [...reasons, 'they differ, and the stricter one is proposed'],
  };
}

const LOWER: Readonly<Record<Confidence, Confidence>> = { high: 'medium', medium: 'low', low: 'low' };

/** Sentences mislead, so they never make an entry milder, and against an annotation they only lower the confidence. */
function withDescription(
  estimate: Estimate,
  {
    description,
    name,
    hasHint,
  }: { readonly description: string; readonly name: string | undefined; readonly hasHint: boolean },
  lexicon: Lexicon,
): Estimate {
  const leading = leadingVerb(description, lexicon);
  // The verb of the name again says nothing new.
  const verb = leading?.word === name ? undefined : leading;
  const word = destructiveWord(description);
  const { action, effect, confidence, reasons } = estimate;
  if (verb !== undefined && effectRank(verb.effect) > effectRank(effect)) {
    const said = `the description begins with "${verb.word}" (${verb.action}, ${verb.effect})`;
    if (hasHint) return { ...estimate, confidence: LOWER[confidence], reasons: [...reasons, said] };
    return {
      action: action === 'read' ? verb.action : action,
      effect: verb.effect,
      confidence: 'low',
      reasons: [...reasons, `${said}, which is stricter`],
    };
  }
  if (word === undefined || effect === 'destructive') return estimate;
  const said = `the description says "${word}"`;
  if (effect === 'read' || hasHint) return { ...estimate, confidence: LOWER[confidence], reasons: [...reasons, said] };
  return { action, effect: 'destructive', confidence: 'low', reasons: [...reasons, `${said}, which is stricter`] };
}

/** Code in arguments: what it does counts with each call, so the entry itself may be mild. */
function withCode(estimate: Estimate, { reads, unreadCode }: SchemaMeaning, hint: Hint | undefined): Estimate {
  if (unreadCode !== undefined)
    return {
      ...estimate,
      action: estimate.action === 'read' ? 'execute' : estimate.action,
      effect: 'destructive',
      confidence: 'low',
      reasons: [...estimate.reasons, `no call says what the code in "${unreadCode}" does`],
    };
  if (reads === undefined) return estimate;
  const said = Object.entries(reads).map(([name, kind]) => `"${name}" is read as ${kind} with every call`);
  const reasons = [...estimate.reasons, ...said];
  if (hint?.isExplicit === true && hint.effect === 'read' && estimate.effect === 'read')
    return { ...estimate, reasons };
  return { action: 'execute', effect: 'write', confidence: LOWER[estimate.confidence], reasons };
}

const CREDENTIAL_WORDS = new Set(
  'credential credentials env password passwords secret secrets token tokens'.split(' '),
);

function dataClassesOf(name: string): DataClass[] {
  return wordsOfName(name).some((word) => CREDENTIAL_WORDS.has(word)) ? ['credentials'] : [];
}

/** Without what is the default, so that catalogues stay short. */
function entryOf(
  { action, effect }: Estimate,
  schema: SchemaMeaning,
  more: { readonly traits: readonly Trait[]; readonly dataClasses: readonly DataClass[]; readonly definition: string },
): ToolEntry {
  const isMany = schema.list !== undefined && effect !== 'read';
  return {
    action,
    ...(effect === effectOfAction(action) ? {} : { effect }),
    ...(isMany ? { extent: 'many' as const } : {}),
    ...(schema.resource === undefined ? {} : { resource: schema.resource }),
    ...(schema.places === undefined ? {} : { places: schema.places }),
    ...(more.traits.length === 0 ? {} : { traits: [...more.traits] }),
    ...(more.dataClasses.length === 0 ? {} : { dataClasses: [...more.dataClasses] }),
    ...(schema.reads === undefined ? {} : { reads: schema.reads }),
    definition: more.definition,
  };
}

/** @throws {TypeError} when the definition has no canonical JSON */
export function proposeEntry(tool: ListedTool, lexicon: Lexicon): Proposal {
  const description = typeof tool.description === 'string' ? tool.description : '';
  const name = meaningOfName(tool.name, lexicon);
  const hint = hintOf(tool.annotations);
  const schema = meaningOfSchema(tool.inputSchema, `${tool.name} ${description}`);
  const said = withDescription(
    estimateOf(name, hint),
    { description, name: name?.word, hasHint: hint?.isExplicit === true },
    lexicon,
  );
  const estimate = withCode(said, schema, hint);
  const reachesOut = objectOf(tool.annotations)?.['openWorldHint'] === true || schema.hasUrl;
  const traits = new Set<Trait>([...(name?.traits ?? []), ...(reachesOut ? ['external' as const] : [])]);
  const entry = entryOf(estimate, schema, {
    traits: [...traits].sort(),
    dataClasses: dataClassesOf(tool.name),
    definition: definitionDigest(tool),
  });
  return { entry, confidence: estimate.confidence, reasons: estimate.reasons };
}
