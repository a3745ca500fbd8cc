// Spans, through the OpenTelemetry API alone. It does nothing until tracing.ts has installed the SDK.
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  trace,
  TraceFlags,
} from '@opentelemetry/api';

/** Instrumentation scope of all spans of this service. */
export const TRACE_SCOPE = 'custos';

/** The context of a valid `traceparent` (W3C Trace Context, level 1, section 3.2); else the empty context. */
export function contextOf(traceparent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent?.split('-') ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`;
}

/**
 * Begins a child of the active span, which is that of a request or a job. Undefined without one, or when its trace is not sampled:
 * the hot path then creates nothing, and looks for the active span in 50 ns.
 */
export function beginSpan(name: string): Span | undefined {
  if (trace.getActiveSpan()?.isRecording() !== true) return undefined;
  return trace.getTracer(TRACE_SCOPE).startSpan(name, undefined, context.active());
}

/** Ends the span when the work is done or has failed. @returns the result of the work, synchronously if it is no promise */
export function endAfter<T>(span: Span | undefined, work: Promise<T>): Promise<T>;
export function endAfter<T>(span: Span | undefined, work: T | Promise<T>): T | Promise<T>;
export function endAfter<T>(span: Span | undefined, work: T | Promise<T>): T | Promise<T> {
  if (span === undefined) return work;
  if (work instanceof Promise) return work.finally(() => span.end());
  span.end();
  return work;
}

/** Ends a span that the work ends itself, unless it fails before. @returns the work */
export function endOnFailure<T>(span: Span | undefined, work: T | Promise<T>): T | Promise<T> {
  if (span !== undefined && work instanceof Promise)
    work.catch(() => {
      if (span.isRecording()) span.end();
    });
  return work;
}

/** A span that a job adds to the trace of the request that created a record. */
export interface RecordSpan {
  readonly name: string;
  /** W3C trace context of the request. */
  readonly traceparent: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Attributes;
}

/** Adds spans to the traces of their requests, linked to the current job. Does nothing when tracing is off. */
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

/** Ids of the active span, for log lines; empty without one. */
export function activeTraceIds(): { traceId?: string; spanId?: string } {
  const active = trace.getActiveSpan()?.spanContext();
  return active === undefined ? {} : { traceId: active.traceId, spanId: active.spanId };
}
