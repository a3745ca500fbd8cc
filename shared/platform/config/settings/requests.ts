// Settings of requests and their outcomes: TLS, limits, trust, approvals, webhooks, the second reader.
import { DEFAULT_DAILY_CAP } from '../../../core/trust/beta.ts';
import { RATE_LIMIT_TABLE } from '../../../kernel/vocabulary.ts';
import {
  bearerToken,
  filePath,
  integer,
  modelName,
  onOff,
  readAddressRanges,
  readRateLimits,
  readTrustProxy,
  secondsAsMs,
  secretAddress,
  word,
} from '../forms.ts';
import type { Setting } from '../setting.ts';

export const REQUEST_SETTINGS = {
  tlsCertFile: {
    name: 'CUSTOS_TLS_CERT',
    unit: 'file',
    description:
      'certificate chain (PEM); with CUSTOS_TLS_KEY ingress serves HTTPS. A renewed one is used within 10 s, without a restart',
    read: filePath,
  },
  tlsKeyFile: {
    name: 'CUSTOS_TLS_KEY',
    unit: 'file',
    description: 'private key (PEM) of CUSTOS_TLS_CERT',
    read: filePath,
  },
  trustProxy: {
    name: 'CUSTOS_TRUST_PROXY',
    unit: 'number of proxies, or addresses',
    description:
      'proxies in front whose X-Forwarded-* headers are trusted: 1, or 10.0.0.0/8,192.168.1.7, or uniquelocal',
    read: readTrustProxy,
  },
  rateLimit: {
    name: 'CUSTOS_RATE_LIMIT',
    unit: 'on or off',
    fallback: 'on',
    description: 'off only for benchmarks',
    read: onOff,
  },
  rateLimits: {
    name: 'CUSTOS_RATE_LIMITS',
    unit: 'tier=perSecond/perMinute, ...',
    fallback: RATE_LIMIT_TABLE.map((entry) => `${entry.tier}=${entry.perSecond}/${entry.perMinute}`).join(','),
    description: 'requests per second and per minute by tier; other tiers keep their defaults',
    read: readRateLimits,
  },
  metrics: {
    name: 'CUSTOS_METRICS',
    unit: 'public or private',
    description:
      "private: /metrics, which names organisations, needs a live admin:* key of the operator's organisation. Absent: public while HOST is a loopback address and CUSTOS_TRUST_PROXY is absent, else private",
    read: word('public', 'private'),
  },
  queueAdmin: {
    name: 'CUSTOS_QUEUE_ADMIN',
    unit: 'on or off',
    fallback: 'off',
    description:
      "on: operators may pause queues and retry, change or remove jobs on the dashboard's board, and each change is recorded; off: the board is read-only",
    read: onOff,
  },
  trustDailyCap: {
    name: 'CUSTOS_TRUST_DAILY_CAP',
    unit: 'thousandths of a full success',
    fallback: String(DEFAULT_DAILY_CAP),
    description:
      'positive evidence that counts per key and agent in one UTC day; more has no effect. A different value also changes past scores, and must be the same for every process',
    read: integer(0, 1_000_000_000),
  },
  approvalTtlMs: {
    name: 'CUSTOS_APPROVAL_TTL',
    unit: 'seconds',
    fallback: '3600',
    description: 'time within which an approval must be decided and used before it expires',
    read: secondsAsMs(10, 604_800),
  },
  webhookAllowPrivate: {
    name: 'CUSTOS_WEBHOOK_ALLOW_PRIVATE',
    unit: 'off, on or addresses',
    fallback: 'off',
    description:
      'private addresses that webhooks may be sent to, such as 10.0.0.0/8,127.0.0.1; on: all. Live endpoints may use plain http there only',
    read: readAddressRanges,
  },
  readerUrl: {
    name: 'CUSTOS_READER_URL',
    unit: 'https:// address',
    description:
      'chat completions endpoint (OpenAI-compatible) that reads a second time what the rules would permit; texts of intents are sent to it. Absent: off. The same for ingress and workers',
    read: secretAddress,
  },
  readerModel: {
    name: 'CUSTOS_READER_MODEL',
    unit: 'name',
    description: 'model that CUSTOS_READER_URL is asked for',
    read: modelName,
  },
  readerKey: {
    name: 'CUSTOS_READER_KEY',
    unit: 'secret',
    description: 'API key for CUSTOS_READER_URL, sent as a bearer token; absent: none is sent',
    secret: true,
    read: bearerToken,
  },
  readerTimeoutMs: {
    name: 'CUSTOS_READER_TIMEOUT_MS',
    unit: 'milliseconds',
    fallback: '2000',
    description: 'time within which the second reader must answer',
    read: integer(100, 10_000),
  },
} as const satisfies Record<string, Setting>;
