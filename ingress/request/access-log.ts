// Which requests get a line in the access log. All of them are counted in the metrics.
import type { Config } from '../../shared/platform/config/table.ts';

/** Whether an answer is logged. `durationMs` is without the time that the caller asked to wait. */
export type AccessLogRule = (status: number, durationMs: number) => boolean;

/** The rule of CUSTOS_LOG_REQUESTS: with `slow`, answers with an error status, and those that took CUSTOS_LOG_SLOW_MS or longer. */
export function accessLogRule({ logRequests, logSlowMs }: Pick<Config, 'logRequests' | 'logSlowMs'>): AccessLogRule {
  switch (logRequests) {
    case 'all':
      return () => true;
    case 'off':
      return () => false;
    case 'slow':
      return (status, durationMs) => status >= 400 || durationMs >= logSlowMs;
  }
}
