// `custos policy log`: who put which policy set into force, when and why.
import { genuine, sealedColumns, type SealedRow } from '../../shared/platform/db/seals/rows.ts';
import { FOLDER_AUTHOR } from '../../shared/domain/policy-sets/activate.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { runAdmin } from '../admin.ts';
import { wholeNumber } from '../options.ts';
import { printJson, printTable } from '../output.ts';
import type { CommandBody } from '../program.ts';

const READ = `SELECT ${sealedColumns('policy_activation', 'a')} FROM policy_activation a ORDER BY seq DESC LIMIT $1`;
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 20;

export const policyLogCommand: CommandBody = {
  define: (command) =>
    command
      .option('--limit <n>', `at most this many, up to ${MAX_LIMIT}`, wholeNumber(1, MAX_LIMIT), DEFAULT_LIMIT)
      .option('--json', 'print JSON')
      .action(({ limit, json }) =>
        runAdmin(async ({ db }) => {
          const rows = await db.query<SealedRow<'policy_activation'>>(READ, [limit]);
          const items = genuine(db, 'policy_activation', rows).map((row) => ({
            activatedAt: row.activated_at.toISOString(),
            digest: row.digest,
            previousDigest: row.previous_digest,
            author: row.author ?? FOLDER_AUTHOR,
            reason: row.reason,
            source: row.source ?? 'folder',
            approver: row.approver,
            signer: row.signer,
          }));
          if (json) return printJson(items);
          printTable(
            ['IN FORCE FROM', 'SET', 'BY', 'APPROVED BY', 'HOW', 'WHY'],
            items.map(({ activatedAt, digest, author, approver, source, reason }) => [
              activatedAt,
              digest,
              printable(author),
              printable(approver ?? ''),
              source,
              printable(reason ?? ''),
            ]),
          );
        }),
      ),
};
