// Loads one policy test file: parsed strictly and validated against the schema; every finding has a position.
import { findingsOf, type Located, located, parseFile, type TextFile } from '../files.ts';
import type { Finding } from '../types.ts';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { compileSchema } from '../../../kernel/compile-schema.ts';
import { pointerToken } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/near.ts';
import { meantOf, plainly, withoutEchoes } from '../schema-problems.ts';
import { NO_DECLARATIONS } from '../declarations.ts';
import { lookUp } from '../vocabulary.ts';
import { PolicyTestSchema } from './schema.ts';
import { settableFact, splitPath } from './settable.ts';
import type { PolicyTestFile } from './schema.ts';

export type TestFindingCode =
  | 'SCHEMA'
  | 'UNKNOWN_FACT'
  | 'BAD_VALUE'
  | 'BAD_INTENT'
  | 'BAD_TIME'
  | 'UNKNOWN_FIXTURE'
  | 'UNKNOWN_CELL'
  | 'TOO_MANY_CASES'
  | 'DUPLICATE_NAME';

/** A problem in a test file, without its position. */
export interface TestProblem extends Pick<Finding, 'pointer' | 'message'> {
  readonly code: TestFindingCode;
}

/** A file that can be read. */
export interface TestSource extends Located {
  readonly content: PolicyTestFile;
  /** Pointers such as `/cases/3` to parts that violate the schema and are skipped. Absent: there are none. */
  readonly broken?: ReadonlySet<string>;
}

type Loaded =
  | { readonly ok: true; readonly source: TestSource }
  | {
      readonly ok: false;
      readonly findings: readonly Finding[];
      /** The file without its invalid cases and matrices, so that problems in the others are reported too. Absent: nothing is usable. */
      readonly rest?: TestSource;
    };

const validator = compileSchema<PolicyTestFile>(PolicyTestSchema);

/** Below these pointers the members are facts, set by a case or seen by rules. */
const SET_FACTS = /^\/(?:(?:cases|matrix)\/\d+(?:\/intent)?|fixtures\/intents\/[^/]+)\/facts$/;
const SEEN_FACTS = /^\/cases\/\d+\/expect\/facts$/;

/** Members of a policy that a test file does not have. */
const OF_POLICIES = ['rules', 'target', 'stage'];

function strangerProblem(error: ErrorObject): TestProblem {
  const key = String(error.params['additionalProperty']);
  const pointer = error.instancePath + pointerToken(key);
  if (SET_FACTS.test(error.instancePath)) {
    const why = settableFact(key);
    return { pointer, code: 'UNKNOWN_FACT', message: typeof why === 'string' ? why : 'is not known' };
  }
  if (SEEN_FACTS.test(error.instancePath)) {
    const { fact, path } = splitPath(key);
    const why = lookUp(fact, path, 'enforce', NO_DECLARATIONS);
    return { pointer, code: 'UNKNOWN_FACT', message: typeof why === 'string' ? why : 'is not known' };
  }
  const schema: unknown = error.parentSchema;
  const members = typeof schema === 'object' && schema !== null ? (Reflect.get(schema, 'properties') as unknown) : {};
  const known = Object.keys(typeof members === 'object' && members !== null ? members : {});
  const isOfPolicy = error.instancePath === '' && OF_POLICIES.includes(key);
  const note = isOfPolicy ? ': a policy has it, and those lie beside the folder "tests"' : didYouMean(key, known);
  return { pointer, code: 'SCHEMA', message: `unknown member ${JSON.stringify(key)}${note}` };
}

