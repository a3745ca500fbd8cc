// @custos/client: the client of Custos, a governance service for software agents.
export { Custos, type CustosOptions } from './client.ts';
export { definitionDigest, type ToolDefinition } from './definition.ts';
export * from './errors.ts';
export type { AuthorizeOptions, GuardOptions, ToolQuestion } from './guard/guard.ts';
export type { ObligationHandler, ObligationHandlers, Terms } from './guard/obligations.ts';
export type { Permission } from './guard/permission.ts';
export type { CallReport, ReportOptions } from './guard/reports.ts';
export type { CallOptions } from './http.ts';
export type { List, PageLike } from './pages.ts';
export type * from './types.ts';
export * from './verify/index.ts';
export type { WaitOptions } from './wait.ts';
