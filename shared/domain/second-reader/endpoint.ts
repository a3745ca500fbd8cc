// Sends a question to a chat completions endpoint and checks its answer. Redirects are not followed, answers are bounded.
import { Type } from 'typebox';
import { guardOf } from '../../kernel/compile-schema.ts';
import { parseJson } from '../../kernel/json.ts';
import { type SecondAnswer, SecondAnswerSchema, usableAnswer } from '../../core/intent/second-reading.ts';

const MAX_ANSWER_BYTES = 65_536;

/** Why there is no answer that can be used. */
export type AwayCause = 'timeout' | 'unreachable' | 'status' | 'too_large' | 'unusable' | 'resting';

export interface Away {
  readonly kind: 'away';
  readonly cause: AwayCause;
  /** Of an HTTP answer that is not 200. */
  readonly status?: number;
}

export type EndpointAnswer = { readonly kind: 'answered'; readonly answer: SecondAnswer } | Away;

const CAUSES: Readonly<Record<AwayCause, string>> = {
  timeout: 'it does not answer in time',
  unreachable: 'it cannot be reached',
  status: 'it answers with status',
  too_large: 'its answer is too large',
  unusable: 'its answer does not have the expected form',
  resting: 'it failed repeatedly',
};

/** `it answers with status 503` */
export const describeAway = ({ cause, status }: Away): string =>
  status === undefined ? CAUSES[cause] : `${CAUSES[cause]} ${status}`;

export interface EndpointSettings {
  readonly url: string;
  readonly key?: string | undefined;
}

class TooLarge extends Error {}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the body.
    if (size > MAX_ANSWER_BYTES) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const isCompletion = guardOf(
  Type.Object({
    choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.String() }) }), { minItems: 1 }),
  }),
);
const isSecondAnswer = guardOf(SecondAnswerSchema);

function jsonOf(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function answerOf(text: string): SecondAnswer | undefined {
  const completion = jsonOf(text, JSON.parse);
  if (!isCompletion(completion)) return undefined;
  // Strictly: of a member that is there twice, a text may have talked the model into the second one.
  const answer = jsonOf(completion.choices[0]?.message.content ?? '', parseJson);
  return isSecondAnswer(answer) ? usableAnswer(answer) : undefined;
}

/** Asks once. Never rejects. @param signal the deadline */
export async function ask({ url, key }: EndpointSettings, body: string, signal: AbortSignal): Promise<EndpointAnswer> {
  try {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { kind: 'away', cause: 'status', status: response.status };
    }
    const answer = answerOf(await boundedText(response));
    return answer === undefined ? { kind: 'away', cause: 'unusable' } : { kind: 'answered', answer };
  } catch (error) {
    if (error instanceof TooLarge) return { kind: 'away', cause: 'too_large' };
    return { kind: 'away', cause: signal.aborted ? 'timeout' : 'unreachable' };
  }
}
