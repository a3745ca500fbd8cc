// The reports about drafts: of a replay, and of shadow mode.
import { Type } from 'typebox';
import { DifferenceSchema } from '../../core/policy/difference-types.ts';
import { FindingSchema } from '../../core/policy/types.ts';
import { closed, named, Nullable, type Shape, StringEnum, Timestamp } from '../../kernel/schema.ts';

const Count = Type.Integer({ minimum: 0 });
export const DraftDigest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Of a policy set, SHA-256, lower-case hex.',
});

export const ReplayReportSchema = named('ReplayReport', {
  draft: closed({ digest: DraftDigest, policies: Count }),
  range: closed({
    from: Nullable(Timestamp),
    to: Timestamp,
    // Its slug.
    organisation: Nullable(Type.String()),
    environment: Nullable(Type.String()),
    agentId: Nullable(Type.String()),
    limit: Nullable(Count),
  }),
  ...DifferenceSchema.properties,
  // Sorted by number of decisions (highest first) and digest. `unknown`: the set is not stored.
  sets: Type.Array(
    closed({ digest: DraftDigest, decisions: Count, lexicon: StringEnum(['same', 'other', 'unknown']) }),
    { description: 'The policy sets of the decisions, and whether their lexicon is that of the draft.' },
  ),
  // Caveats, as sentences.
  notes: Type.Array(Type.String()),
});
export type ReplayReport = Shape<typeof ReplayReportSchema>;

export const ShadowStatusSchema = named('ShadowStatus', {
  running: Type.Boolean({ description: 'Whether a worker is evaluating a draft for comparison with the active set.' }),
  draft: Nullable(closed({ digest: DraftDigest })),
  share: Nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Share of live decisions that is evaluated.' })),
  findings: Type.Array(FindingSchema, { description: 'Why the folder cannot be evaluated; empty when it can.' }),
  drafts: Type.Array(
    closed({
      digest: DraftDigest,
      policies: Count,
      share: Type.Number(),
      since: Timestamp,
      until: Timestamp,
      skipped: Type.Integer({
        minimum: 0,
        description: 'Records passed over because the worker was too far behind.',
      }),
      ...DifferenceSchema.properties,
    }),
    { description: 'The changes by each draft, latest evaluation first.' },
  ),
});
export type ShadowStatus = Shape<typeof ShadowStatusSchema>;
