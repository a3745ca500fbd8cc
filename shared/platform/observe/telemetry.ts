// Spans of jobs, by bullmq-otel: one for each run of a job, within the trace of the request that caused it.
import { type Span, SpanKind, type Telemetry } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';

/** Asking for the next job, looking for stalled ones, handing over a batch: several a second that nobody looks for. */
const SILENT: Span = {
  setSpanOnContext: (ctx) => ctx,
  setAttribute: () => undefined,
  setAttributes: () => undefined,
  addEvent: () => undefined,
  recordException: () => undefined,
  end: () => undefined,
};

/** BullMQ's telemetry without the spans of its own housekeeping. Needs the process's provider (shared/platform/observe/tracing.ts). */
export function createJobTelemetry(tracerName: string, version: string): Telemetry {
  const inner = new BullMQOtel({ tracerName, version });
  return {
    contextManager: inner.contextManager,
    tracer: {
      startSpan: (name, options, ctx) =>
        options?.kind === SpanKind.CONSUMER ? inner.tracer.startSpan(name, options, ctx) : SILENT,
    },
  };
}

/**
 * What BullMQ keeps with a job so that its run, and each further attempt, continues this trace. Whatever span is active where
 * the job is added, in the relay say, is not its cause: a single `add` would put that in place of ours.
 */
export function telemetryOf(traceparent: string | undefined): {
  telemetry: { metadata?: string; omitContext: true };
} {
  return {
    telemetry: {
      omitContext: true,
      ...(traceparent === undefined ? {} : { metadata: JSON.stringify({ traceparent }) }),
    },
  };
}
