// Settings of names, logging, traces and the stop.
import { connectionString, hostName, integer, publicAddress, secondsAsMs, share, word } from '../forms.ts';
import type { Setting } from '../setting.ts';

export const OPERATION_SETTINGS = {
  logHost: {
    name: 'CUSTOS_LOG_HOST',
    unit: 'host name',
    fallback: 'custos.local',
    description: "first part of the logs' origins; cannot change once a log exists",
    read: hostName,
  },
  publicUrl: {
    name: 'CUSTOS_PUBLIC_URL',
    unit: 'https:// address',
    description:
      'address by which clients reach ingress, without a slash at its end; needed for /.well-known/authzen-configuration',
    read: publicAddress,
  },
  logLevel: {
    name: 'CUSTOS_LOG_LEVEL',
    unit: 'level',
    fallback: 'info',
    description: 'lowest level that is logged: trace, debug, info, warn, error, fatal or silent',
    read: word('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  logRequests: {
    name: 'CUSTOS_LOG_REQUESTS',
    unit: 'all, slow or off',
    fallback: 'slow',
    description:
      'requests that get a log line: all, only slow ones (CUSTOS_LOG_SLOW_MS) and those answered with a status of 400 or above, or none. Metrics count all of them',
    read: word('all', 'slow', 'off'),
  },
  logSlowMs: {
    name: 'CUSTOS_LOG_SLOW_MS',
    unit: 'milliseconds',
    fallback: '1000',
    description: 'time from which a request is slow',
    read: integer(1, 60_000),
  },
  traceEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    unit: 'http:// address',
    description: 'receiver of traces (OTLP over HTTP), such as http://127.0.0.1:4318; absent: tracing is off',
    read: connectionString('http', 'https'),
  },
  traceShare: {
    name: 'CUSTOS_TRACE_SHARE',
    unit: 'share, 0 to 1',
    fallback: '1',
    description:
      'sampled share of the traces that begin here; a caller that sends a traceparent decides for its own traces',
    read: share,
  },
  workersPort: {
    name: 'CUSTOS_WORKERS_PORT',
    unit: 'TCP port',
    description:
      'port of the health pages and metrics of a worker process, on the address of HOST; of several that "custos start" runs, the first one. 0 chooses a free port. Absent: 3001, or a free port when another process has it',
    read: integer(0, 65_535),
  },
  shutdownTimeoutMs: {
    name: 'CUSTOS_SHUTDOWN_TIMEOUT',
    unit: 'seconds',
    fallback: '25',
    description: 'time that running requests and jobs have to finish when a process is stopped',
    read: secondsAsMs(1, 600),
  },
} as const satisfies Record<string, Setting>;
