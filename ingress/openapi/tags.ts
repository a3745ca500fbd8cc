// The tags of the OpenAPI document: each group of operations with its description.

const TAGS: Readonly<Record<string, string>> = {
  Intents: 'Free text read as an intent, and intents that are submitted for evaluation in the background.',
  Enforcement: 'The question whether an agent may do something, answered by a recorded decision.',
  Decisions: 'Recorded decisions, and whether each still stands.',
  Approvals: 'Decisions that wait for a human: an ESCALATE opens an approval, an admin approves or rejects it.',
  Proofs: 'Statements that are anchored in the log, with receipts that can be verified offline.',
  Log: 'The Merkle log itself, for auditors: checkpoints, keys, consistency proofs and leaf hashes.',
  Agents: 'The registry of agents. An agent need not be registered to be judged.',
  Resources: 'Attributes of resources, such as class and owner, for policies to read.',
  Trust: 'Signals about the conduct of agents, and the scores that follow from them.',
  Keys: 'API keys of the organisation.',
  Halt: 'The emergency stop of an environment: while it is halted, every verdict is DENY.',
  Policies: 'The policy set in force, past sets, checks of drafts, replays, and tool catalogues.',
  AuthZEN:
    'The OpenID AuthZEN Authorization API 1.0, for gateways: its rules hold here, and unknown members are ignored.',
  Webhooks: 'Receivers of events, with what was delivered to each.',
  Service: 'Health, readiness, metrics and descriptions of the service.',
  Reference: 'The tables of the interface: tiers, rate limits, error codes and scopes.',
};

export function describeTag(name: string): { readonly name: string; readonly description?: string } {
  const description = TAGS[name];
  return description === undefined ? { name } : { name, description };
}
