// The text that `custos start` prints when the service is ready: addresses, the admin key, and requests to try.
import { shellQuote } from '../shared/kernel/shell-quote.ts';

export interface BannerOptions {
  /** Base address of ingress. */
  readonly address: string;
  /** Base address of each process, for its metrics. */
  readonly metricsAddresses: readonly string[];
  /** The admin key, when this start created it. */
  readonly newKey: string | undefined;
  /** File that holds the admin key, when there is one. */
  readonly keyFile: string | undefined;
  /** Folder of the embedded database; undefined with DATABASE_URL. */
  readonly dataDir: string | undefined;
  readonly policyDir: string;
  /** Milliseconds since the command was typed. */
  readonly tookMs: number;
}

/** The requests work when they are pasted into a shell on the same machine. */
export function bannerLines(options: BannerOptions): string[] {
  const { address, metricsAddresses, newKey, keyFile, dataDir, policyDir, tookMs } = options;
  // Read from the file, because a key in a command would stay in the shell's history.
  const key = keyFile === undefined ? (newKey ?? '$CUSTOS_KEY') : `$(cat ${shellQuote(keyFile)})`;
  const post = (path: string, body: object): string =>
    `  curl -s ${address}${path} -H "X-API-Key: ${key}" -H 'Content-Type: application/json' -d ${shellQuote(JSON.stringify(body))}`;
  return [
    '',
    `Custos is ready after ${(tookMs / 1_000).toFixed(1)} s.`,
    '',
    `  Address     ${address}`,
    `  Dashboard   ${address}/dashboard`,
    `  Reference   ${address}/docs`,
    ...metricsAddresses.map((own, index) => `  ${index === 0 ? 'Metrics  ' : '         '}   ${own}/metrics`),
    ...(dataDir === undefined ? [] : [`  Data        ${dataDir}`]),
    `  Policies    ${policyDir}`,
    ...keyLines(newKey, keyFile),
    '',
    'Try it:',
    '',
    `  curl -s ${address}/v1/reference/tiers`,
    post('/v1/intent', { agent_id: 'demo', raw_intent: 'Read user profile data', trust_score: 500 }),
    post('/v1/enforce', { intent: 'data.read.user_profile', agent_id: 'demo', trust_level: 3 }),
    `  npx custos demo --url ${address}`,
    '',
    'Ctrl-C stops it.',
    '',
  ];
}

function keyLines(newKey: string | undefined, keyFile: string | undefined): string[] {
  const kept = keyFile === undefined ? '' : `kept in ${keyFile}`;
  if (newKey !== undefined)
    return [
      `  Admin key   ${newKey}`,
      `              ${kept === '' ? 'shown only once: keep it safe' : `shown only once, and ${kept}`}`,
    ];
  return kept === '' ? [] : [`  Admin key   ${kept}`];
}
