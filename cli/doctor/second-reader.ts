// The check of `custos doctor` that asks the second reader about a harmless text.
import type { Config } from '../../shared/platform/config/table.ts';
import { ask, describeAway } from '../../shared/domain/second-reader/endpoint.ts';
import { HARMLESS, questionBody } from '../../shared/domain/second-reader/question.ts';
import { type Diagnosis, ok, skipped, warning } from './check.ts';

const CHECK = 'second reader';

export async function checkSecondReader(
  config: Pick<Config, 'readerUrl' | 'readerModel' | 'readerKey' | 'readerTimeoutMs'>,
): Promise<Diagnosis[]> {
  const { readerUrl: url, readerModel: model, readerKey: key, readerTimeoutMs } = config;
  if (url === undefined || model === undefined)
    return [skipped(CHECK, 'CUSTOS_READER_URL is not set: texts are read by the rules alone')];
  const result = await ask({ url, key }, questionBody(model, HARMLESS), AbortSignal.timeout(readerTimeoutMs));
  if (result.kind === 'answered') return [ok(CHECK, `${model} at ${new URL(url).host} answers in the expected form`)];
  return [
    warning(
      CHECK,
      `${model} at ${new URL(url).host} gives no usable answer: ${describeAway(result)}`,
      'correct CUSTOS_READER_URL, CUSTOS_READER_MODEL and CUSTOS_READER_KEY, or raise CUSTOS_READER_TIMEOUT_MS; see docs/guides/second-reader.md',
    ),
  ];
}
