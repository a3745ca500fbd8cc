// A strict parser of the Prometheus text format 0.0.4, independent of the library that writes it. Prometheus accepts all it accepts.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped';
  readonly help: string;
  readonly samples: Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);
/** Suffixes of sample names that a family of each type may have. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

function valueOf(text: string): number {
  if (text === '+Inf') return Infinity;
  if (text === '-Inf') return -Infinity;
  // prom-client writes Nan, such as for the lag of the event loop between two scrapes at once. Prometheus reads any case.
  if (/^nan$/i.test(text)) return Number.NaN;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw new Error(`not a number: ${text}`);
  return Number(text);
}

/** Parses `a="b",c="d"` with escapes. */
function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const match = /^([^=]+)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/.exec(rest);
    const [whole = '', name = '', value = ''] = match ?? [];
    if (match === null || !LABEL.test(name)) throw new Error(`bad labels: ${text}`);
    if (name in labels) throw new Error(`the label ${name} appears twice: ${text}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
    rest = rest.slice(whole.length);
  }
  return labels;
}

function checkHistogram({ name, samples }: Family): void {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const [key, members] of series) {
    const buckets = members.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map((sample) => valueOf(sample.labels['le'] ?? ''));
    const counts = buckets.map((sample) => sample.value);
    const total = members.find((sample) => sample.name === `${name}_count`)?.value;
    const rises = (values: readonly number[]): boolean =>
      values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0));
    if (bounds.at(-1) !== Infinity || !rises(bounds))
      throw new Error(`${name} ${key}: buckets out of order, or none for +Inf`);
    if (!rises(counts) || counts.at(-1) !== total) throw new Error(`${name} ${key}: counts are not cumulative`);
    if (!members.some((sample) => sample.name === `${name}_sum`)) throw new Error(`${name} ${key}: no sum`);
  }
}

/** Parses an exposition. @throws {Error} names the line that violates the format */
export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, Family>();
  const helps = new Map<string, string>();
  const seen = new Set<string>();
  let current: Family | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const [, kind, subject = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (helps.has(subject)) throw new Error(`two HELP lines of ${subject}`);
      helps.set(subject, rest);
      continue;
    }
    if (kind === 'TYPE') {
      if (!NAME.test(subject) || !TYPES.has(rest)) throw new Error(`bad line: ${line}`);
      if (families.has(subject)) throw new Error(`${subject} appears in two places`);
      // Checked one line above.
      current = { name: subject, type: rest as Family['type'], help: helps.get(subject) ?? '', samples: [] };
      families.set(subject, current);
      continue;
    }
    if (line.startsWith('#')) continue;
    const match = /^([^\s{]+)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/.exec(line);
    const [, name = '', labelText = '', value = ''] = match ?? [];
    if (match === null || !NAME.test(name)) throw new Error(`bad line: ${line}`);
    if (current === undefined) throw new Error(`a sample before any TYPE: ${line}`);
    const allowed = (SUFFIXES[current.type] ?? ['']).map((suffix) => `${current?.name}${suffix}`);
    if (!allowed.includes(name)) throw new Error(`${name} is among the samples of ${current.name}`);
    const sample = { name, labels: labelsOf(labelText), value: valueOf(value) };
    const identity = `${name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (seen.has(identity)) throw new Error(`a sample appears twice: ${line}`);
    seen.add(identity);
    current.samples.push(sample);
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family);
  return families;
}
