// The time range of the list of decisions: presets that end now, all, or a range of one's own.
import { html, useId, useState, type VNode } from '../html.ts';
import { timeZone } from '../format.ts';
import { RANGES, type RangeName } from './decisions-view.ts';

export interface RangeValue {
  readonly range: RangeName | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface RangePickerProps extends RangeValue {
  readonly onChange: (range: RangeValue) => void;
}

const NO_RANGE: RangeValue = { range: undefined, from: undefined, to: undefined };

export function RangePicker({ range, from, to, onChange }: RangePickerProps): VNode {
  const isOwn = from !== undefined || to !== undefined;
  const [isOpen, setOpen] = useState(false);
  const choose = (value: RangeValue): void => {
    setOpen(false);
    onChange(value);
  };
  const button = (text: string, isCurrent: boolean, onClick: () => void): VNode =>
    html`<button type="button" class="segment" aria-pressed=${isCurrent} onClick=${onClick}>${text}</button>`;
  return html`<div class="range">
    <div class="segments" role="group" aria-label="Time range">
      ${RANGES.map(({ name, text }) => button(text, name === range, () => choose({ ...NO_RANGE, range: name })))}
      ${button('All', range === undefined && !isOwn, () => choose(NO_RANGE))}
      <button type="button" class="segment" aria-pressed=${isOwn} aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>Custom…</button>
    </div>
    ${isOpen && html`<${OwnRange} key=${`${from} ${to}`} from=${from} to=${to} onChange=${(own: Pick<RangeValue, 'from' | 'to'>) => choose({ ...NO_RANGE, ...own })} onClose=${() => setOpen(false)} />`}
  </div>`;
}

interface OwnRangeProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onChange: (own: Pick<RangeValue, 'from' | 'to'>) => void;
  readonly onClose: () => void;
}

function OwnRange({ from, to, onChange, onClose }: OwnRangeProps): VNode {
  const [typed, setTyped] = useState({ from: localOf(from), to: localOf(to) });
  const zone = timeZone(new Date());
  const submit = (event: Event): void => {
    event.preventDefault();
    onChange({ from: instantOf(typed.from), to: instantOf(typed.to) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
  };
  const field = (name: 'from' | 'to', label: string): VNode =>
    html`<${Moment} label=${`${label} (${zone})`} value=${typed[name]} onInput=${(value: string) => setTyped({ ...typed, [name]: value })} />`;
  return html`<form class="range-own" onSubmit=${submit} onKeyDown=${onKeyDown}>${field('from', 'From')}${field('to', 'Before')}<button type="submit" class="button button-primary">Apply</button></form>`;
}

function Moment({
  label,
  value,
  onInput,
}: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}): VNode {
  const id = useId();
  return html`<div class="field"><label for=${id}>${label}</label><input id=${id} type="datetime-local" step="1" max="9999-12-31T23:59:59" value=${value} onInput=${(event: Event) => onInput((event.currentTarget as HTMLInputElement).value)} /></div>`;
}

/** The value of a `datetime-local` input: local time without a zone. */
function localOf(instant: string | undefined): string {
  const ms = instant === undefined ? Number.NaN : Date.parse(instant);
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function instantOf(local: string): string | undefined {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
