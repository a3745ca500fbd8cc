// The exit codes of policy commands.
import { COMMON_EXIT_CODES, type EXIT } from '../frame.ts';

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For `addHelpText('after', ...)`. */
export const POLICY_EXIT_CODES = `${COMMON_EXIT_CODES}\
  3  The policies or test files are broken: nothing was evaluated.
  4  A test case failed, coverage is below its minimum, or a decision would change (replay --fail-on-change).
`;

/** Runs a command and exits with the code that it returns. */
export async function runPolicyCommand(work: () => Promise<ExitCode>): Promise<void> {
  process.exitCode = await work();
}
