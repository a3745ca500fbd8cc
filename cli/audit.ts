// `custos audit FILE...`: checks exported logs offline with a second implementation of Merkle trees, and names every difference.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { type ChainHeads, createLogFileAuditor, type LogFileAudit } from '../shared/core/proof/audit-file.ts';
import { printable } from '../shared/core/proof/encoding.ts';
import { ProofError } from '../shared/core/proof/failures.ts';
import type { TrustedKey } from '../shared/core/proof/keys.ts';
import { EXIT } from './frame.ts';
import { printJson } from './output.ts';
import { asUnreadable, collect, trustedKeysOf } from './trusted-keys.ts';

interface AuditOptions {
  readonly keys?: string;
  readonly vkey?: readonly string[];
  readonly json?: boolean;
}

export function registerAudit(program: Command): void {
  program
    .command('audit')
    .description(
      'check exported logs offline: every record, chain and checkpoint; exit code 0, 1 for a difference, 2 for bad input',
    )
    .argument('<files...>', 'what "custos log export" wrote; of a log that was opened anew, oldest first')
    .option('--keys <file>', 'the keys that you trust, as GET /v1/log/keys gives them')
    .option('--vkey <vkey>', 'a verifier key that you trust; may be repeated', collect)
    .option('--json', 'print JSON')
    .action(async (files: readonly string[], options: AuditOptions) => {
      const given = trustedKeysOf(options);
      const trustedKeys = given.length === 0 ? undefined : given;
      const heads: ChainHeads = new Map();
      const audits: (LogFileAudit & { readonly file: string })[] = [];
      for (const file of files) audits.push({ file, ...(await auditFile(file, trustedKeys, heads)) });
      if (audits.some((audit) => audit.findings.length > 0)) process.exitCode = EXIT.failed;
      if (options.json) return printJson(audits);
      const lines = audits.flatMap((audit) => sentencesOf(audit, trustedKeys !== undefined)).map(printable);
      process.stdout.write(`${lines.join('\n')}\n`);
    });
}

async function auditFile(
  file: string,
  trustedKeys: readonly TrustedKey[] | undefined,
  heads: ChainHeads,
): Promise<LogFileAudit> {
  const auditor = createLogFileAuditor({ trustedKeys, heads });
  const input = createReadStream(file);
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) auditor.next(line);
    return auditor.end();
  } catch (error) {
    if (error instanceof ProofError) return malformed(error.message);
    throw asUnreadable(file, error);
  } finally {
    input.destroy();
  }
}

/** A file that is not in the format, for example because a line was removed, counts as altered. */
function malformed(sentence: string): LogFileAudit {
  const finding = { kind: 'file-malformed', leafIndex: null, proofId: null, sentence } as const;
  return { origin: '', leaves: 0, checkpoints: 0, signedSize: 0, chains: 0, findings: [finding] };
}

function sentencesOf(audit: LogFileAudit & { readonly file: string }, isTrusted: boolean): string[] {
  const { findings, file, origin, leaves, checkpoints, signedSize, chains } = audit;
  if (findings.length > 0) return findings.map(({ kind, sentence }) => `${file}: ALTERED (${kind}): ${sentence}`);
  const lines = [
    `${file}: OK: ${origin}: ${leaves} leaves in ${chains} chains lead to ${checkpoints} signed checkpoints.`,
  ];
  if (signedSize < leaves) lines.push(`${file}: The last ${leaves - signedSize} leaves are not signed yet.`);
  if (!isTrusted)
    lines.push(`${file}: The keys come from the file itself. Give keys that you trust with --keys or --vkey.`);
  return lines;
}
