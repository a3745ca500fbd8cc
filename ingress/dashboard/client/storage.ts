// Settings in the browser's local storage. The browser may forbid it; then nothing is remembered.

export function readStored(name: string): string | undefined {
  try {
    return window.localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeStored(name: string, value: string): void {
  try {
    window.localStorage.setItem(name, value);
  } catch {
    // As above.
  }
}
