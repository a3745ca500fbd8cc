// The search language for decisions. Only this module of shared/ is part of the bundle: it is pure, and its imports are.
// oxlint-disable-next-line no-restricted-imports -- bundled on purpose
export * from '#shared/core/decision/query.js';
