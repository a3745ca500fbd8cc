// A tool call that was given on the command line, checked as POST /v1/enforce checks it, and read by the catalogues of a set.
import { ToolCallSchema } from '../../shared/api/tool.ts';
import { type Asking, createReadings, type IntentReading } from '../../shared/domain/decisions/readings.ts';
import { isNoise, problemOf, withoutEchoes } from '../../shared/core/policy/schema-problems.ts';
import type { ToolCall } from '../../shared/core/tools/call.ts';
import { compileSchema } from '../../shared/kernel/compile-schema.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { UsageError } from '../exit.ts';

const validator = compileSchema<ToolCall>(ToolCallSchema);

/** @param option its name in errors @throws {UsageError} */
export function toolCallOf(value: unknown, option: string): ToolCall {
  const validate = validator();
  if (validate(value)) return value;
  const errors = withoutEchoes((validate.errors ?? []).filter((error) => !isNoise(error)));
  const problems = errors.map((error) => problemOf(value, error));
  const why = problems.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; ');
  throw new UsageError(`${option} is no tool call: ${why}${why.endsWith('?') ? '' : '.'}`);
}

/** @throws {UsageError} for arguments beyond the limits */
export function readingOfCall(call: ToolCall, asking: Asking, option: string): IntentReading {
  try {
    return createReadings().ofTool(asking, call, '');
  } catch (error) {
    if (!(error instanceof ApiError) || error.errors === undefined) throw error;
    throw new UsageError(
      `${option} ${error.errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')}.`,
    );
  }
}
