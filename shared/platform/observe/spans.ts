// Spans as the rest of the code sees them: OpenTelemetry's interface alone, which does nothing until shared/platform/observe/tracing.ts is started.
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  trace,
  TraceFlags,
} from '@opentelemetry/api';

/** The instrumentation scope of all our spans. */
export const TRACE_SCOPE = 'custos';

/** The context that a valid `traceparent` stands for; the empty one without it (W3C Trace Context, level 1, section 3.2). */
export function contextOf(traceparent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent?.split('-') ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`;
}

/** What happened to one record of a request: a span of that request's trace, seen from the job that did it. */
export interface RecordSpan {
  readonly name: string;
  /** W3C trace context of the request. */
  readonly traceparent: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Attributes;
}

/** Adds spans to the traces of the requests that they belong to, linked to the job that runs now. Nothing when tracing is off. */
export function addRecordSpans(spans: readonly RecordSpan[]): void {
  if (spans.length === 0) return;
  const tracer = trace.getTracer(TRACE_SCOPE);
  const job = trace.getActiveSpan()?.spanContext();
  for (const { name, traceparent, startedAtMs, endedAtMs, attributes } of spans) {
    const span = tracer.startSpan(
      name,
      { startTime: startedAtMs, attributes, links: job === undefined ? [] : [{ context: job }] },
      contextOf(traceparent),
    );
    span.end(endedAtMs);
  }
}

/** The ids of the span that is active now, for log lines; nothing outside of one. */
export function activeTraceIds(): { traceId?: string; spanId?: string } {
  const active = trace.getActiveSpan()?.spanContext();
  return active === undefined ? {} : { traceId: active.traceId, spanId: active.spanId };
}
