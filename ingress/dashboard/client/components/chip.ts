// Chips: one active filter each, with a button that removes it.
import { named } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { Icon } from '../icons.ts';

export interface ChipProps {
  readonly label: string;
  readonly value: string;
  readonly onRemove: () => void;
}

export function Chip({ label, value, onRemove }: ChipProps): VNode {
  return html`<span class="filter-chip"><span>${label}</span> <bdi class="filter-chip-value">${named(value)}</bdi><button type="button" class="round-button" aria-label=${`Remove the filter ${label}`} onClick=${onRemove}><${Icon} name="x" size=${12} /></button></span>`;
}
