// The mark of the project.
import { html, type VNode } from '../html.ts';

/** An eye that is a keyhole. */
export function Mark(): VNode {
  return html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><path d="M2 12c2.7-4.7 6-7 10-7s7.3 2.3 10 7c-2.7 4.7-6 7-10 7S4.7 16.7 2 12Z" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linejoin="round" /><circle cx="12" cy="11" r="2.6" fill="currentColor" /><path d="M11.1 12.5h1.8l.7 3.500h-3.200z" fill="currentColor" /></svg>`;
}
