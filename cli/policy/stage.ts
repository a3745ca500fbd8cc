// `custos policy stages`, `promote` and `drop-stage`: sets that are in force for some organisations, or evaluated in shadow for a share.
import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Static } from 'typebox';
import type { PolicyStageList } from '../../shared/api/policy-change.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { type StageView, stageViews } from '../../shared/domain/drafts/stage-views.ts';
import { runAdmin } from '../admin.ts';
import { EXIT, exitWith, say, UsageError } from '../exit.ts';
import { printJson, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { checkReason, checkStored, digestOf, printResult, PUT_NOTES, putLocally, putRemotely } from './put.ts';
import { callService, withRemote } from './remote.ts';
import { signatureOf } from './rollback.ts';
import { differenceLines } from './replay-text.ts';

/** A share as `10%` or `0.1`. */
export function shareOf(text: string): number {
  const [, number, percent] = /^(\d{1,3}(?:\.\d{1,6})?)(%?)$/.exec(text) ?? [];
  const value = Number(number ?? Number.NaN) / (percent === '%' ? 100 : 1);
  if (!(value > 0 && value <= 1))
    throw new InvalidArgumentError('It must be more than 0 and at most 1, such as 10% or 0.1.');
  return value;
}

const percent = (share: number): string => `${Number((share * 100).toPrecision(6))} %`;

function show(stage: StageView): void {
  const { digest, author, reason, stagedAt, organisations, share, shareOf: of, shadow } = stage;
  printLine(digest);
  printLine(`  staged ${stagedAt} by ${printable(author)}: ${printable(reason ?? '')}`);
  if (organisations.length > 0) printLine(`  in force for ${organisations.map(printable).join(', ')}`);
  if (share === null) return;
  const whose = of === null ? 'all organisations' : of.map(printable).join(', ');
  printLine(`  in shadow for ${percent(share)} of the live decisions of ${whose}`);
  if (shadow === null) return printLine('  No decision has been evaluated yet.');
  for (const line of differenceLines(shadow)) printLine(`  ${line}`);
}

export const policyStagesCommand: CommandBody = {
  define: (command) =>
    withRemote(command)
      .option('--json', 'print JSON, with the whole comparison of shares')
      .action(
        exitWith(async ({ json, ...options }) => {
          const print = (stages: readonly StageView[]): void => {
            if (json) return printJson(stages);
            if (stages.length === 0) say('No policy set is staged.');
            for (const stage of stages) show(stage);
          };
          if (options.url === undefined) await runAdmin(async ({ db }) => print(await stageViews(db)));
          else {
            // The service's documented answer.
            const { items } = (await callService(options, 'GET', '/v1/policies/stages')) as Static<
              typeof PolicyStageList
            >;
            print(items);
          }
          return EXIT.ok;
        }),
      ),
};

export const promotePoliciesCommand: CommandBody = {
  notes: PUT_NOTES,
  exitCodes: { [EXIT.ok]: 'The set is in force for all organisations, or waits for approval.' },
  define: (command) =>
    withRemote(command.argument('<digest>', 'the staged set: 64 hex digits'))
      .requiredOption('--reason <text>', 'why; it is recorded in every log')
      .option('--signature <file>', 'the line of "custos policy sign --digest", where sets must be signed')
      .option('--json', 'print JSON')
      .action(
        exitWith(async (named, { signature, ...options }) => {
          const digest = digestOf(named);
          const change = { digest, reason: checkReason(options.reason), ...signatureOf(signature) };
          if (options.url !== undefined)
            printResult(await putRemotely(options, 'POST', '/v1/policies/promote', change), options);
          else
            await runAdmin(async ({ db, nowMs }) => {
              await checkStored(db, digest);
              printResult(await putLocally(db, nowMs, { ...change, source: 'push' }), options);
            });
          return EXIT.ok;
        }),
      ),
};

export const dropStageCommand: CommandBody = {
  notes: PUT_NOTES,
  exitCodes: { [EXIT.ok]: 'The set is no longer staged, or the change waits for approval.' },
  define: (command) =>
    withRemote(command.argument('<digest>', 'the staged set: 64 hex digits'))
      .requiredOption('--reason <text>', 'why; it is recorded in the log of the operator')
      .option('--json', 'print JSON')
      .action(
        exitWith(async (named, options) => {
          const digest = digestOf(named);
          const reason = checkReason(options.reason);
          if (options.url !== undefined)
            printResult(await putRemotely(options, 'DELETE', `/v1/policies/stages/${digest}`, { reason }), options);
          else
            await runAdmin(async ({ db, nowMs }) => {
              const change = { digest, reason, source: 'stage' as const, stage: 'drop' as const };
              printResult(await putLocally(db, nowMs, change), options);
            });
          return EXIT.ok;
        }),
      ),
};

export const withdrawPoliciesCommand: CommandBody = {
  notes:
    'The key is a live admin:* key of the organisation. Its own policies are pushed with "custos policy push --url".',
  exitCodes: { [EXIT.ok]: "The organisation has the installation's set, without additions." },
  define: (command) =>
    withRemote(command)
      .requiredOption('--reason <text>', "why; it is recorded in the organisation's log")
      .option('--json', 'print JSON')
      .action(
        exitWith(async (options) => {
          if (options.url === undefined) throw new UsageError('Give the address of the service with --url.');
          const reason = checkReason(options.reason);
          printResult(await putRemotely(options, 'DELETE', '/v1/policies', { reason }), options);
          return EXIT.ok;
        }),
      ),
};
