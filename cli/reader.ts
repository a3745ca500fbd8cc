// Ends a command when its standard output can no longer be written.
import { constants } from 'node:os';

/** The exit code when the reader ends before there is a result. Not 0, which would be a result. */
const READER_ENDED = 128 + constants.signals.SIGPIPE;

/**
 * When the reader ends first (`| head`), the command exits silently. When the output can't be written for another reason,
 * such as a full disk, it exits with 1 and a sentence.
 */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? READER_ENDED);
    process.stderr.write(`custos: standard output can't be written (${error.code ?? error.message}).\n`);
    process.exit(1);
  });
}
