// Types of a policy difference: decisions before and after a draft, and the report about them. Plain data.
import { type TSchema, Type } from 'typebox';
import { closed, JsonObject, type Shape, StringEnum, Timestamp } from '../../kernel/schema.ts';
import { VERDICTS } from '../../kernel/vocabulary.ts';
import { type Evaluation, ReasonSchema } from './types.ts';

const Count = Type.Integer({ minimum: 0 });
const Verdict = StringEnum(VERDICTS);
const OWNER = { organisation: Type.String(), environment: Type.String() };

/** `stricter` and `looser`: in the order ALLOW, DEGRADE, ESCALATE, DENY. */
const ChangeSchema = closed({ decisions: Count, stricter: Count, looser: Count });
export type Change = Shape<typeof ChangeSchema>;

const SaidSchema = closed({
  verdict: Verdict,
  reasons: Type.Array(closed(ReasonSchema.properties), { description: 'The first five.' }),
  obligations: Type.Array(JsonObject()),
});
export type Said = Shape<typeof SaidSchema>;

/** Sorted by size, largest first, then by name. */
export interface Table<Item> {
  readonly items: readonly Item[];
  /** Number of entries that are not shown. */
  readonly more: number;
  /** Changes of entries that were not counted individually because there were too many. */
  readonly beyond: number;
}

function tableOf<P extends Record<string, TSchema>>(properties: P, description: string) {
  return closed(
    { items: Type.Array(closed(properties)), more: Count, beyond: Count },
    {
      description: `${description} The largest first. \`more\`: further entries, not shown; \`beyond\`: changes of entries that were too many to be counted one by one.`,
    },
  );
}

export const DifferenceSchema = closed({
  decisions: closed({
    total: Count,
    evaluated: Count,
    standing: Type.Integer({
      minimum: 0,
      description: 'Answers that do not depend on policies: halts, refused approvals, failed evaluations.',
    }),
    notEvaluable: closed({ total: Count, factsErased: Count, damaged: Count, notReproduced: Count }),
  }),
  // `obligations`: DEGRADE before and after, with different obligations.
  changed: closed({ ...ChangeSchema.properties, obligations: Count }),
  otherReasons: Type.Integer({ minimum: 0, description: 'The same verdict and obligations for other reasons.' }),
  transitions: Type.Array(closed({ from: Verdict, to: Verdict, decisions: Count })),
  rules: tableOf(
    { policy: Type.String(), rule: Type.String(), effect: Verdict, newly: Count, noLonger: Count },
    'Changed decisions by rules that are newly, or no longer, among their reasons.',
  ),
  agents: tableOf({ ...OWNER, agentId: Type.String(), ...ChangeSchema.properties }, 'Changed decisions by agent.'),
  resources: tableOf({ resource: Type.String(), ...ChangeSchema.properties }, 'Changed decisions by resource.'),
  environments: tableOf({ ...OWNER, ...ChangeSchema.properties }, 'Changed decisions by organisation and environment.'),
  examples: Type.Array(
    closed({
      decisionId: Type.String(),
      evaluatedAt: Timestamp,
      ...OWNER,
      agentId: Type.String(),
      // The normalized intent.
      intent: Type.String(),
      resource: Type.String(),
      // The tool that was called; absent for other questions.
      tool: Type.Optional(closed({ server: Type.String(), name: Type.String() })),
      before: SaidSchema,
      after: SaidSchema,
    }),
    {
      description:
        'For each transition up to 20, each agent, resource and reasons once, and five with the same reasons.',
    },
  ),
});
export type DifferenceReport = Shape<typeof DifferenceSchema>;
export type Example = DifferenceReport['examples'][number];

/** A decision that was evaluated again. `before` is the recorded result, `after` the result under the draft. */
export interface Compared extends Omit<Example, 'before' | 'after'> {
  readonly before: Evaluation;
  readonly after: Evaluation;
}

/**
 * Why a decision could not be evaluated again. `factsErased`: retention deleted its facts. `damaged`: the record or the facts
 * were altered after they were written; `custos decision verify` gives details. `notReproduced`: it was made under this very
 * set, and its facts do not reproduce the recorded result.
 */
export type NotEvaluable = Exclude<keyof DifferenceReport['decisions']['notEvaluable'], 'total'>;

/** Limits on the entries that a difference counts individually and shows. */
export interface DifferenceLimits {
  /** Distinct agents, resources and rules that are counted individually; later ones are counted together. */
  readonly counted: number;
  /** Entries of a table in the report. */
  readonly shown: number;
  /** Examples of each transition. */
  readonly examples: number;
}
