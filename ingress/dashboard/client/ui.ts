// Everything that pages are built from, under one name.
export { Badge, Status, Trust, tierName, Verdict } from './components/badge.ts';
export { Bars, Chart, type Series } from './components/chart.ts';
export { Confirm, Dialog } from './components/dialog.ts';
export { Card, KeyValue, Notice, PageHead, Stat, Stats, type Tone } from './components/layout.ts';
export { Empty, ErrorState, FormError, Loading, WhenLoaded } from './components/states.ts';
export { type Column, type FilterField, Filters, List, Table } from './components/table.ts';
export { Copy, Id, JsonView, Time } from './components/text.ts';
