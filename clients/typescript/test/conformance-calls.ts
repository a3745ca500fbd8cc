// The calls of the conformance cases: each takes one object with path parameters, query parameters and members of the body.
import { type CallOptions, type Custos, type TrustedKeys, verifyReceipt } from '../src/index.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** How a function of a resource takes its arguments. */
type Shape =
  | 'query'
  | 'text'
  | 'body'
  | 'none'
  | 'list'
  | { readonly id: string; readonly takes: 'query' | 'body' | 'none' | 'list' | 'wait' };

const byId = (id: string, takes: 'query' | 'body' | 'none' | 'list' | 'wait' = 'none'): Shape => ({ id, takes });

const SHAPES: Readonly<Record<string, Shape>> = {
  'intent.parse': 'body',
  'intent.get': byId('id'),
  'enforce.evaluate': 'body',
  'enforce.evaluateBatch': 'body',
  'decisions.get': byId('id'),
  'decisions.list': 'list',
  'decisions.reportOutcome': byId('id', 'body'),
  'intents.submit': 'body',
  'intents.get': byId('id'),
  'intents.list': 'list',
  'intents.waitDecided': byId('id', 'wait'),
  'approvals.get': byId('id'),
  'approvals.list': 'list',
  'approvals.approve': byId('id', 'body'),
  'approvals.reject': byId('id', 'body'),
  'approvals.waitDecided': byId('id', 'wait'),
  'proofs.create': 'body',
  'proof.create': 'body',
  'proofs.createBatch': 'body',
  'proofs.get': byId('id'),
  'proofs.list': 'list',
  'proofs.chain': byId('entityId', 'list'),
  'proofs.waitAnchored': byId('id', 'wait'),
  'agents.create': 'body',
  'agents.get': byId('agentId'),
  'agents.list': 'list',
  'agents.update': byId('agentId', 'body'),
  'agents.terminate': byId('agentId', 'none'),
  'resources.put': byId('name', 'body'),
  'resources.get': byId('name'),
  'resources.list': 'list',
  'resources.remove': byId('name', 'none'),
  'trust.signal': 'body',
  'trust.signals': 'body',
  'trust.get': byId('agentId', 'query'),
  'trust.history': byId('agentId', 'list'),
  'log.checkpoint': 'text',
  'log.checkpoints': 'list',
  'log.keys': 'none',
  'log.consistency': 'query',
  'log.leaves': 'query',
  'keys.create': 'body',
  'keys.list': 'list',
  'keys.revoke': byId('keyId', 'none'),
  'keys.rotate': byId('keyId', 'body'),
  'policies.active': 'none',
  'policies.get': byId('digest'),
  'policies.validate': 'body',
  'policies.replay': 'body',
  'policies.getReplay': byId('id'),
  'policies.shadow': 'none',
  'policies.push': 'body',
  'policies.rollback': 'body',
  'policies.followFolder': 'body',
  'policies.promote': 'body',
  'policies.dropStage': byId('digest', 'body'),
  'policies.withdraw': 'body',
  'policies.difference': 'query',
  'policies.stages': 'none',
  'policies.activations': 'list',
  'policies.approvals': 'list',
  'policies.getApproval': byId('approvalId'),
  'policies.approve': byId('approvalId', 'body'),
  'policies.reject': byId('approvalId', 'body'),
  'tools.list': 'list',
  'tools.get': byId('server'),
  'webhooks.create': 'body',
  'webhooks.list': 'list',
  'webhooks.update': byId('webhookId', 'body'),
  'webhooks.remove': byId('webhookId', 'none'),
  'webhooks.rotate': byId('webhookId', 'body'),
  'webhooks.deliveries': byId('webhookId', 'list'),
  'halt.set': 'body',
  'halt.get': 'none',
  'halt.lift': 'body',
  'reference.errors': 'none',
  'reference.scopes': 'none',
  'reference.tiers': 'none',
  'reference.rateLimits': 'none',
  health: 'none',
  ready: 'none',
};

/** Any function of a resource: the shapes above say what it takes. */
type AnyFunction = (...args: unknown[]) => unknown;

function functionOf(custos: Custos, name: string): AnyFunction {
  const [first = '', second] = name.split('.');
  const resource = custos[first as keyof Custos] as unknown;
  return (second === undefined ? resource : (resource as Record<string, unknown>)[second]) as AnyFunction;
}

interface AnyList extends AsyncIterable<unknown> {
  page(cursor?: string): Promise<unknown>;
}

/** Takes out the path parameter, which may also be called `id`. */
function splitId(args: Arguments, name: string): [id: unknown, rest: Arguments] {
  const { [name]: named, id = named, ...rest } = args;
  return [named ?? id, rest];
}

/** @throws {Error} with the name of an unknown call */
export async function callResource(
  custos: Custos,
  call: string,
  args: Arguments,
  options: CallOptions,
): Promise<unknown> {
  const isAll = call.startsWith('all:');
  const name = isAll ? call.slice('all:'.length) : call;
  if (name === 'flush') return custos.flush();
  // Its body is the receipt itself.
  if (name === 'proofs.verify') return custos.proofs.verify((args['receipt'] ?? args) as Arguments, options);
  // The only call with two ids.
  if (name === 'webhooks.replayDelivery')
    return custos.webhooks.replayDelivery(String(args['webhookId']), String(args['deliveryId']), options);
  if (name === 'verifyReceipt') return verifyReceipt(args['receipt'], args['keys'] as TrustedKeys);
  const shape = SHAPES[name];
  if (shape === undefined) throw new Error(`unknown call ${call}`);
  const fn = functionOf(custos, name);
  const readList = async (...before: unknown[]): Promise<unknown> => {
    const { cursor, ...filter } = before.pop() as Arguments;
    const list = fn(...before, filter, options) as AnyList;
    if (!isAll) return list.page(cursor as string | undefined);
    const items: unknown[] = [];
    for await (const item of list) items.push(item);
    return items;
  };
  if (typeof shape !== 'string') {
    const [id, rest] = splitId(args, shape.id);
    if (shape.takes === 'list') return readList(id, rest);
    if (shape.takes === 'none') return fn(id, options);
    if (shape.takes !== 'wait') return fn(id, rest, options);
    return fn(id, { timeoutMs: Number(rest['timeoutSeconds'] ?? 30) * 1_000, signal: options.signal });
  }
  if (shape === 'list') return readList(args);
  return shape === 'none' || shape === 'text' ? fn(options) : fn(args, options);
}
