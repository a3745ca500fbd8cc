// The runner of the conformance cases (clients/conformance/README.md): reads a case per line, runs it, and prints what happened.
import { createInterface } from 'node:readline';
import {
  Custos,
  definitionDigest,
  type ToolDefinition,
  type TrustedKeys,
  verifyChain,
  verifyPromise,
  verifyReceipt,
} from '../src/index.ts';
import { canonicalText } from '../src/json.ts';
import { parseJson } from '../src/json-text.ts';
import { SYSTEM_RUNTIME } from '../src/runtime.ts';
import { type Arguments, callResource } from './conformance-calls.ts';
import { describeError } from './conformance-errors.ts';
import { callGuarded } from './conformance-guard.ts';

interface Step {
  readonly call: string;
  readonly arguments?: Arguments;
  /** Of this step alone; absent: that of the case. */
  readonly key?: string;
  readonly cancelAfterMs?: number;
}

interface Case {
  readonly name: string;
  readonly kind?: string;
  readonly input?: unknown;
  readonly key?: string;
  readonly client?: { readonly timeoutMs?: number; readonly retries?: number; readonly wallClockOffsetHours?: number };
  readonly steps?: readonly Step[];
}

interface Line {
  readonly id: string;
  readonly kind: string;
  readonly keys?: TrustedKeys;
  readonly url?: string;
  readonly key?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly case: Case;
}

async function verify({ kind, input }: Case, keys: TrustedKeys): Promise<object> {
  if (kind === 'promise') return verifyPromise(input, keys);
  if (kind !== 'chain') return verifyReceipt(input, keys);
  const result = await verifyChain(input as unknown[], keys);
  if (!result.ok) return result;
  return { ok: true, proofIds: result.receipts.map(({ proofId }) => proofId), fromStart: result.isFromStart };
}

function canonicalize(input: unknown): string | null {
  try {
    return canonicalText(parseJson(String(input)));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function digestOf(input: unknown): string | null {
  try {
    // As any JavaScript value: `definitionDigest` refuses what is no JSON.
    return definitionDigest(parseJson(String(input)) as ToolDefinition);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

/** Fills in `${env.NAME}` and `${steps.0.result.member}`. */
function filled(value: unknown, scope: object): unknown {
  if (Array.isArray(value)) return value.map((element) => filled(element, scope));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, scope)]));
  if (typeof value !== 'string') return value;
  const lookUp = (path: string): unknown =>
    path.split('.').reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], scope);
  const [, whole] = /^\$\{([^}]+)\}$/.exec(value) ?? [];
  if (whole !== undefined) return lookUp(whole);
  return value.replaceAll(/\$\{([^}]+)\}/g, (_, path: string) => String(lookUp(path)));
}

interface StepResult {
  readonly result?: unknown;
  readonly error?: unknown;
  readonly ran?: number;
  readonly elapsedMs: number;
}

async function runStep(custos: Custos, { call, cancelAfterMs }: Step, args: Arguments): Promise<StepResult> {
  const controller = new AbortController();
  const timer = cancelAfterMs === undefined ? undefined : setTimeout(() => controller.abort(), cancelAfterMs);
  const { signal } = controller;
  const startedMs = performance.now();
  let runs = 0;
  const outcome = async (): Promise<Pick<StepResult, 'result' | 'error'>> => {
    try {
      const result =
        call === 'guard'
          ? await callGuarded(custos, args, signal, () => (runs += 1))
          : await callResource(custos, call, args, { signal });
      const failed = call === 'verifyReceipt' ? (result as { ok: boolean; failure?: string }) : { ok: true };
      return failed.ok ? { result: result ?? null } : { error: { type: 'receipt', failure: failed.failure } };
    } catch (error) {
      const described = describeError(error);
      if (described === undefined) throw error;
      return { error: described };
    }
  };
  const end = await outcome();
  clearTimeout(timer);
  return { ...end, ...(call === 'guard' ? { ran: runs } : {}), elapsedMs: Math.round(performance.now() - startedMs) };
}

async function runCalls({ url, key, env = {}, case: conformanceCase }: Line): Promise<object> {
  const { timeoutMs, retries, wallClockOffsetHours = 0 } = conformanceCase.client ?? {};
  const runtime = { ...SYSTEM_RUNTIME, wallMs: () => Date.now() + wallClockOffsetHours * 3_600_000 };
  const clientWith = (own: unknown): Custos => new Custos({ url, key: String(own), timeoutMs, retries, runtime });
  const custos = clientWith(filled(conformanceCase.key ?? key, { env }));
  const steps: StepResult[] = [];
  for (const step of conformanceCase.steps ?? []) {
    const args = filled(step.arguments ?? {}, { env, steps }) as Arguments;
    const client = step.key === undefined ? custos : clientWith(filled(step.key, { env, steps }));
    steps.push(await runStep(client, step, args));
  }
  await custos.close();
  return { steps };
}

async function runLine(line: Line): Promise<object> {
  switch (line.kind) {
    case 'verify':
      return verify(line.case, line.keys ?? []);
    case 'canonical':
      return { canonical: canonicalize(line.case.input) };
    case 'definition':
      return { digest: digestOf(line.case.input) };
    case 'calls':
      return runCalls(line);
    default:
      throw new Error(`unknown kind ${line.kind}`);
  }
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text) as Line;
  const { id } = line;
  const { name } = line.case;
  void runLine(line).then(
    (result) => console.log(JSON.stringify({ id, name, ...result })),
    (error: unknown) => console.log(JSON.stringify({ id, name, crashed: String(error) })),
  );
}
