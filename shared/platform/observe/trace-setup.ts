// Whether this process traces: the SDK is loaded only when a receiver is set, because it is large.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import type { Tracing } from './tracing.ts';

/** Starts tracing when OTEL_EXPORTER_OTLP_ENDPOINT is set; to be closed as the last thing of the process. */
export async function traceAs(
  serviceName: 'custos-ingress' | 'custos-workers',
  { traceEndpoint, traceShare }: Pick<Config, 'traceEndpoint' | 'traceShare'>,
  root: string,
): Promise<Tracing | undefined> {
  if (traceEndpoint === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const { startTracing } = await import('./tracing.ts');
  return startTracing({ endpoint: traceEndpoint, share: traceShare, serviceName, version });
}
