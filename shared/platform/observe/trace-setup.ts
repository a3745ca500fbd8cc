// Starts tracing if it is configured. The OpenTelemetry SDK is loaded only then, because it is large.
import { readVersion } from '../config/root.ts';
import type { Config } from '../config/table.ts';
import type { Tracing } from './tracing.ts';

/** Starts tracing when OTEL_EXPORTER_OTLP_ENDPOINT is set. Close it last, after everything that makes spans. */
export async function traceAs(
  serviceName: 'custos-ingress' | 'custos-workers',
  { traceEndpoint, traceShare }: Pick<Config, 'traceEndpoint' | 'traceShare'>,
  root: string,
): Promise<Tracing | undefined> {
  if (traceEndpoint === undefined) return undefined;
  const { startTracing } = await import('./tracing.ts');
  return startTracing({ endpoint: traceEndpoint, share: traceShare, serviceName, version: readVersion(root) });
}
