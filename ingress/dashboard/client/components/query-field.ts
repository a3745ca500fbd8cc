// The search field of decisions: active filters as chips that can be removed, and an input that suggests fields and values.
import { FIELD_RULES, formatTerm, parseQuery, QUERY_FIELDS, type QueryTerm, termAtCursor } from '../query.ts';
import { api } from '../api.ts';
import { html, useEffect, useId, useRef, useState, type VNode } from '../html.ts';
import { spelled } from '../format.ts';
import type { Suggestions } from '../wire/decisions.ts';

export interface QueryFieldProps {
  readonly terms: readonly QueryTerm[];
  /** A search in the address that could not be read; it is shown in the input. */
  readonly wrong: string | undefined;
  readonly onChange: (terms: readonly QueryTerm[]) => void;
  /** Called with a decision id instead of `onChange`. */
  readonly onId: (id: string) => void;
}

interface Suggestion {
  /** Replaces the term at the cursor. */
  readonly text: string;
  readonly label: string;
  readonly description?: string;
  /** Whether the term is complete. */
  readonly isWhole: boolean;
}

const SUGGESTED = ['agent', 'reason', 'tool', 'server'] as const;
const DEBOUNCE_MS = 120;

/** The values that the service knows for the field being typed. */
function useKnownValues(field: string | undefined, typed: string): readonly string[] {
  const [known, setKnown] = useState<{ readonly asked: string; readonly values: readonly string[] }>();
  const asked = `${field} ${typed}`;
  useEffect(() => {
    if (!SUGGESTED.some((each) => each === field)) return undefined;
    const abort = new AbortController();
    const timer = window.setTimeout(() => {
      api<Suggestions>('/decisions/suggestions', { query: { field, prefix: typed }, signal: abort.signal }).then(
        ({ values }) => setKnown({ asked, values }),
        // Without suggestions the search still works.
        () => undefined,
      );
    }, DEBOUNCE_MS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [asked]);
  // The values of a shorter prefix stay until the new ones are there.
  return known?.asked.split(' ', 1)[0] === field ? (known?.values ?? []) : [];
}

function suggestionsFor(text: string, cursor: number, known: readonly string[]): Suggestion[] {
  const { field, negated, typed } = termAtCursor(text, cursor);
  const minus = negated ? '-' : '';
  const lower = typed.toLowerCase();
  if (field === undefined)
    return QUERY_FIELDS.filter((name) => name.startsWith(lower)).map((name) => ({
      text: `${minus}${name}:`,
      label: `${name}:`,
      description: FIELD_RULES[name].description,
      isWhole: false,
    }));
  const values = FIELD_RULES[field].values ?? known;
  return values
    .filter((value) => value.toLowerCase().includes(lower))
    .map((value) => ({ text: formatTerm({ field, value, negated }), label: spelled(value), isWhole: true }));
}

const GENERAL_IDS = /^dec_[0-9a-z]{26}$/;

export function QueryField({ terms, wrong, onChange, onId }: QueryFieldProps): VNode {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(wrong ?? '');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [error, setError] = useState<string | undefined>(undefined);
  const cursor = input.current?.selectionStart ?? text.length;
  const at = termAtCursor(text, Math.min(cursor, text.length));
  const known = useKnownValues(isOpen ? at.field : undefined, at.typed);
  const suggestions = isOpen ? suggestionsFor(text, Math.min(cursor, text.length), known) : [];
  const hasList = suggestions.length > 0;

  useEffect(() => {
    const parsed = wrong === undefined ? undefined : parseQuery(wrong);
    setText(wrong ?? '');
    setError(parsed === undefined || parsed.ok ? undefined : parsed.message);
  }, [wrong, terms.map(formatTerm).join(' ')]);

  const commit = (given: string): void => {
    if (GENERAL_IDS.test(given.trim())) return onId(given.trim());
    const parsed = parseQuery(given);
    if (!parsed.ok) return setError(parsed.message);
    setError(undefined);
    setText('');
    setOpen(false);
    setActive(-1);
    onChange([...terms, ...parsed.terms]);
  };
  const take = ({ text: chosen, isWhole }: Suggestion): void => {
    const next = `${text.slice(0, at.start)}${chosen}${text.slice(Math.max(cursor, at.start)).replace(/^\S*/, '')}`;
    setActive(-1);
    if (isWhole) return commit(next);
    setText(next);
    input.current?.focus();
  };
  const remove = (term: QueryTerm): void => {
    onChange(terms.filter((each) => each !== term));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const chosen = suggestions[active];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (hasList)
        setActive((active + step + suggestions.length + (active < 0 && step < 0 ? 1 : 0)) % suggestions.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (chosen !== undefined) take(chosen);
      else if (text.trim() !== '') commit(text);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setOpen(false);
      setActive(-1);
    } else if (event.key === 'Backspace' && text === '' && terms.length > 0) onChange(terms.slice(0, -1));
  };
  const onInput = (event: Event): void => {
    setText((event.currentTarget as HTMLInputElement).value);
    setError(undefined);
    setOpen(true);
    setActive(-1);
  };
  return html`<div class="query-field" role="search">
    <div class="query-box" onClick=${() => input.current?.focus()}>
      <svg class="query-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><circle cx="7" cy="7" r="4.5" /><path d="m10.5 10.5 3.5 3.5" /></svg>
      ${terms.map((term) => html`<${Chip} key=${formatTerm(term)} term=${term} onRemove=${() => remove(term)} />`)}
      <input ref=${input} id=${id} type="text" role="combobox" aria-label="Search decisions" aria-expanded=${hasList} aria-controls=${`${id}-list`} aria-autocomplete="list"
        aria-activedescendant=${active >= 0 && hasList ? `${id}-${active}` : undefined} aria-invalid=${error !== undefined} aria-describedby=${`${id}-error`}
        autocomplete="off" autocapitalize="none" spellcheck=${false} placeholder=${terms.length === 0 ? 'Search, for example agent:deploy-bot verdict:deny reason:TRUST_TOO_LOW' : 'Add a filter'}
        value=${text} onInput=${onInput} onKeyDown=${onKeyDown} onClick=${() => setOpen(true)} onBlur=${() => setOpen(false)} data-search />
      <kbd class="query-key" aria-hidden="true">/</kbd>
    </div>
    <ul id=${`${id}-list`} role="listbox" aria-label="Suggestions" class="query-list" hidden=${!hasList}>${suggestions.map(
      (
        each,
        n,
      ) => html`<li key=${each.text} id=${`${id}-${n}`} role="option" aria-selected=${n === active} class=${n === active ? 'active' : ''}
        onPointerDown=${(event: Event) => event.preventDefault()} onClick=${() => take(each)}><span class="query-value">${each.label}</span>${each.description && html`<span class="muted">${each.description}</span>`}</li>`,
    )}</ul>
    <p id=${`${id}-error`} class="field-error" role="alert">${error}</p>
  </div>`;
}

function Chip({ term, onRemove }: { readonly term: QueryTerm; readonly onRemove: () => void }): VNode {
  const { field, value, negated } = term;
  const words = formatTerm(term);
  return html`<span class=${negated ? 'chip chip-not' : 'chip'} title=${spelled(words)}>
    ${negated && html`<span class="chip-field">not</span>`}${field !== 'text' && html`<span class="chip-field">${field}</span>`}<bdi class="chip-value">${spelled(field === 'verdict' ? value.toLowerCase() : value)}</bdi>
    <button type="button" class="chip-remove" aria-label=${`Remove the filter ${spelled(words)}`} onClick=${onRemove}>✕</button>
  </span>`;
}
