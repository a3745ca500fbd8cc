// Light or dark theme: the system's, unless chosen here. Charts read their colours from the style sheet.
import { readStored, writeStored } from './storage.ts';
import { createStore, useStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'custos-theme';
/** With their titles. */
export const THEMES: readonly (readonly [value: Theme, title: string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

const themeOf = (name: string | undefined): Theme => THEMES.find(([value]) => value === name)?.[0] ?? 'system';

const theme = createStore<Theme>(themeOf(readStored(KEY)));
/** Counts changes of the colours, after which charts are painted again. */
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

/** @param name of a theme; any other text is `system` */
export function chooseTheme(name: string): void {
  const next = themeOf(name);
  theme.set(next);
  writeStored(KEY, next);
  apply();
}

/** The value of a colour of the style sheet, for a canvas: `colourOf('--verdict-allow')`. */
export function colourOf(property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const { color } = window.getComputedStyle(probe);
  probe.remove();
  return color;
}
