// Output of the demo: coloured lines on a terminal, plain lines elsewhere, nothing with --json.
import type { WriteStream } from 'node:tty';

export interface Printer {
  chapter(title: string): void;
  /** An event, or a remark on it. */
  line(text: string): void;
  /** Printed after the last chapter. */
  end(text: string): void;
  /** An expectation that was met. */
  kept(text: string): void;
  /** An expectation that was not met. */
  broken(text: string): void;
  /** Awaits `work`; a terminal shows `text` meanwhile. */
  during<T>(text: string, work: Promise<T>): Promise<T>;
  verdict(verdict: string): string;
  faint(text: string): string;
}

/** SGR codes (ECMA-48): 1 bold, 2 faint, 31 red, 32 green, 33 yellow, 36 cyan. */
const SGR = { bold: 1, faint: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
const VERDICT_COLOURS: Readonly<Record<string, keyof typeof SGR>> = {
  ALLOW: 'green',
  DENY: 'red',
  ESCALATE: 'yellow',
  DEGRADE: 'cyan',
};

export interface PrinterOptions {
  readonly out: Pick<WriteStream, 'write'>;
  /** Whether `out` is a terminal: lines may be overwritten. */
  readonly isTerminal: boolean;
  readonly colours: boolean;
}

export function createPrinter({ out, isTerminal, colours }: PrinterOptions): Printer {
  const paint = (colour: keyof typeof SGR, text: string): string =>
    colours ? `\u001b[${SGR[colour]}m${text}\u001b[0m` : text;
  const write = (text: string): void => void out.write(`${text}\n`);
  let chapters = 0;
  return {
    chapter(title) {
      chapters += 1;
      write(`\n${paint('bold', `${chapters}. ${title}`)}`);
    },
    line: (text) => write(`   ${text}`),
    end: (text) => write(`\n${paint('bold', text)}`),
    kept: (text) => write(`   ${paint('green', 'ok')}  ${text}`),
    broken: (text) => write(`   ${paint('red', 'NOT OK')}  ${text}`),
    async during(text, work) {
      if (!isTerminal) return work;
      out.write(`   ${paint('faint', `... ${text}`)}`);
      try {
        return await work;
      } finally {
        // EL, erase in line (ECMA-48): the next line replaces it.
        out.write('\r\u001b[2K');
      }
    },
    verdict: (verdict) => paint(VERDICT_COLOURS[verdict] ?? 'bold', verdict),
    faint: (text) => paint('faint', text),
  };
}

/** For --json, which prints only the summary. */
export const SILENT: Printer = {
  chapter: () => undefined,
  line: () => undefined,
  end: () => undefined,
  kept: () => undefined,
  broken: () => undefined,
  during: (_text, work) => work,
  verdict: (verdict) => verdict,
  faint: (text) => text,
};
