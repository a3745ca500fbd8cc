// Options that several commands have, and parsers that turn their values into numbers and times.
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { timeOf } from '../shared/core/policy/values.ts';
import { parseKey } from '../shared/domain/keys/format.ts';
import { parseDuration } from '../shared/kernel/durations.ts';
import { JsonError, parseJson } from '../shared/kernel/json.ts';
import { ENVIRONMENTS } from '../shared/kernel/vocabulary.ts';
import { UsageError } from './exit.ts';
import { parseJsonInput, readFile } from './input.ts';

export const environmentOption = (description: string) =>
  new Option('--environment <environment>', description).choices(ENVIRONMENTS);

/** Collects an option that may be repeated. Not variadic, because that would also take the arguments that follow. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

/** @returns milliseconds, more than 0 */
export function durationMs(text: string): number {
  const value = parseDuration(text) ?? 0;
  if (value === 0)
    throw new InvalidArgumentError('It must be a number from 1 and a unit (m minutes, h hours, d days, w weeks).');
  return value;
}

/** With an offset: a time without one would mean another instant on another machine. @returns milliseconds since 1970 */
export function timeMs(text: string): number {
  const value = timeOf(text);
  if (value === undefined || value < 0)
    throw new InvalidArgumentError('It must be an RFC 3339 time, such as 2026-03-01T00:00:00Z.');
  return value;
}

/** Parser of a JSON object, or of `@` and the name of a file that holds one. @param example for the error */
export function jsonObject(example: string): (text: string) => Readonly<Record<string, unknown>> {
  return (text) => {
    let value: unknown;
    try {
      value = text.startsWith('@') ? parseJsonInput(readFile(text.slice(1)), text.slice(1)) : parseJson(text);
    } catch (error) {
      if (error instanceof UsageError) throw new InvalidArgumentError(error.message);
      throw new InvalidArgumentError(error instanceof JsonError ? `It is not JSON: ${error.message}.` : String(error));
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new InvalidArgumentError(`It must be a JSON object, such as '${example}'.`);
    // An object of strict JSON.
    return value as Readonly<Record<string, unknown>>;
  };
}

/** An empty value comes from an unset variable of a script. */
export function nonEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** @param name of the option or variable @throws {UsageError} */
export function httpUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '') {
    // What stands before an @ may be a password.
    const found = text.includes('@') ? 'without a user name' : `not ${JSON.stringify(text)}`;
    throw new UsageError(`${name} must be an address such as http://127.0.0.1:3000, ${found}.`);
  }
  return url;
}

/** An API key. @param source where it is from @throws {UsageError} without the key for what is none, which no header might hold */
export function apiKey(source: string, text: string): string {
  if (parseKey(text) === undefined) throw new UsageError(`${source} holds no API key of Custos.`);
  return text;
}

/** The address of Custos, for paths such as /v1/enforce: without slashes and `/v1` at its end, and without a query. @throws {UsageError} */
export function serviceUrl(name: string, text: string): string {
  const { origin, pathname } = httpUrl(name, text);
  return origin + pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
}
