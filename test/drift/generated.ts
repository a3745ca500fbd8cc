// The generated files of the repository. The code is the source of truth; the files are copies for readers.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createApp } from '../../ingress/app.ts';
import { compact } from '../../ingress/openapi/compact.ts';
import { businessRoutes } from '../../ingress/routes/all.ts';
import { publishedLexiconSchema } from '../../shared/core/intent/lexicon/schema.ts';
import { createMetrics } from '../../shared/platform/observe/metrics.ts';
import { policySchemaText } from '../../shared/core/policy/schema-editors.ts';
import { policyTestSchemaText } from '../../shared/core/policy/testing/schema.ts';
import { attributesSchemaText } from '../../shared/core/attributes/schema.ts';
import { termsSchemaText } from '../../shared/core/policy/terms-schema.ts';
import { resourceSchemaText } from '../../shared/core/resources/schema.ts';
import { authzenSchemaText } from '../../shared/core/authzen/schema.ts';
import { toolsSchemaText } from '../../shared/core/tools/schema.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { commandLineText } from './command-line.ts';
import { callsText, canonicalText, definitionsText, receiptsText } from './conformance/files.ts';
import { goTypesText } from './go-types.ts';
import { type ApiDocument, clientDocument, clientTypesText, memberTableText } from './typescript-client.ts';
import { pythonModules } from './python/resources.ts';
import type { ApiDocument as PythonSource } from './python/schema.ts';
import { drawHouse, importsOfRooms, withDrawing } from './house.ts';

export interface GeneratedFile {
  /** Path below the root of the repository. */
  readonly file: string;
  /** The full content, generated from the current code. */
  readonly content: () => string | Promise<string>;
}

/** The OpenAPI document, with the parts in place that `GET /openapi.json` shares. */
export function openApiDocument() {
  const root = findRoot();
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  // Describing routes does not use the dependencies of their handlers.
  const unused = {} as never;
  const { document } = createApp({
    routes: businessRoutes(unused),
    authenticate: unused,
    limiter: unused,
    idempotency: unused,
    logger: unused,
    metrics: createMetrics({ processMetrics: false }),
    clock: unused,
    isStopping: () => false,
    isLogged: () => false,
    waits: unused,
    readiness: [],
    halted: async () => [],
    config: { version, schemaDir: path.join(root, 'policies', 'schema') },
  });
  return document();
}

function openApiText(): string {
  return `${JSON.stringify(compact(openApiDocument()), null, 2)}\n`;
}

type PythonModule = keyof ReturnType<typeof pythonModules>;

function pythonModule(name: PythonModule): GeneratedFile {
  // The document is JSON data, whose type is that of the generator's input as far as it reads it.
  const content = (): string => pythonModules(openApiDocument() as unknown as PythonSource)[name];
  return { file: `clients/python/custos_client/${name}.py`, content };
}

function architectureText(): string {
  const root = findRoot();
  return withDrawing(readFileSync(path.join(root, 'docs', 'ARCHITECTURE.md'), 'utf8'), drawHouse(importsOfRooms(root)));
}

// The generator reads a few members of the document, which the type of the service does not name.
const forClient = (): ApiDocument => clientDocument(openApiDocument() as unknown as ApiDocument);

export const GENERATED_FILES: readonly GeneratedFile[] = [
  { file: 'docs/openapi.json', content: openApiText },
  { file: 'clients/go/types.go', content: () => goTypesText(openApiDocument()) },
  { file: 'clients/typescript/src/generated/members.ts', content: () => memberTableText(forClient()) },
  { file: 'clients/typescript/src/generated/api.ts', content: () => clientTypesText(forClient()) },
  ...(['models', 'operations', 'resources', 'async_resources'] as const).map(pythonModule),
  { file: 'docs/ARCHITECTURE.md', content: architectureText },
  { file: 'docs/command-line.md', content: commandLineText },
  { file: 'policies/schema/policy.schema.json', content: policySchemaText },
  { file: 'policies/schema/policy-test.schema.json', content: policyTestSchemaText },
  { file: 'policies/schema/tools.schema.json', content: toolsSchemaText },
  { file: 'policies/schema/attributes.schema.json', content: attributesSchemaText },
  { file: 'policies/schema/terms.schema.json', content: termsSchemaText },
  { file: 'policies/schema/resource.schema.json', content: resourceSchemaText },
  { file: 'policies/schema/authzen.schema.json', content: authzenSchemaText },
  {
    file: 'policies/schema/lexicon.schema.json',
    content: () => `${JSON.stringify(publishedLexiconSchema(), null, 2)}\n`,
  },
  { file: 'clients/conformance/receipts.json', content: receiptsText },
  { file: 'clients/conformance/canonical.json', content: canonicalText },
  { file: 'clients/conformance/definitions.json', content: definitionsText },
  { file: 'clients/conformance/calls.json', content: callsText },
];
