// The files of the repository that are made from the code: the code is the truth, the file is for those who read files.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createApp } from '../../ingress/app.ts';
import { businessRoutes } from '../../ingress/routes/all.ts';
import { LexiconSchema } from '../../shared/intent/lexicon-schema.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { policySchemaText } from '../../shared/policy/schema.ts';
import { policyTestSchemaText } from '../../shared/policy/testing/schema.ts';
import { findRoot } from '../../shared/root.ts';

export interface GeneratedFile {
  /** Path below the root of the repository. */
  readonly file: string;
  /** The whole content that the code gives now. */
  readonly content: () => string | Promise<string>;
}

/** The description of the whole interface, as `GET /openapi.json` gives it. */
function openApiText(): string {
  const root = findRoot();
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  // Describing routes uses nothing of what their handlers need.
  const unused = {} as never;
  const { document } = createApp({
    routes: businessRoutes(unused),
    authenticate: unused,
    limiter: unused,
    idempotency: unused,
    log: unused,
    metrics: createMetrics({ processMetrics: false }),
    clock: unused,
    isStopping: () => false,
    readiness: [],
    config: { version, schemaDir: path.join(root, 'policies', 'schema') },
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

export const GENERATED_FILES: readonly GeneratedFile[] = [
  { file: 'docs/openapi.json', content: openApiText },
  { file: 'policies/schema/policy.schema.json', content: policySchemaText },
  { file: 'policies/schema/policy-test.schema.json', content: policyTestSchemaText },
  { file: 'policies/schema/lexicon.schema.json', content: () => `${JSON.stringify(LexiconSchema, null, 2)}\n` },
];
