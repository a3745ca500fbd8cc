// Every command of `custos`, in the order of the help. To add one, export a CommandBody from a file and name it here.
import type { CommandList } from './program.ts';

export const COMMANDS: CommandList = [
  {
    name: 'start',
    summary: 'run the whole service: database (unless DATABASE_URL is set), ingress and workers',
    load: async () => (await import('./start.ts')).startCommand,
  },
  {
    name: 'migrate',
    summary: 'migrate the database to the newest schema, and create the first admin key',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  {
    name: 'keys',
    summary: 'create, list, revoke and rotate API keys',
    commands: [
      {
        name: 'create',
        summary: 'create an API key; it is printed once',
        load: async () => (await import('./keys.ts')).createKeyCommand,
      },
      {
        name: 'list',
        summary: 'list the keys of an organisation and environment, newest first',
        load: async () => (await import('./keys.ts')).listKeysCommand,
      },
      {
        name: 'revoke',
        summary: 'revoke a key; every process refuses it within a second',
        load: async () => (await import('./keys.ts')).revokeKeyCommand,
      },
      {
        name: 'rotate',
        summary: 'replace a key by a new one with the same name, scopes, agents, tier and lifetime',
        load: async () => (await import('./keys.ts')).rotateKeyCommand,
      },
      {
        name: 'generate',
        summary: 'print a new key without storing it, for CUSTOS_BOOTSTRAP_KEY',
        load: async () => (await import('./keys.ts')).generateKeyCommand,
      },
    ],
  },
  {
    name: 'org',
    summary: 'create and list organisations (tenants)',
    commands: [
      {
        name: 'create',
        summary: 'create an organisation; then create its first admin key with "custos keys create --org"',
        load: async () => (await import('./org.ts')).createOrganisationCommand,
      },
      {
        name: 'list',
        summary: 'list the organisations, oldest first',
        load: async () => (await import('./org.ts')).listOrganisationsCommand,
      },
    ],
  },
  {
    name: 'config',
    summary: 'list every setting with its environment variable, unit, default and meaning',
    load: async () => (await import('./config.ts')).configCommand,
  },
  {
    name: 'pepper',
    summary: 'the secret that protects stored keys and seals rows',
    commands: [
      {
        name: 'rotate',
        summary: 'replace the pepper while no process of the service runs',
        load: async () => (await import('./pepper.ts')).rotatePepperCommand,
      },
    ],
  },
  {
    name: 'seals',
    summary: 'the seals of rows that grant authority',
    commands: [
      {
        name: 'check',
        summary: 'check every row that grants authority, and list those that Custos did not write',
        load: async () => (await import('./seals.ts')).checkSealsCommand,
      },
    ],
  },
  {
    name: 'doctor',
    summary: 'diagnose the installation: settings, disk, database, clock, Redis, policies, keys, overdue work',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'log',
    summary: 'list, export and repair the logs of this installation',
    commands: [
      {
        name: 'list',
        summary: 'list every log with its size, the result of its audit, and whether it is halted',
        load: async () => (await import('./log.ts')).listLogsCommand,
      },
      {
        name: 'export',
        summary: 'write a log to standard output: keys, records and checkpoints; check it with "custos audit"',
        load: async () => (await import('./log.ts')).exportLogCommand,
      },
      {
        name: 'fork',
        summary: 'replace a halted log by a new one, whose first leaf names the last signed tree of the old one',
        load: async () => (await import('./log.ts')).forkLogCommand,
      },
      {
        name: 'resume',
        summary: 'accept the audit findings of a halted log, so that it signs again; this is recorded as a leaf',
        load: async () => (await import('./log.ts')).resumeLogCommand,
      },
      {
        name: 'rotate-key',
        summary: 'replace the key that signs checkpoints; stop the workers first',
        load: async () => (await import('./log.ts')).rotateLogKeyCommand,
      },
    ],
  },
  {
    name: 'audit',
    summary: 'check exported logs offline: every record, chain and checkpoint',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  {
    name: 'demo',
    summary: 'play a story against a running service: ask, submit work, earn trust, anchor proofs and verify them',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'verify',
    summary: "verify a receipt or a promise offline, with only the log's verifier key",
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  {
    name: 'merkle',
    summary: 'RFC 6962 trees: JSON on standard input, JSON on standard output',
    commands: [
      {
        name: 'root',
        summary: 'the root of a tree',
        load: async () => (await import('./merkle.ts')).merkleCommand('root'),
      },
      {
        name: 'inclusion',
        summary: 'the proof that a leaf is in a tree',
        load: async () => (await import('./merkle.ts')).merkleCommand('inclusion'),
      },
      {
        name: 'consistency',
        summary: 'the proof that a tree begins with a smaller one',
        load: async () => (await import('./merkle.ts')).merkleCommand('consistency'),
      },
      {
        name: 'verify-inclusion',
        summary: 'whether a proof of inclusion is valid',
        load: async () => (await import('./merkle.ts')).merkleCommand('verify-inclusion'),
      },
      {
        name: 'verify-consistency',
        summary: 'whether a proof of consistency is valid',
        load: async () => (await import('./merkle.ts')).merkleCommand('verify-consistency'),
      },
    ],
  },
  {
    name: 'canonicalize',
    summary: 'write the canonical form (RFC 8785) of the JSON on standard input: exactly the bytes that are hashed',
    load: async () => (await import('./canonicalize.ts')).canonicalizeCommand,
  },
  {
    name: 'decision',
    summary: 'verify and export recorded decisions',
    commands: [
      {
        name: 'verify',
        summary: 'evaluate decisions again from their records, facts, policy sets and logged signals',
        load: async () => (await import('./decision.ts')).verifyDecisionsCommand,
      },
      {
        name: 'export',
        summary: 'write facts and policy sets of decisions to files, to verify them elsewhere with the exported log',
        load: async () => (await import('./decision.ts')).exportDecisionsCommand,
      },
    ],
  },
  {
    name: 'policy',
    summary: 'write, check, test, explain and replay policies',
    commands: [
      {
        name: 'new',
        summary: 'write a first policy and a test file for it, both valid',
        load: async () => (await import('./policy/new.ts')).newPolicyCommand,
      },
      {
        name: 'check',
        summary: 'list errors and warnings in policies, lexicon and test files, with file, line and column',
        load: async () => (await import('./policy/check.ts')).checkPoliciesCommand,
      },
      {
        name: 'test',
        summary: 'run test cases against policies: facts in, verdict and reasons out',
        load: async () => (await import('./policy/test.ts')).testPoliciesCommand,
      },
      {
        name: 'coverage',
        summary: 'run test cases and list the rules and conditions that they do not exercise',
        load: async () => (await import('./policy/coverage.ts')).policyCoverageCommand,
      },
      {
        name: 'explain',
        summary: 'show the verdict of a question or of a recorded decision, and every rule that was considered',
        load: async () => (await import('./policy/explain.ts')).explainPoliciesCommand,
      },
      {
        name: 'replay',
        summary: 'evaluate stored decisions again under a draft, and show what would have changed',
        load: async () => (await import('./policy/replay.ts')).replayPoliciesCommand,
      },
      {
        name: 'shadow',
        summary: 'show what the draft policies in shadow mode (CUSTOS_SHADOW_POLICY_DIR) would have changed',
        load: async () => (await import('./policy/shadow.ts')).shadowStatusCommand,
      },
    ],
  },
  {
    name: 'approvals',
    summary: 'list, show, approve and reject approvals',
    commands: [
      {
        name: 'list',
        summary: 'list approvals of an organisation and environment, newest first',
        load: async () => (await import('./approvals.ts')).listApprovalsCommand,
      },
      {
        name: 'show',
        summary: 'show one approval: the words that were asked, everything it is bound to, reasons and context',
        load: async () => (await import('./approvals.ts')).showApprovalCommand,
      },
      {
        name: 'approve',
        summary: 'approve the request of an agent; the log records cli:<your user name> as the decider',
        load: async () => (await import('./approvals.ts')).decideApprovalCommand('approved'),
      },
      {
        name: 'reject',
        summary: 'reject the request of an agent; the log records cli:<your user name> as the decider',
        load: async () => (await import('./approvals.ts')).decideApprovalCommand('rejected'),
      },
    ],
  },
  {
    name: 'tools',
    summary: 'catalogues of tools: import them from an MCP server',
    commands: [
      {
        name: 'import',
        summary: 'propose a catalogue for the tools of an MCP server, and say for each entry why and how sure',
        load: async () => (await import('./tools/import.ts')).importToolsCommand,
      },
    ],
  },
  {
    name: 'mcp-guard',
    summary: 'stand between an MCP client and a server: tool calls pass only when Custos permits them',
    load: async () => (await import('./mcp-guard.ts')).mcpGuardCommand,
  },
];
