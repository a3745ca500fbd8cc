// The thread that reads and checks a pushed policy set (pushed-set.ts): it posts one result and ends.
import { parentPort, workerData } from 'node:worker_threads';
import type { Static } from 'typebox';
import { PushPoliciesRequest } from '../shared/api/policy-change.ts';
import { ApiError, invalidField } from '../shared/kernel/errors.ts';
import {
  checkOwnPushed,
  checkPushed,
  type OwnPushTask,
  type PushedOwn,
  type PushOutcome,
  type PushTask,
} from './pushed-set.ts';
import { parseBody } from './request/read.ts';
import { compile } from './request/schema.ts';
import { compileBody } from './request/validate.ts';

type Outcome = PushOutcome | PushOutcome<PushedOwn>;

function outcomeOf(task: PushTask | OwnPushTask): Outcome {
  try {
    const body = parseBody(Buffer.from(task.body.buffer, task.body.byteOffset, task.body.byteLength));
    const { value, errors } = compileBody(compile, PushPoliciesRequest).check(body, task.body.byteLength);
    const [first] = errors;
    if (first !== undefined) throw invalidField(first.pointer, first.message);
    // The schema has checked it.
    const request = value as Static<typeof PushPoliciesRequest>;
    return 'slug' in task ? checkOwnPushed(request, task) : checkPushed(request, task);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, status, errors = [] } = error;
    return { ok: false, error: { code, message, status, errors } };
  }
}

// pushed-set.ts passes the task; workerData is untyped.
const outcome = outcomeOf(workerData as PushTask | OwnPushTask);
const moved = outcome.ok && 'set' in outcome.pushed ? [outcome.pushed.set.canonical.buffer as ArrayBuffer] : [];
parentPort?.postMessage(outcome, moved);
