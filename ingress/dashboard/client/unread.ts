// Divides the words of a caller into what their reading accounts for and what it leaves out.

/** A part of a text that its reading does not account for. */
export interface UnreadSpan {
  /** Offset in the text without its disguises and without white space around it, which may differ from the one in the text. */
  readonly at: number;
  readonly text: string;
}

export interface Part {
  readonly text: string;
  readonly isUnread: boolean;
}

/** The offset of a span in the text itself, the one nearest to where it should be; -1: its words were disguised. */
function placeOf(text: string, { at, text: words }: UnreadSpan, from: number): number {
  if (at >= from && text.startsWith(words, at)) return at;
  const [before, after] = [text.lastIndexOf(words, at), text.indexOf(words, Math.max(at, from))];
  if (before < from) return after;
  return after < 0 || at - before <= after - at ? before : after;
}

/**
 * The parts of a text, which joined are the text. Spans that are not found in it stay out, because a mark on other words would mislead.
 * @param spans in the order of the text
 */
export function partsOf(text: string, spans: readonly UnreadSpan[]): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const span of spans) {
    const at = span.text === '' ? -1 : placeOf(text, span, from);
    if (at < from) continue;
    if (at > from) parts.push({ text: text.slice(from, at), isUnread: false });
    from = at + span.text.length;
    parts.push({ text: text.slice(at, from), isUnread: true });
  }
  if (from < text.length) parts.push({ text: text.slice(from), isUnread: false });
  return parts;
}

/** The first characters of a text in parts. */
export function firstOf(parts: readonly Part[], length: number): Part[] {
  let left = length;
  return parts.flatMap((part) => {
    const text = part.text.slice(0, left);
    left -= text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}
