// Sends traces over OTLP: a span for each request, each job run, and each record that is appended to its log. Off unless an
// endpoint is set. This file creates the only OpenTelemetry provider of the process; no other file uses the SDK.
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
  /** Base address of an OTLP receiver over HTTP, such as http://127.0.0.1:4318, without `/v1/traces`. */
  readonly endpoint: string;
  /** Sampled share of the traces that begin here, 0..1. A caller's trace context brings its own decision. */
  readonly share: number;
  /** `custos-ingress` or `custos-workers`. */
  readonly serviceName: string;
  readonly version: string;
}

/** The span of one request. */
export interface RequestSpan {
  /** W3C trace context for the jobs and records of the request. */
  readonly traceparent: string;
  /** Runs `work` with the span active, so that log lines have its ids. */
  run<T>(work: () => T): T;
  end(status: number, attributes: Attributes): void;
}

export interface Tracing {
  /** @param parent the caller's trace context, with its form already checked */
  request(method: string, route: string, parent: string | undefined): RequestSpan;
  /** For queues and workers. */
  readonly telemetry: Telemetry;
  /** Sends the remaining spans, for at most two seconds. */
  close(): Promise<void>;
}

const SEND_EVERY_MS = 1_000;
const SEND_TIMEOUT_MS = 2_000;

/** Starts sending spans; call it once in a process. Spans that the receiver does not accept are dropped. */
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
      // A receiver that does not answer must not delay the end of the process.
      await provider.shutdown().catch(() => undefined);
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}
