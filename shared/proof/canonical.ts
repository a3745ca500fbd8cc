// The stable path of the canonical JSON functions for other programs; the code is in shared/core/proof/canonical.ts.
export * from '../core/proof/canonical.ts';
