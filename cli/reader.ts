// What a command does when its standard output can't be written any more.
import { constants } from 'node:os';

/** The exit code of a command whose reader went away before there was an answer: never 0, which would be one. */
const READER_GONE = 128 + constants.signals.SIGPIPE;

/**
 * A reader that has seen enough (`| head`) ends the command, without a word; an output that can't be written for another
 * reason, such as a full disk, ends it with a sentence and 1.
 */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? READER_GONE);
    process.stderr.write(`custos: standard output can't be written (${error.code ?? error.message}).\n`);
    process.exit(1);
  });
}
