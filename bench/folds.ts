// The folds of cross-validation: which texts are kept out together.
import { createHash } from 'node:crypto';

export const FOLDS = 5;

/** 0..4: the same text is always in the same fold. */
export const foldOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0) % FOLDS;
