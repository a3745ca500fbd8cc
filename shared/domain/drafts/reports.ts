// The reports about drafts: of a replay, and of shadow mode.
import { Type } from 'typebox';
import { DifferenceSchema } from '../../core/policy/difference-types.ts';
import { FindingSchema } from '../../core/policy/types.ts';
import { closed, named, Nullable, type Shape, StringEnum, Timestamp } from '../../kernel/schema.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Policies = Count('Its number of policies.');
export const DraftDigest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Of a policy set, SHA-256, lower-case hex.',
});

export const NamedDraft = closed({ digest: DraftDigest }, { description: 'What is evaluated.' });

export const ReplayReportSchema = named(
  'ReplayReport',
  {
    draft: closed({ digest: DraftDigest, policies: Policies }, { description: 'What was evaluated.' }),
    range: closed(
      {
        from: Nullable(Timestamp),
        to: Timestamp,
        organisation: Nullable(Type.String({ description: 'Its slug; null: all.' })),
        environment: Nullable(Type.String({ description: 'Null: all.' })),
        agentId: Nullable(Type.String({ description: 'Null: all agents.' })),
        limit: Nullable(Count('The newest decisions only; null: all.')),
      },
      { description: 'Which decisions.' },
    ),
    ...DifferenceSchema.properties,
    // Sorted by number of decisions (highest first) and digest. `unknown`: the set is not stored.
    sets: Type.Array(
      closed({
        digest: DraftDigest,
        decisions: Count('How many it made.'),
        lexicon: StringEnum(['same', 'other', 'unknown'], { description: "Whether its lexicon is the draft's." }),
      }),
      { description: 'The policy sets of the decisions, and whether their lexicon is that of the draft.' },
    ),
    notes: Type.Array(Type.String(), { description: 'Caveats, as sentences.' }),
  },
  { description: 'What the draft would have decided otherwise.' },
);
export type ReplayReport = Shape<typeof ReplayReportSchema>;

export const ShadowedDraftSchema = named(
  'ShadowedDraft',
  {
    digest: DraftDigest,
    policies: Policies,
    share: Type.Number({ description: 'Share of live decisions that was evaluated.' }),
    since: Timestamp,
    until: Timestamp,
    skipped: Type.Integer({
      minimum: 0,
      description: 'Records passed over because the worker was too far behind.',
    }),
    ...DifferenceSchema.properties,
  },
  { description: 'What shadow mode has shown.' },
);
export type ShadowedDraft = Shape<typeof ShadowedDraftSchema>;

export const ShadowStatusSchema = named('ShadowStatus', {
  running: Type.Boolean({ description: 'Whether a worker is evaluating a draft for comparison with the active set.' }),
  draft: Nullable(NamedDraft),
  share: Nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Share of live decisions that is evaluated.' })),
  findings: Type.Array(FindingSchema, { description: 'Why the folder cannot be evaluated; empty when it can.' }),
  drafts: Type.Array(ShadowedDraftSchema, { description: 'The changes by each draft, latest evaluation first.' }),
});
export type ShadowStatus = Shape<typeof ShadowStatusSchema>;
