// Metrics of the second reader.
import { Counter, Histogram, type Registry } from 'prom-client';
import { SECOND_READINGS, type SecondReading } from '../../kernel/vocabulary.ts';

export interface ReaderMetrics {
  /** @param seconds of a question that was sent; undefined for a cached answer, and when the endpoint is left alone */
  count(outcome: SecondReading, seconds?: number): void;
}

export function createReaderMetrics(registry: Registry): ReaderMetrics {
  const texts = new Counter({
    name: 'custos_second_readings_total',
    help: 'Texts for which the second reader was asked, by outcome: agreed, raised or away',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'custos_second_reader_seconds',
    help: 'Time until the endpoint of the second reader answered or failed; cached answers are not counted',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  for (const outcome of SECOND_READINGS) texts.inc({ outcome }, 0);
  return {
    count(outcome, time) {
      texts.inc({ outcome });
      if (time !== undefined) seconds.observe(time);
    },
  };
}
