// Translates the expressions of a program in Python.
import {
  actAt,
  type Given,
  literalAt,
  type Makes,
  type Member,
  type Parameter,
  type Part,
  valuesAt,
  placeOf,
  bindAt,
} from './parts.ts';
import { SPREAD } from './language.ts';
import { byType, type Node } from './tree.ts';

const STRING = /^[rbuf]{0,2}("""|'''|"|')([^]*)\1$/i;
/** Types whose values are in memory. */
const MEMORY_TYPE =
  /^(?:(?:list|dict|set|frozenset|tuple|str|int|float|bool|bytes|List|Dict|Set|Tuple|Sequence|Iterable|Mapping|Optional|Counter|deque|None|pd\.(?:DataFrame|Series)|np\.ndarray|datetime|date)\b[[\], |]*)+$/;
/** What a type says in its name and brackets only; a text that stands for a type is run by some libraries. */
const PLAIN_TYPE = /^[\w.[\], |"']*$/;
const RUN_TYPE = /["'][^"']*\(/;

export class PythonExpressions {
  protected readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  protected textOf = ({ from, to }: Node): string => this.text.slice(from, to);

  protected expressions = (nodes: readonly Node[]): Part[] =>
    nodes.filter(isExpression).map((node) => this.expression(node));

  /** `for a, b in list` */
  protected loop(node: Node, children: readonly Node[]): Part {
    const at = children.findIndex(({ type }) => type === 'in');
    const targets = this.expressions(children.slice(0, at));
    const lists = this.expressions(children.slice(at + 1));
    const place = placeOf(node);
    return {
      kind: 'loop',
      targets: targets.length > 1 ? [valuesAt(node, 'list', targets)] : targets,
      list: lists.length === 1 && lists[0] ? lists[0] : valuesAt(node, 'list', lists),
      ...place,
    };
  }

  /** The parts of a type that are more than names. */
  protected annotation({ children }: Node): Part[] {
    return children.filter(isExpression).flatMap((child) => {
      const text = this.textOf(child);
      if (RUN_TYPE.test(text)) return [actAt(child)];
      return child.type === 'String' || PLAIN_TYPE.test(text) ? [] : [this.expression(child)];
    });
  }

  /** @returns the parameters, and what their types do */
  protected parameters(list: Node | undefined): [Parameter[], Part[]] {
    const found: Parameter[] = [];
    const before: Part[] = [];
    const parts = list?.children ?? [];
    for (const [at, part] of parts.entries()) {
      if (parts[at - 1]?.type === 'AssignOp' || isWord(part)) continue;
      if (part.type === 'TypeDef') {
        before.push(...this.annotation(part));
        continue;
      }
      if (part.type !== 'VariableName') {
        before.push(actAt(part));
        continue;
      }
      const type = parts[at + 1]?.type === 'TypeDef' ? parts[at + 1] : undefined;
      const sign = type ? at + 2 : at + 1;
      const preset = parts[sign]?.type === 'AssignOp' ? parts[sign + 1] : undefined;
      found.push({
        target: this.expression(part),
        preset: preset && this.expression(preset),
        isMemory: type !== undefined && MEMORY_TYPE.test(this.textOf(type).replace(/^:\s*/, '')),
      });
    }
    return [found, before];
  }

  // Expressions
  protected expression(node: Node): Part {
    const { children } = node;
    switch (node.type) {
      case 'Number':
      case 'Boolean':
      case 'None':
      case 'Ellipsis':
        return literalAt(node);
      case 'String':
        return literalAt(node, STRING.exec(this.textOf(node))?.[2] ?? '');
      case 'VariableName':
        return { kind: 'name', name: this.textOf(node), ...placeOf(node) };
      case 'FormatString':
        return this.format(node);
      case 'FormatReplacement': {
        // A character by its code: `f"{115:c}"`.
        const isCode = children.some((child) => child.type === 'FormatSpec' && /[cx]$/i.test(this.textOf(child)));
        const whole = this.joined(node, children.some(({ type }) => type.startsWith('Format')) ? 'one' : 'text');
        return isCode ? callOf(node, 'chr', whole) : whole;
      }
      case 'UnaryExpression':
        return this.joined(node, children[0]?.type === 'not' ? 'answer' : 'one');
      case 'ContinuedString':
        return this.joined(node, 'text');
      case 'FormatSpec':
      case 'ConditionalExpression':
      case 'StarExpression':
      case 'AwaitExpression':
        return this.joined(node, 'one');
      case 'BinaryExpression': {
        const [name, sign, object] = children;
        const last = children.at(-1);
        const isAsked = name?.type === 'String' || (last && this.textOf(last) === 'os.environ');
        if (name && last && isAsked && (sign?.type === 'in' || object?.type === 'in')) {
          return { kind: 'asked', name: this.expression(name), object: this.expression(last), ...placeOf(node) };
        }
        const joins = children.length === 3 && sign?.type === 'ArithOp' ? JOINS.get(this.textOf(sign)) : undefined;
        return this.joined(node, children.some(({ type }) => COMPARES.test(type)) ? 'answer' : (joins ?? 'one'));
      }
      case 'TupleExpression':
      case 'ArrayExpression':
      case 'SetExpression':
        return this.joined(node, 'list');
      case 'DictionaryExpression':
        return { kind: 'object', members: this.members(node), ...placeOf(node) };
      case 'ParenthesizedExpression': {
        const inner = children.find(isExpression);
        return inner ? this.expression(inner) : actAt(node);
      }
      case 'NamedExpression': {
        const [target, , value] = children;
        if (!target || !value) return actAt(node);
        return bindAt(node, [this.expression(target)], valuesAt(node, 'one', [this.expression(value)]));
      }
      case 'YieldExpression':
        return { kind: 'return', parts: this.expressions(children), isYield: true, ...placeOf(node) };
      case 'LambdaExpression':
        return this.lambda(node);
      case 'ArrayComprehensionExpression':
      case 'SetComprehensionExpression':
      case 'DictionaryComprehensionExpression':
      case 'ComprehensionExpression':
        return this.comprehension(node);
      case 'MemberExpression':
        return this.member(node);
      case 'CallExpression': {
        const [callee, list] = children;
        if (!callee || list?.type !== 'ArgList') return actAt(node);
        const place = placeOf(node);
        return {
          kind: 'call',
          callee: this.expression(callee),
          given: this.given(list),
          list: inside(list),
          ...place,
        };
      }
      default:
        return actAt(node);
    }
  }

  protected joined(node: Node, makes: Makes): Part {
    const parts = node.children.flatMap((child) => {
      if (isExpression(child)) return [this.expression(child)];
      return isWord(child) ? [] : [actAt(child)];
    });
    return valuesAt(node, makes, parts);
  }

  protected format(node: Node): Part {
    const parts: Part[] = [];
    const quotes = /^\w{0,3}("""|'''|"|')/.exec(this.textOf(node));
    let from = node.from + (quotes?.[0].length ?? 0);
    const addText = (to: number) => {
      if (to > from) parts.push(literalAt({ from, to }, this.text.slice(from, to)));
    };
    for (const child of node.children)
      if (child.type === 'FormatReplacement') {
        addText(child.from);
        parts.push(this.expression(child));
        from = child.to;
      } else if (!isWord(child)) parts.push(actAt(child));
    addText(node.to - (quotes?.[1]?.length ?? 0));
    // A value is put into a text behind a backslash, too.
    if (/\\\{/.test(this.textOf(node))) parts.push(actAt(node));
    return valuesAt(node, 'text', parts);
  }

  protected members({ children }: Node): Member[] {
    const found: Member[] = [];
    for (const [at, child] of children.entries()) {
      const before = children[at - 1]?.type;
      if (!isExpression(child)) {
        if (!isWord(child)) found.push({ value: actAt(child) });
      } else if (before === ':') {
        const key = children[at - 2];
        found.push({ key: key && this.expression(key), value: this.expression(child) });
      } else if (children[at + 1]?.type !== ':') found.push({ value: this.expression(child) });
    }
    return found;
  }

  protected lambda(node: Node): Part {
    const list = node.children.find(({ type }) => type === 'ParamList');
    const last = node.children.at(-1);
    const [parameters, before] = this.parameters(list);
    const body = last && isExpression(last) ? this.expression(last) : actAt(node);
    const part: Part = {
      kind: 'function',
      name: '',
      role: 'arrow',
      parameters,
      body,
      isValue: true,
      isGetter: false,
      decides: last?.type === 'Boolean',
      ...placeOf(node),
    };
    return before.length > 0 ? actAt(node, '', [...before, part]) : part;
  }

  protected comprehension(node: Node): Part {
    const { children } = node;
    const first = children.findIndex(({ type }) => type === 'for' || type === 'async');
    const loops: Part[] = [];
    let at = first;
    while (at >= 0 && at < children.length) {
      const next = children.findIndex(({ type }, index) => index > at && (type === 'for' || type === 'if'));
      const clause = children.slice(at, next < 0 ? undefined : next);
      const isLoop = clause[0]?.type === 'for';
      if (isLoop) loops.push(this.loop(node, clause.slice(1)));
      else loops.push(...this.expressions(clause));
      loops.push(...clause.filter((child) => !isExpression(child) && !isWord(child)).map((child) => actAt(child)));
      at = next;
    }
    return { kind: 'each', loops, results: this.expressions(children.slice(0, first)), ...placeOf(node) };
  }

  protected member(node: Node): Part {
    const [object, ...rest] = node.children;
    if (!object) return actAt(node);
    const name = rest.find(({ type }) => type === 'PropertyName');
    const of = this.expression(object);
    if (name) return { kind: 'member', object: of, name: this.textOf(name), ...placeOf(node) };
    const isCut = rest.some(({ type }) => type === ':');
    return { kind: 'index', object: of, keys: this.expressions(rest), isCut, ...placeOf(node) };
  }

  protected given(list: Node): Given[] {
    const { children } = list;
    // `sum(row.price for row in rows)`: its only argument, without parentheses of its own.
    if (children.some(({ type }) => type === 'for')) return [{ part: this.comprehension(list) }];
    const found: Given[] = [];
    for (const [at, child] of children.entries()) {
      const before = children[at - 1]?.type ?? '';
      if (!isExpression(child)) {
        if (!isWord(child)) found.push({ part: actAt(child) });
      } else if (child.type === 'VariableName' && children[at + 1]?.type === 'AssignOp') continue;
      else if (before === 'AssignOp') {
        const name = children[at - 2];
        found.push({ keyword: name && this.textOf(name), part: this.expression(child) });
      } else found.push({ keyword: before.startsWith('*') ? SPREAD : undefined, part: this.expression(child) });
    }
    return found;
  }
}

const JOINS: ReadonlyMap<string, Makes> = new Map([
  ['+', 'text'],
  ['/', 'path'],
]);
/** Signs whose value is yes or no. */
const COMPARES = /^(?:CompareOp|in|is|not)$/;

export const inside = ({ from, to }: Node) => ({ from: from + 1, to: to - 1 });

const callOf = (node: Node, name: string, part: Part): Part => ({
  kind: 'call',
  callee: { kind: 'name', name, ...placeOf(node) },
  given: [{ part }],
  list: placeOf(node),
  ...placeOf(node),
});

/** Key words and signs, which the grammar names as they are written. */
export const isWord = byType(
  (type) =>
    !/^[A-Z]/.test(type) ||
    /^(?:At|AssignOp|CompareOp|ArithOp|BitOp|UpdateOp|FormatConversion|FormatSelfDoc|Comment|Escape)$/.test(type),
);

export const isExpression = byType((type) =>
  /(?:Expression|String|Replacement|Spec)$|^(?:VariableName|Number|Boolean|None|Ellipsis)$/.test(type),
);
