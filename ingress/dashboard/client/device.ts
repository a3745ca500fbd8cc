// What the service gave this browser when somebody last signed in: it tells its attempts from those of strangers at the same
// address, and is no key to anything.
const NAME = 'custos-device';

export function keptDevice(): string | undefined {
  try {
    return window.localStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepDevice(device: string): void {
  try {
    window.localStorage.setItem(NAME, device);
  } catch {
    // A browser may forbid it; then it is a stranger each time.
  }
}
