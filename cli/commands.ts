// Every command of `custos`, in the order of the help. To add one, export a CommandBody from a file and name it here.
import type { CommandBody, CommandList } from './program.ts';

/** The commands that a file exports as `commands`, each with its line of the help. */
function commandsOf<Name extends string>(
  load: () => Promise<{ readonly commands: Readonly<Record<Name, CommandBody>> }>,
  summaries: Readonly<Record<Name, string>>,
): CommandList {
  return (Object.keys(summaries) as Name[]).map((name) => ({
    name,
    summary: summaries[name],
    load: async () => (await load()).commands[name],
  }));
}

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
    name: 'backup',
    summary: 'back up the embedded database, the secrets and the kept checkpoints, also while the service runs',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'make a data folder from a backup',
    load: async () => (await import('./backup.ts')).restoreCommand,
  },
  {
    name: 'keys',
    summary: 'create, list, revoke and rotate API keys',
    commands: commandsOf(() => import('./keys.ts'), {
      create: 'create an API key; it is printed once',
      list: 'list the keys of an organisation and environment, newest first',
      revoke: 'revoke a key; every process refuses it within a second',
      rotate: 'replace a key by a new one with the same name, scopes, agents, tier and lifetime',
      generate: 'print a new key without storing it, for CUSTOS_BOOTSTRAP_KEY',
    }),
  },
  {
    name: 'org',
    summary: 'create and list organisations (tenants)',
    commands: commandsOf(() => import('./org.ts'), {
      create: 'create an organisation; then create its first admin key with "custos keys create --org"',
      list: 'list the organisations, oldest first',
    }),
  },
  {
    name: 'retention',
    summary: 'how long data of single organisations is kept',
    commands: commandsOf(() => import('./retention.ts'), {
      list: 'list how long each kind of data is kept, and by which setting or command',
      set: 'keep a kind of data of an organisation and environment for a time of its own',
      unset: 'keep a kind of data of an organisation and environment as long as the installation does',
    }),
  },
  {
    name: 'config',
    summary: 'list every setting with its environment variable, unit, default and meaning',
    load: async () => (await import('./config.ts')).configCommand,
  },
  {
    name: 'pepper',
    summary: 'the secret that protects stored keys and seals rows',
    commands: commandsOf(() => import('./pepper.ts'), {
      rotate: 'replace the pepper while no process of the service runs',
    }),
  },
  {
    name: 'seals',
    summary: 'the seals of rows that grant authority',
    commands: commandsOf(() => import('./seals.ts'), {
      check: 'check every row that grants authority, and list those that Custos did not write',
    }),
  },
  {
    name: 'doctor',
    summary: 'diagnose the installation: settings, disk, database, clock, Redis, policies, keys, overdue work',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'log',
    summary: 'list, export and repair the logs of this installation',
    commands: commandsOf(() => import('./log.ts'), {
      list: 'list every log with its size, the result of its audit, and whether it is halted',
      export: 'write a log to standard output: keys, records and checkpoints; check it with "custos audit"',
      fork: 'replace a halted log by a new one, whose first leaf names the last signed tree of the old one',
      resume: 'accept the audit findings of a halted log, so that it signs again; this is recorded as a leaf',
      'rotate-key': 'replace the key that signs checkpoints; stop the workers first',
    }),
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
    commands: commandsOf(() => import('./merkle.ts'), {
      root: 'the root of a tree',
      inclusion: 'the proof that a leaf is in a tree',
      consistency: 'the proof that a tree begins with a smaller one',
      'verify-inclusion': 'whether a proof of inclusion is valid',
      'verify-consistency': 'whether a proof of consistency is valid',
    }),
  },
  {
    name: 'canonicalize',
    summary: 'write the canonical form (RFC 8785) of the JSON on standard input: exactly the bytes that are hashed',
    load: async () => (await import('./canonicalize.ts')).canonicalizeCommand,
  },
  {
    name: 'decision',
    summary: 'verify and export recorded decisions',
    commands: commandsOf(() => import('./decision.ts'), {
      verify: 'evaluate decisions again from their records, facts, policy sets and logged signals',
      export: 'write facts and policy sets of decisions to files, to verify them elsewhere with the exported log',
    }),
  },
  {
    name: 'policy',
    summary: 'write, check, test, explain and replay policies',
    commands: [
      {
        name: 'init',
        summary: 'copy the policies of the package to a folder of yours, which the service then uses',
        load: async () => (await import('./policy/init.ts')).initPoliciesCommand,
      },
      {
        name: 'new',
        summary: 'write a first policy and a test file for it, both valid',
        load: async () => (await import('./policy/new.ts')).newPolicyCommand,
      },
      {
        name: 'import',
        summary: 'translate policies of Cerbos, Cedar or the Agent Governance Toolkit, and list what could not be said',
        load: async () => (await import('./policy/import.ts')).importPoliciesCommand,
      },
      {
        name: 'check',
        summary: 'list errors and warnings in policies, lexicon and test files, with file, line and column',
        load: async () => (await import('./policy/check.ts')).checkPoliciesCommand,
      },
      {
        name: 'fmt',
        summary: 'write policies, tests and the other files of a folder in their canonical layout',
        load: async () => (await import('./policy/fmt.ts')).formatPoliciesCommand,
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
      {
        name: 'diff',
        summary: 'show what differs between two policy sets, with requests that they answer differently',
        load: async () => (await import('./policy/diff.ts')).diffPoliciesCommand,
      },
      {
        name: 'push',
        summary: 'put a policy folder into force, with an author and a reason',
        load: async () => (await import('./policy/push.ts')).pushPoliciesCommand,
      },
      {
        name: 'rollback',
        summary: 'put a stored policy set into force again',
        load: async () => (await import('./policy/rollback.ts')).rollBackPoliciesCommand,
      },
      {
        name: 'follow-folder',
        summary: 'put the set of the policy folder into force after a push or a rollback, and its later edits',
        load: async () => (await import('./policy/rollback.ts')).followFolderCommand,
      },
      {
        name: 'stages',
        summary: 'list the staged policy sets: for whom they are in force, and what a share in shadow has shown',
        load: async () => (await import('./policy/stage.ts')).policyStagesCommand,
      },
      {
        name: 'promote',
        summary: 'put a staged policy set into force for all organisations',
        load: async () => (await import('./policy/stage.ts')).promotePoliciesCommand,
      },
      {
        name: 'drop-stage',
        summary: 'end a stage: its organisations get the policy set that is in force for all',
        load: async () => (await import('./policy/stage.ts')).dropStageCommand,
      },
      {
        name: 'withdraw',
        summary: 'remove the own policies of an organisation, with a key of it',
        load: async () => (await import('./policy/stage.ts')).withdrawPoliciesCommand,
      },
      {
        name: 'log',
        summary: 'list who put which policy set into force, when and why',
        load: async () => (await import('./policy/log.ts')).policyLogCommand,
      },
      {
        name: 'keygen',
        summary: 'make a key that signs policy sets',
        load: async () => (await import('./policy/sign.ts')).policyKeygenCommand,
      },
      {
        name: 'sign',
        summary: 'sign a policy folder or a stored set',
        load: async () => (await import('./policy/sign.ts')).signPoliciesCommand,
      },
    ],
  },
  {
    name: 'approvals',
    summary: 'list, show, approve and reject approvals',
    commands: commandsOf(() => import('./approvals.ts'), {
      list: 'list approvals of an organisation and environment, newest first',
      show: 'show one approval: the words that were asked, everything it is bound to, reasons and context',
      approve: 'approve the request of an agent; the log records cli:<your user name> as the decider',
      reject: 'reject the request of an agent; the log records cli:<your user name> as the decider',
    }),
  },
  {
    name: 'tools',
    summary: 'import, check, list and explain catalogues of tools',
    commands: [
      {
        name: 'import',
        summary: 'propose a catalogue for the tools of an MCP server, and say for each entry why and how sure',
        load: async () => (await import('./tools/import.ts')).importToolsCommand,
      },
      {
        name: 'check',
        summary: 'compare a catalogue with an MCP server: which tools are new, gone or changed',
        load: async () => (await import('./tools/check.ts')).checkToolsCommand,
      },
      {
        name: 'list',
        summary: 'list the tools of the catalogues: action, effect, resource, and whether they are pinned',
        load: async () => (await import('./tools/list.ts')).listToolsCommand,
      },
      {
        name: 'explain',
        summary: 'show what the catalogues make of a call: action, effect, resource, and why',
        load: async () => (await import('./tools/explain.ts')).explainToolCommand,
      },
    ],
  },
  {
    name: 'mcp-guard',
    summary: 'stand between an MCP client and a server: tool calls pass only when Custos permits them',
    load: async () => (await import('./mcp-guard.ts')).mcpGuardCommand,
  },
];
