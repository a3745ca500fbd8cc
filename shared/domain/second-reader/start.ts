// Creates the second reader of a process from its settings.
import type { Registry } from 'prom-client';
import type { Config } from '../../platform/config/table.ts';
import type { Logger } from '../../platform/observe/logger.ts';
import { createReaderMetrics } from './metrics.ts';
import { createSecondReader, type SecondReader } from './reader.ts';

export interface SecondReaderSettings {
  readonly config: Pick<Config, 'readerUrl' | 'readerModel' | 'readerKey' | 'readerTimeoutMs'>;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly monotonicMs: () => number;
}

/** Undefined when none is configured. */
export function startSecondReader(settings: SecondReaderSettings): SecondReader | undefined {
  const { config, logger, registry, monotonicMs } = settings;
  const { readerUrl: url, readerModel: model, readerKey: key, readerTimeoutMs: timeoutMs } = config;
  if (url === undefined || model === undefined) return undefined;
  return createSecondReader({
    url,
    model,
    key,
    timeoutMs,
    monotonicMs,
    metrics: createReaderMetrics(registry),
    onChange(problem) {
      if (problem === undefined) logger.info('the second reader answers again');
      else logger.warn({ problem }, 'the second reader fails and is left alone for a while');
    },
  });
}
