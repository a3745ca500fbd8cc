// The token that the service gave this browser at the last sign-in (devices.ts). It separates this browser's sign-in attempts
// from those of strangers at the same address, and grants nothing else.
const NAME = 'custos-device';

export function storedDevice(): string | undefined {
  try {
    return window.localStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

export function storeDevice(device: string): void {
  try {
    window.localStorage.setItem(NAME, device);
  } catch {
    // The browser may forbid storage; then each sign-in counts as that of an unknown browser.
  }
}
