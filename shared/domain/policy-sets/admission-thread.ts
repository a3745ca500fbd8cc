// The thread that checks or compares policy sets (admission.ts): it posts one result and ends.
import { parentPort, workerData } from 'node:worker_threads';
import { admitHere, admitStoredHere, compareStoredHere, type ThreadTask } from './admission.ts';

// admission.ts passes the task; workerData is untyped.
const task = workerData as ThreadTask;
if ('texts' in task) {
  const admitted = admitHere(task.texts);
  parentPort?.postMessage(admitted, admitted.set === undefined ? [] : [admitted.set.canonical.buffer as ArrayBuffer]);
} else {
  const result = 'canonical' in task ? admitStoredHere(task.canonical) : compareStoredHere(task.before, task.after);
  parentPort?.postMessage(result, []);
}