function problemOf(error: ErrorObject): TestProblem {
  const { instancePath: pointer, params } = error;
  const isFact = SET_FACTS.test(pointer.slice(0, pointer.lastIndexOf('/')));
  const code = isFact ? 'BAD_VALUE' : 'SCHEMA';
  switch (error.keyword) {
    case 'additionalProperties':
      return strangerProblem(error);
    case 'required': {
      const key = String(params['missingProperty']);
      return { pointer, code, message: `the member ${JSON.stringify(key)} is missing` };
    }
    case 'minItems':
      return { pointer, code, message: 'must not be empty' };
    case 'pattern':
      if (!/\/reasons\/\d+$/.test(pointer)) break;
      return { pointer, code, message: choiceMessage(pointer) };
    case 'oneOf':
      return { pointer, code, message: oneOfMessage(pointer) };
    case 'anyOf':
      return { pointer, code, message: 'must have "cases" or a "matrix"' };
    case 'type':
      if (Array.isArray(params['type'])) return { pointer, code, message: choiceMessage(pointer) };
      break;
    case 'propertyNames': {
      const name = String(params['propertyName']);
      const message = 'is no name: letters, digits, spaces, "-" and "_" only, at most 80';
      return { pointer: pointer + pointerToken(name), code, message };
    }
    case 'enum': {
      const allowed = Array.isArray(params['allowedValues']) ? params['allowedValues'].map(String) : [];
      return { pointer, code, message: `must be one of ${allowed.join(', ')}${meantOf(error.data, allowed)}` };
    }
    default:
  }
  // The known pattern descriptions are those of the policy schema.
  const plain = error.keyword === 'pattern' ? undefined : plainly(error);
  return { pointer, code, message: plain ?? error.message ?? 'is not what the schema says' };
}

/** A case asks by an intent or a call; an intent that is an object has one of three members. */
function oneOfMessage(pointer: string): string {
  return /^\/cases\/\d+$/.test(pointer)
    ? 'must have either "intent" or "tool"'
    : 'must have one of "text", "intent" and "tool"';
}

/** Ajv's errors about keywords that enclose a failure, and about property names beside the names themselves, add nothing. */
function isNoise({ keyword, schemaPath, propertyName }: ErrorObject): boolean {
  return keyword === 'if' || propertyName !== undefined || /\/(?:anyOf|oneOf)\/\d/.test(schemaPath);
}

function schemaProblems(errors: readonly ErrorObject[]): TestProblem[] {
  const problems = withoutEchoes(errors.filter((error) => !isNoise(error))).map(problemOf);
  return [...new Map(problems.map((problem) => [`${problem.pointer} ${problem.message}`, problem])).values()];
}

/** Describes the allowed forms of a member that is a string or an object. */
function choiceMessage(pointer: string): string {
  const member = pointer.slice(pointer.lastIndexOf('/') + 1);
  if (/\/reasons\/\d+$/.test(pointer)) return 'must be "policy/rule", or an object with members of a reason';
  if (pointer.startsWith('/fixtures/intents/') || member === 'intent')
    return 'must be an intent as a string, {"text": "..."} or {"intent": "..."}';
  if (/^\/matrix\/\d+\/expect\//.test(pointer)) return 'must be a verdict, or verdicts by environment';
  if (member === 'expect') return 'must be a verdict, or an object with a verdict';
  return `must be the name of a fixture, or the ${member} itself`;
}

/** Reads one test file and reports all problems. Positions count from 1. */
export function loadTestFile(file: TextFile): Loaded {
  const parsed = parseFile(file);
  if (!('value' in parsed)) return { ok: false, findings: [parsed] };
  const content = parsed.value;
  const source = located(file);
  const validate = validator();
  if (validate(content)) return { ok: true, source: { ...source, content } };
  const problems = schemaProblems(validate.errors ?? []);
  const findings = findingsOf(source, problems);
  const broken = problems.flatMap(({ pointer }) => /^\/(?:cases|matrix)\/\d+/.exec(pointer)?.[0] ?? []);
  if (broken.length < problems.length) return { ok: false, findings };
  // Without the broken cases and matrices, which are skipped, the content conforms to the schema.
  const rest: TestSource = { ...source, content: content as PolicyTestFile, broken: new Set(broken) };
  return { ok: false, findings, rest };
}
