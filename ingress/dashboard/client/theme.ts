// Light or dark: as the system says, unless somebody chose. What charts paint with is asked from the style sheet.
import { createStore, useStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'custos-theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === window.localStorage.getItem(KEY)) ?? 'system';
  } catch {
    // A browser may forbid it; then nothing is remembered.
    return 'system';
  }
}

const theme = createStore<Theme>(stored());
/** Counts changes of what colours look like, for what must be painted anew. */
const painted = createStore(0);

const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');

function apply(): void {
  const chosen = theme.get();
  document.documentElement.dataset['theme'] = chosen === 'system' ? (systemIsDark.matches ? 'dark' : 'light') : chosen;
  painted.set(painted.get() + 1);
}

export function startTheme(): void {
  apply();
  systemIsDark.addEventListener('change', apply);
}

export const useTheme = (): Theme => useStore(theme);
export const usePainted = (): number => useStore(painted);

/** The next of system, light, dark. */
export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.get()) + 1) % THEMES.length] ?? 'system';
  theme.set(next);
  try {
    if (next === 'system') window.localStorage.removeItem(KEY);
    else window.localStorage.setItem(KEY, next);
  } catch {
    // As above.
  }
  apply();
}

/** A colour of the style sheet as a canvas takes it: `colourOf('--verdict-allow')`. */
export function colourOf(property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const { color } = window.getComputedStyle(probe);
  probe.remove();
  return color;
}
