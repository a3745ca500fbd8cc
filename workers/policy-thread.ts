// The thread in which the files of a large policy folder are checked (policy-admission.ts): one folder, one answer, the end.
import { parentPort, workerData } from 'node:worker_threads';
import type { PolicyTexts } from '../shared/core/policy/admit.ts';
import { admitHere } from './policy-admission.ts';

// What admitApart gave it; data of a thread has no type.
const admitted = admitHere(workerData as PolicyTexts);
parentPort?.postMessage(admitted, admitted.set === undefined ? [] : [admitted.set.canonical.buffer as ArrayBuffer]);
