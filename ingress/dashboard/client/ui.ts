// Re-exports the components for the pages.
export { Badge, Status, Trust, tierName, Verdict } from './components/badge.ts';
export { Bars } from './components/chart.ts';
export { Field, Segments } from './components/form.ts';
export { Download } from './components/download.ts';
export { Confirm, Dialog, FormActions } from './components/dialog.ts';
export { Card, KeyValue, Notice, PageHead, Stat, Stats, type Tone } from './components/layout.ts';
export { Empty, ErrorState, FormError, Loading, WhenLoaded } from './components/states.ts';
export { type Column, type FilterField, Filters, List, Table } from './components/table.ts';
export { SecretCard } from './components/secret.ts';
export { LookUp } from './components/look-up.ts';
export { Name } from './components/name.ts';
export { Peek } from './components/peek.ts';
export {
  TOOL_STATES,
  ToolCall,
  type ToolCallProps,
  ToolName,
} from './components/tool-call.ts';
export { Copy, Id, JsonView, Said, Time, useNow } from './components/text.ts';
