// The thread that checks or compares policy sets (admission.ts): it posts one result and ends.
import { parentPort, workerData } from 'node:worker_threads';
import { admitStoredHere, admitWithVerbs, compareStoredHere, type ThreadTask } from './admission.ts';
import { compilersOf } from './handed-lexicon.ts';

// admission.ts passes the task; workerData is untyped.
const task = workerData as ThreadTask;
if ('texts' in task) {
  const admitted = admitWithVerbs(task.texts, compilersOf(task.lexicon).ofFiles);
  parentPort?.postMessage(admitted, admitted.set === undefined ? [] : [admitted.set.canonical.buffer as ArrayBuffer]);
} else {
  const result =
    'canonical' in task ? admitStoredHere(task.canonical, task.lexicon) : compareStoredHere(task.before, task.after);
  parentPort?.postMessage(result, []);
}
