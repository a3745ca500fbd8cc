// The findings of an audit: one table for the auditor, the command line and the guide.

/** The closed list of findings with their meanings. */
export const FINDINGS = {
  'file-malformed': 'an exported log is not in its format: a line was taken out or added',
  'leaf-missing': 'a leaf was deleted',
  'leaf-beyond-log': 'a leaf stands beyond the size of the log: it was inserted, or the size was changed',
  'source-missing': 'the decision or record of a leaf was deleted',
  'record-unlogged': 'a decision or record is not in the log and does not wait for it: its inbox row was deleted',
  'retention-unfounded': 'a record states that retention dropped what the settings kept',
  'record-altered': 'the bytes of a decision or record were changed',
  'record-not-canonical': 'the bytes of a leaf are not a canonical record',
  'wrong-log': 'a record names another organisation or environment',
  'column-altered': 'a column says something else than the record',
  'facts-altered': 'the facts of a decision are not those that its record names',
  'facts-missing': 'the facts of a decision are missing, and retention did not erase them',
  'previous-hash-altered': 'the previous hash of a leaf was changed',
  'event-hash-altered': 'the event hash of a leaf was changed',
  'leaf-hash-altered': 'the hash of a leaf was changed',
  'chain-broken': 'a leaf does not follow the record before it in the chain of its entity',
  'leaves-swapped': "two leaves stand in each other's place",
  'leaves-replaced': 'leaves are not those that the tree was made of',
  'node-altered': 'an interior node was changed',
  'node-missing': 'an interior node was deleted',
  'node-beyond-log': 'an interior node stands beyond the size of the log',
  'subtree-altered': 'leaves that were audited before are others now',
  'checkpoint-altered': 'the columns of a checkpoint say something else than its note',
  'checkpoint-signature': 'the note of a checkpoint is not what a key of the log has signed',
  'checkpoint-beyond-log': 'a checkpoint signs more leaves than the log has: its tail was deleted',
  'checkpoint-missing': 'an exported log has no checkpoint: nothing in it is signed',
  'root-mismatch': 'the leaves do not lead to the root that a checkpoint signs',
  'frontier-altered': 'the frontier of the log was changed',
  'size-altered': 'the size of the log was changed',
  'kept-checkpoint': 'the checkpoint kept outside the database is not of this log',
  'log-vanished':
    'a log that was signed is not in the database any more: its row was deleted, or another backup was restored',
  'log-key-forged': 'a published key, of a log or for promises, is not as the service wrote it',
  'key-altered': 'an API key may do something else, or lives longer, than its last record in the log says',
  'key-unrecorded': 'an API key exists that no record in the log made',
  'key-missing': 'an API key that the log has was deleted',
  'session-altered': "a session of the operators' pages is another key's, or lives longer, than its record says",
  'session-unrecorded': "a session of the operators' pages exists that nobody opened, or that has ended",
  'agent-altered': 'the status, capabilities or tags of an agent are not those of its last record in the log',
  'agent-unrecorded': 'an agent exists that no record in the log registered',
  'agent-missing': 'an agent that the log has was deleted',
  'halt-altered': 'the halt in force is not the one that the log has',
  'halt-unrecorded': 'an environment is halted, and the log has no record of it',
  'halt-missing': 'the log has a halt that nobody lifted, and it is not in force',
  'approval-altered': 'an approval is in another state, or by somebody else, than its records in the log say',
  'approval-unrecorded': 'an approval exists without the recorded decision that opened it',
  'approval-missing': 'an approval that the log has was deleted',
  'action-altered': "an operator's action on the dashboard is not the one that the log has",
  'action-missing': "an operator's action that the log has was deleted",
  'policy-unrecorded': 'the policy set in force is not the one that the log says was activated last',
  'policy-text-altered': 'the text of a policy set is not the one that its digest names',
  'trust-altered': 'the recorded trust of an agent is not what the signals in the log lead to',
  'signal-lost': 'an accepted trust signal counts nowhere: what queued it was deleted',
  'intent-altered': 'a submitted intent names a decision that was not made for it',
  'decision-unverified': 'a decision does not follow from its facts, its policy set and the records of the log',
} as const;
export type FindingKind = keyof typeof FINDINGS;

/** One difference that the audit found. */
export interface Finding {
  readonly kind: FindingKind;
  /** Index of the (first) leaf concerned, or null. */
  readonly leafIndex: number | null;
  readonly proofId: string | null;
  /** A description with particulars, but without any content of records. */
  readonly sentence: string;
}
