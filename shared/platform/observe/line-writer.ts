// Writes lines to an output that may have no reader. A process never waits for it: lines that find no room are dropped and counted.
import { fstatSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';

export interface LineWriter {
  /** Writes complete lines now, or keeps them until the reader has room, or drops them. It neither waits nor throws. */
  write(lines: string): void;
  /** Copies another process's output by whole lines. While there is no room it is not read, so that its writer drops and counts lines. */
  copy(from: Readable): void;
  /** Lines of `write` that were dropped so far. */
  dropped(): number;
  /** Calls back when lines can be written again, with the number that was dropped since the last time. */
  onRestored(listener: (lines: number) => void): void;
}

/** Bytes that wait for a reader, beside those in the system's own buffer: about a thousand lines. */
const MAX_WAITING_BYTES = 262_144;

/** While a pipe has no reader, it is tried again after this time. */
const NO_READER_MS = 1_000;

/**
 * Sockets and pipes are written through the streams of Node, which never block. Files are written synchronously, and so are terminals:
 * a terminal that is halted (Ctrl-S) stops its writer.
 * @param fd 1 or 2
 */
export function createLineWriter(fd: 1 | 2): LineWriter {
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket()
    ? createStreamWriter(fd === 1 ? process.stdout : process.stderr)
    : createFileWriter(fd);
}

/** Counts what is dropped, and reports it once lines can be written again. */
class Losses {
  total = 0;
  private unreported = 0;
  private readonly listeners: ((lines: number) => void)[] = [];

  count(lines: string): void {
    const count = lines.split('\n').length - 1;
    this.total += count;
    this.unreported += count;
  }

  listen(listener: (lines: number) => void): void {
    this.listeners.push(listener);
  }

  /** @returns at once when nothing was dropped */
  report(): void {
    if (this.unreported === 0) return;
    const count = this.unreported;
    // Before the calls: a listener writes a line.
    this.unreported = 0;
    for (const listener of this.listeners) listener(count);
  }
}

function createStreamWriter(stream: NodeJS.WriteStream): LineWriter {
  const losses = new Losses();
  const paused = new Set<Readable>();
  const resumeAll = (): void => {
    for (const from of paused) from.resume();
    paused.clear();
  };
  // Without a listener, the end of the reader would end the process.
  stream.on('error', () => undefined);
  stream.on('drain', () => {
    losses.report();
    resumeAll();
  });
  return {
    write(lines) {
      if (stream.writableLength + lines.length > MAX_WAITING_BYTES) losses.count(lines);
      // An error of standard output does not end it: each write reports whether it failed.
      else stream.write(lines, (error) => error && losses.count(lines));
    },
    copy(from) {
      readLines(from, (lines) => {
        const pause = (): void => {
          from.pause();
          paused.add(from);
        };
        const hasRoom = stream.write(lines, (error) => {
          if (!error) return;
          pause();
          setTimeout(resumeAll, NO_READER_MS).unref();
        });
        if (!hasRoom) pause();
      });
    },
    dropped: () => losses.total,
    onRestored: (listener) => losses.listen(listener),
  };
}

function createFileWriter(fd: number): LineWriter {
  const losses = new Losses();
  const write = (lines: string): void => {
    try {
      writeSync(fd, lines);
    } catch {
      // The disk is full, for example.
      losses.count(lines);
      return;
    }
    losses.report();
  };
  return {
    write,
    copy: (from) => readLines(from, write),
    dropped: () => losses.total,
    onRestored: (listener) => losses.listen(listener),
  };
}

/** Calls back with the text up to the last line feed that has arrived, and at the end with the rest. */
function readLines(from: Readable, onLines: (lines: string) => void): void {
  let rest = '';
  from.setEncoding('utf8');
  from.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) rest += text;
    else {
      const lines = rest + text.slice(0, end);
      rest = text.slice(end);
      onLines(lines);
    }
  });
  from.on('end', () => {
    if (rest !== '') onLines(`${rest}\n`);
  });
}
