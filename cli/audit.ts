// `custos audit FILE...`: checks exported logs offline with a second implementation of Merkle trees, and names every difference.
import { type ChainHeads, createLogFileAuditor, type LogFileAudit } from '../shared/core/proof/audit-file.ts';
import { printable } from '../shared/core/proof/encoding.ts';
import { ProofError } from '../shared/core/proof/failures.ts';
import type { TrustedKey } from '../shared/core/proof/keys.ts';
import { EXIT, exitWith, UsageError } from './exit.ts';
import { type KeyOptions, linesOf, trustedKeysOf } from './input.ts';
import { collect } from './options.ts';
import { printJson, printLine, rangesText } from './output.ts';
import type { CommandBody } from './program.ts';

type FileAudit = LogFileAudit & { readonly file: string };

export const auditCommand: CommandBody = {
  exitCodes: { [EXIT.failed]: 'A record, chain or checkpoint differs, or a file is not an exported log.' },
  define: (command) =>
    command
      .argument('<files...>', 'written by "custos log export"; the files of a forked log in order, oldest first')
      .option('--keys <file>', 'the keys that you trust, in the form of GET /v1/log/keys')
      .option('--vkey <vkey>', 'a verifier key that you trust; may be repeated', collect)
      .option(
        '--keys-in-file',
        'without keys that you trust: only whether a file contradicts itself, which shows nothing about who wrote it',
      )
      .option('--json', 'print JSON')
      .action(
        exitWith(async (files, options) => {
          const trustedKeys = keysOf(options);
          const heads: ChainHeads = new Map();
          const audits: FileAudit[] = [];
          for (const file of files) audits.push({ file, ...(await auditFile(file, trustedKeys, heads)) });
          if (options.json) printJson(audits);
          else
            for (const audit of audits)
              for (const sentence of sentencesOf(audit, trustedKeys)) printLine(printable(sentence));
          return audits.some((audit) => audit.findings.length > 0) ? EXIT.failed : EXIT.ok;
        }),
      ),
};

/** @returns undefined: those in the file @throws {UsageError} when it is not said which keys are trusted */
function keysOf({ keysInFile = false, ...options }: KeyOptions & { readonly keysInFile?: boolean }) {
  const given = trustedKeysOf(options);
  if (given.length > 0 === keysInFile)
    throw new UsageError(
      given.length > 0
        ? '--keys-in-file is for an audit without keys that you trust.'
        : 'No key is trusted. Give --vkey or --keys; GET /v1/log/keys of the service lists its keys. --keys-in-file checks a file with the keys in it, which anyone can write.',
    );
  return keysInFile ? undefined : given;
}

async function auditFile(
  file: string,
  trustedKeys: readonly TrustedKey[] | undefined,
  heads: ChainHeads,
): Promise<LogFileAudit> {
  const auditor = createLogFileAuditor({ trustedKeys, heads });
  try {
    for await (const line of linesOf(file)) auditor.next(line);
    return auditor.end();
  } catch (error) {
    if (error instanceof ProofError) return malformed(error.message);
    throw error;
  }
}

/** A file that is not in the format, for example because a line was removed, counts as altered. */
function malformed(sentence: string): LogFileAudit {
  const finding = { kind: 'file-malformed', leafIndex: null, proofId: null, sentence } as const;
  return { origin: '', leaves: 0, checkpoints: 0, signedSize: 0, chains: 0, dropped: [], findings: [finding] };
}

function sentencesOf(audit: FileAudit, trustedKeys: readonly TrustedKey[] | undefined): string[] {
  const hasTrustedKeys = trustedKeys !== undefined;
  const { findings, file, origin, leaves, checkpoints, signedSize, chains, dropped } = audit;
  if (findings.length > 0) {
    const lines = findings.map(({ kind, sentence }) => `${file}: ALTERED (${kind}): ${sentence}`);
    // Each environment and organisation has keys of its own; those of another one are a usual mistake.
    if (hasTrustedKeys && origin !== '' && !trustedKeys.some((key) => key.origin === origin))
      lines.push(
        `${file}: You gave no key of ${origin}. GET /v1/log/keys lists those of the organisation and environment of the asking key.`,
      );
    return lines;
  }
  const lines = [
    `${file}: ${hasTrustedKeys ? 'OK' : 'CONSISTENT'}: ${origin}: ${leaves} leaves in ${chains} chains lead to ${checkpoints} signed checkpoints.`,
  ];
  if (dropped.length > 0)
    lines.push(`${file}: Retention has dropped the records of ${rangesText(dropped)}, as signed records state.`);
  if (signedSize < leaves) lines.push(`${file}: The last ${leaves - signedSize} leaves are not signed yet.`);
  if (!hasTrustedKeys)
    lines.push(
      `${file}: Not verified: the keys come from the file itself, which anyone can write. Give keys that you trust with --keys or --vkey.`,
    );
  return lines;
}
