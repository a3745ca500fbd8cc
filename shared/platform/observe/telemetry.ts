// Spans of jobs (bullmq-otel): one for each run, in the trace of the request that caused the job.
import { type Span, SpanKind, type Telemetry } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';

/** Replaces spans of BullMQ's housekeeping (next job, stalled jobs, batches): several a second without use. */
const SILENT: Span = {
  setSpanOnContext: (ctx) => ctx,
  setAttribute: () => undefined,
  setAttributes: () => undefined,
  addEvent: () => undefined,
  recordException: () => undefined,
  end: () => undefined,
};

/** BullMQ's telemetry without its housekeeping spans. Needs the provider that tracing.ts installs. */
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
