// A vote for an approval: of an agent's request, or of a change of policies.
import { Type } from 'typebox';
import { named, Timestamp } from './common.ts';

export const ApprovalVote = named('ApprovalVote', {
  by: Type.String({ description: 'The key that approved.' }),
  at: Timestamp,
  reason: Type.String({ description: 'The reason it gave.' }),
});
