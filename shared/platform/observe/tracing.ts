// Traces over OTLP: one span for each request, one for each job, one for each record that reaches its log. Off unless an
// endpoint is set; then the process's only OpenTelemetry provider is made here, and nothing else knows the SDK.
import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Telemetry } from 'bullmq';
import { createJobTelemetry } from './telemetry.ts';
import { contextOf, TRACE_SCOPE, traceparentOf } from './spans.ts';

export interface TracingOptions {
  /** Base address of an OTLP receiver over HTTP, such as http://127.0.0.1:4318; `/v1/traces` is added to it. */
  readonly endpoint: string;
  /** Share of the traces that begin here, 0..1; a caller that sent a trace context has decided for its own. */
  readonly share: number;
  /** `custos-ingress` or `custos-workers`. */
  readonly serviceName: string;
  readonly version: string;
}

/** The span of one request. */
export interface RequestSpan {
  /** W3C trace context for what the request causes: jobs, records. */
  readonly traceparent: string;
  /** Runs `work` and all that it causes within the span, so that log lines carry its ids. */
  run<T>(work: () => T): T;
  end(status: number, attributes: Attributes): void;
}

export interface Tracing {
  /** @param parent the caller's trace context, already checked for its form */
  request(method: string, route: string, parent: string | undefined): RequestSpan;
  /** For queues and workers. */
  readonly telemetry: Telemetry;
  /** Sends what is left, for at most two seconds. */
  close(): Promise<void>;
}

/** How late a span may be at the receiver, and how long the end of a process waits for it. */
const SEND_EVERY_MS = 1_000;
const SEND_TIMEOUT_MS = 2_000;

/** Starts sending spans; once in a process. What the receiver refuses or does not take is dropped, never waited for. */
export function startTracing({ endpoint, share, serviceName, version }: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_TIMEOUT_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  const tracer = provider.getTracer(TRACE_SCOPE, version);

  return {
    request(method, route, parent) {
      const span = tracer.startSpan(
        `${method} ${route}`,
        { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'http.route': route } },
        contextOf(parent),
      );
      const within = trace.setSpan(ROOT_CONTEXT, span);
      return {
        traceparent: traceparentOf(span),
        run: (work) => context.with(within, work),
        end(status, attributes) {
          span.setAttributes({ 'http.response.status_code': status, ...attributes });
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    telemetry: createJobTelemetry(TRACE_SCOPE, version),
    async close() {
      // A receiver that does not answer must not hold up the end of the process.
      await provider.shutdown().catch(() => undefined);
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}
