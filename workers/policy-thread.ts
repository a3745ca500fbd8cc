// The thread that checks a large policy folder (policy-admission.ts): it posts one result and ends.
import { parentPort, workerData } from 'node:worker_threads';
import type { PolicyTexts } from '../shared/core/policy/admit.ts';
import { admitHere } from './policy-admission.ts';

// admitApart passes these texts; workerData is untyped.
const admitted = admitHere(workerData as PolicyTexts);
parentPort?.postMessage(admitted, admitted.set === undefined ? [] : [admitted.set.canonical.buffer as ArrayBuffer]);
