// Translates the syntax tree of a program in Python.
import {
  actAt,
  blockAt,
  type ClassPart,
  type FunctionPart,
  type Given,
  literalAt,
  type Makes,
  type Member,
  type Parameter,
  type Part,
  valuesAt,
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

export function partOfPython(text: string, root: Node): Part {
  return new Translator(text).block(root);
}

class Translator {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  #textOf = ({ from, to }: Node): string => this.#text.slice(from, to);

  block(node: Node): Part {
    return blockAt(
      node,
      node.children.flatMap((child) => (isWord(child) ? [] : [this.#statement(child)])),
    );
  }

  /** Expressions and blocks between key words. */
  #parts(node: Node, children: readonly Node[] = node.children): Part {
    return blockAt(
      node,
      children.flatMap((child) => {
        if (isWord(child)) return [];
        return [
          child.type === 'Body' ? this.block(child) : isExpression(child) ? this.#expression(child) : actAt(child),
        ];
      }),
    );
  }

  #expressions = (nodes: readonly Node[]): Part[] => nodes.filter(isExpression).map((node) => this.#expression(node));

  #statement(node: Node): Part {
    const { children } = node;
    switch (node.type) {
      case 'StatementGroup':
      case 'Body':
        return this.block(node);
      case 'ExpressionStatement':
      case 'AssertStatement':
      case 'RaiseStatement':
      case 'IfStatement':
      case 'WhileStatement':
      case 'PrintStatement':
        return this.#parts(node);
      case 'ReturnStatement':
      case 'YieldStatement':
        return { kind: 'return', parts: this.#expressions(children), isYield: false, ...placeOf(node) };
      case 'PassStatement':
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'Comment':
        return blockAt(node, []);
      case 'AssignStatement':
        return this.#assignment(node);
      case 'UpdateStatement': {
        const [target, , value] = children;
        if (!target || !value) return actAt(node);
        const to = this.#expression(target);
        return bindAt(node, [to], valuesAt(node, 'one', [to, this.#expression(value)]));
      }
      case 'ForStatement': {
        const body = children.findIndex(({ type }) => type === 'Body');
        return blockAt(node, [this.#loop(node, children.slice(1, body)), this.#parts(node, children.slice(body))]);
      }
      case 'WithStatement':
      case 'TryStatement':
        return this.#withTargets(node);
      case 'DeleteStatement':
        return { kind: 'remove', targets: this.#expressions(children), ...placeOf(node) };
      case 'ScopeStatement': {
        const names = children.filter(({ type }) => type === 'VariableName').map(this.#textOf);
        return { kind: 'outer', names, ...placeOf(node) };
      }
      case 'ImportStatement':
        return this.#import(node);
      case 'FunctionDefinition':
        return this.#function(node, []);
      case 'ClassDefinition':
        return this.#class(node);
      case 'DecoratedStatement':
        return this.#decorated(node);
      case 'MatchStatement':
        return this.#match(node);
      default:
        return actAt(node);
    }
  }

  #assignment(node: Node): Part {
    const { children } = node;
    const type = children.find((child) => child.type === 'TypeDef');
    const types = type ? this.#annotation(type) : [];
    const last = children.findLastIndex((child) => child.type === 'AssignOp');
    const [target] = children;
    if (last < 0) {
      // Only a type: `number: int`. A field of a class, which its objects are given.
      if (target?.type !== 'VariableName') return blockAt(node, [...types, ...this.#expressions(children)]);
      const field: Part = { kind: 'field', name: this.#textOf(target), value: undefined, ...placeOf(node) };
      return blockAt(node, this.#isInClass ? [...types, field] : types);
    }
    const values = this.#expressions(children.slice(last + 1));
    const value = values.length === 1 && values[0] ? values[0] : valuesAt(node, 'list', values);
    const groups: Node[][] = [[]];
    for (const child of children.slice(0, last))
      if (child.type === 'AssignOp') groups.push([]);
      else if (isExpression(child)) groups.at(-1)?.push(child);
    const targets = groups.flatMap((group) => {
      const parts = this.#expressions(group);
      return parts.length > 1 ? [valuesAt(node, 'list', parts)] : parts;
    });
    return blockAt(node, [...types, bindAt(node, targets, value)]);
  }

  #isInClass = false;

  /** `for a, b in list` */
  #loop(node: Node, children: readonly Node[]): Part {
    const at = children.findIndex(({ type }) => type === 'in');
    const targets = this.#expressions(children.slice(0, at));
    const lists = this.#expressions(children.slice(at + 1));
    const place = placeOf(node);
    return {
      kind: 'loop',
      targets: targets.length > 1 ? [valuesAt(node, 'list', targets)] : targets,
      list: lists.length === 1 && lists[0] ? lists[0] : valuesAt(node, 'list', lists),
      ...place,
    };
  }

  /** `with open(a) as b:`, `except ValueError as error:` */
  #withTargets(node: Node): Part {
    const parts: Part[] = [];
    const { children } = node;
    for (const [at, child] of children.entries()) {
      if (child.type === 'Body') parts.push(this.block(child));
      else if (isExpression(child)) {
        if (children[at - 1]?.type === 'as') continue;
        const target = children[at + 1]?.type === 'as' ? children[at + 2] : undefined;
        const [value, to] = [this.#expression(child), target && this.#expression(target)];
        if (node.type === 'WithStatement') parts.push({ kind: 'with', value, target: to, ...placeOf(node) });
        else
          parts.push(value, ...(to ? [bindAt(node, [to], { kind: 'literal', isBlind: true, ...placeOf(node) })] : []));
      } else if (!isWord(child)) parts.push(actAt(child));
    }
    return blockAt(node, parts);
  }

  #import(node: Node): Part {
    const text = this.#textOf(node)
      .replaceAll(/#[^\n]*/g, '')
      .replaceAll(/\\\n|[()\n]/g, ' ')
      .trim();
    const [, of, some] = /^from\s+([\w.]+)\s+import\s+(.+)$/.exec(text) ?? [];
    const names = (some ?? text.replace(/^import\s+/, '')).split(',');
    const parts = names.flatMap((one, at): Part[] => {
      const [, what = '*', as] = /^\s*([\w.]+|\*)(?:\s+as\s+(\w+))?\s*$/.exec(one) ?? [];
      if (one.trim() === '' && at === names.length - 1) return [];
      const [first = ''] = what.split('.');
      const module = what === '*' ? what : (of ?? what);
      const named = of === undefined ? (as === undefined ? first : what) : `${of}.${what}`;
      return [{ kind: 'import', module, names: [{ as: as ?? first, name: named }], ...placeOf(node) }];
    });
    return blockAt(node, parts);
  }

  /** The parts of a type that are more than names. */
  #annotation({ children }: Node): Part[] {
    return children.filter(isExpression).flatMap((child) => {
      const text = this.#textOf(child);
      if (RUN_TYPE.test(text)) return [actAt(child)];
      return child.type === 'String' || PLAIN_TYPE.test(text) ? [] : [this.#expression(child)];
    });
  }

  /** `class A[T: int]` */
  #typeParameters(children: readonly Node[]): Part[] {
    const parts = children
      .filter(({ type }) => type === 'TypeParamList')
      .flatMap((list) => list.children.flatMap((parameter) => parameter.children));
    return parts.flatMap((part) => {
      if (part.type === 'TypeDef') return this.#annotation(part);
      return isExpression(part) && part.type !== 'VariableName' ? [this.#expression(part)] : [];
    });
  }

  #function(node: Node, decorators: readonly string[]): Part {
    const { children } = node;
    const name = children.find(({ type }) => type === 'VariableName');
    const list = children.find(({ type }) => type === 'ParamList');
    const body = children.find(({ type }) => type === 'Body');
    const result = children.find(({ type }) => type === 'TypeDef');
    if (!name || !list || !body) return actAt(node);
    const [parameters, before] = this.#parameters(list);
    before.push(...(result ? this.#annotation(result) : []), ...this.#typeParameters(children));
    const isMember = this.#isInClass;
    const title = this.#textOf(name);
    const isFirst = /^__(?:init|new|post_init)__$/.test(title);
    const part: FunctionPart = {
      kind: 'function',
      name: title,
      role: !isMember
        ? 'statement'
        : isFirst
          ? 'constructor'
          : decorators.includes('staticmethod')
            ? 'static'
            : 'method',
      parameters,
      body: this.#outsideOfClass(() => this.block(body)),
      isValue: false,
      isGetter: isMember && decorators.some((one) => /^(?:cached_)?property$/.test(one)),
      decides: decides(body),
      ...placeOf(node),
    };
    return before.length > 0 ? blockAt(node, [...before, part]) : part;
  }

  #outsideOfClass<T>(translate: () => T, isInClass = false): T {
    const before = this.#isInClass;
    this.#isInClass = isInClass;
    const result = translate();
    this.#isInClass = before;
    return result;
  }

  /** @returns the parameters, and what their types do */
  #parameters(list: Node | undefined): [Parameter[], Part[]] {
    const found: Parameter[] = [];
    const before: Part[] = [];
    const parts = list?.children ?? [];
    for (const [at, part] of parts.entries()) {
      if (parts[at - 1]?.type === 'AssignOp' || isWord(part)) continue;
      if (part.type === 'TypeDef') {
        before.push(...this.#annotation(part));
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
        target: this.#expression(part),
        preset: preset && this.#expression(preset),
        isMemory: type !== undefined && MEMORY_TYPE.test(this.#textOf(type).replace(/^:\s*/, '')),
      });
    }
    return [found, before];
  }

  #class(node: Node): Part {
    const { children } = node;
    const name = children.find(({ type }) => type === 'VariableName');
    const list = children.find(({ type }) => type === 'ArgList');
    const body = children.find(({ type }) => type === 'Body');
    if (!name || !body) return actAt(node);
    const before = this.#typeParameters(children);
    const part: ClassPart = {
      kind: 'class',
      name: this.#textOf(name),
      bases: list ? this.#given(list).map(({ part: base }) => base) : [],
      body: this.#outsideOfClass(() => [this.block(body)], true),
      ...placeOf(node),
    };
    return before.length > 0 ? blockAt(node, [...before, part]) : part;
  }

  #decorated(node: Node): Part {
    const decorators: Part[] = [];
    const names: string[] = [];
    for (const child of node.children) {
      if (child.type === 'Decorator') {
        const { from } = child.children[1] ?? child;
        names.push(this.#text.slice(from, child.to).trim());
        decorators.push(this.#decorator(child));
      } else if (child.type === 'Comment') continue;
      else {
        const part =
          child.type === 'FunctionDefinition'
            ? this.#function(child, names)
            : child.type === 'ClassDefinition'
              ? this.#class(child)
              : actAt(child);
        const of = part.kind === 'block' ? part.parts.at(-1) : part;
        const before = part.kind === 'block' ? part.parts.slice(0, -1) : [];
        if (of?.kind !== 'function' && of?.kind !== 'class') return actAt(node, '', [...decorators, part]);
        return blockAt(node, [...before, { kind: 'decorated', decorators, of, ...placeOf(node) }]);
      }
    }
    return actAt(node);
  }

  #decorator(node: Node): Part {
    const [first, ...rest] = node.children.filter(({ type }) => type !== 'At' && type !== '.');
    if (!first || !isExpression(first)) return actAt(node);
    return rest.reduce((part: Part, child): Part => {
      const place = { from: part.from, to: child.to };
      if (child.type === 'ArgList')
        return { kind: 'call', callee: part, given: this.#given(child), list: inside(child), ...place };
      return child.type === 'PropertyName' || child.type === 'VariableName'
        ? { kind: 'member', object: part, name: this.#textOf(child), ...place }
        : actAt(node, '', [part]);
    }, this.#expression(first));
  }

  #match(node: Node): Part {
    const pattern = (part: Node): Part[] =>
      part.children.flatMap((child) => {
        if (child.type === 'CapturePattern') {
          const [name] = child.children;
          return name ? [bindAt(node, [this.#expression(name)], { kind: 'name', name: '', ...placeOf(child) })] : [];
        }
        if (child.type === 'Guard') return [this.#parts(child)];
        return child.type === 'Body' ? [this.block(child)] : pattern(child);
      });
    const parts = node.children.flatMap((child) => {
      if (child.type === 'MatchBody') return pattern(child);
      return isExpression(child) ? [this.#expression(child)] : [];
    });
    return blockAt(node, parts);
  }

  // Expressions

  #expression(node: Node): Part {
    const { children } = node;
    switch (node.type) {
      case 'Number':
      case 'Boolean':
      case 'None':
      case 'Ellipsis':
        return literalAt(node);
      case 'String':
        return literalAt(node, STRING.exec(this.#textOf(node))?.[2] ?? '');
      case 'VariableName':
        return { kind: 'name', name: this.#textOf(node), ...placeOf(node) };
      case 'FormatString':
        return this.#format(node);
      case 'FormatReplacement': {
        // A character by its code: `f"{115:c}"`.
        const isCode = children.some((child) => child.type === 'FormatSpec' && /[cx]$/i.test(this.#textOf(child)));
        const whole = this.#joined(node, 'one');
        return isCode ? callOf(node, 'chr', whole) : whole;
      }
      case 'UnaryExpression':
        return this.#joined(node, children[0]?.type === 'not' ? 'answer' : 'one');
      case 'ContinuedString':
      case 'FormatSpec':
      case 'ConditionalExpression':
      case 'StarExpression':
      case 'AwaitExpression':
        return this.#joined(node, 'one');
      case 'BinaryExpression': {
        const [name, sign, object] = children;
        if (name?.type === 'String' && object && (sign?.type === 'in' || children[2]?.type === 'in')) {
          const last = children.at(-1) ?? object;
          return { kind: 'asked', name: this.#expression(name), object: this.#expression(last), ...placeOf(node) };
        }
        return this.#joined(node, children.some(({ type }) => COMPARES.test(type)) ? 'answer' : 'one');
      }
      case 'TupleExpression':
      case 'ArrayExpression':
      case 'SetExpression':
        return this.#joined(node, 'list');
      case 'DictionaryExpression':
        return { kind: 'object', members: this.#members(node), ...placeOf(node) };
      case 'ParenthesizedExpression': {
        const inner = children.find(isExpression);
        return inner ? this.#expression(inner) : actAt(node);
      }
      case 'NamedExpression': {
        const [target, , value] = children;
        if (!target || !value) return actAt(node);
        return bindAt(node, [this.#expression(target)], valuesAt(node, 'one', [this.#expression(value)]));
      }
      case 'YieldExpression':
        return { kind: 'return', parts: this.#expressions(children), isYield: true, ...placeOf(node) };
      case 'LambdaExpression':
        return this.#lambda(node);
      case 'ArrayComprehensionExpression':
      case 'SetComprehensionExpression':
      case 'DictionaryComprehensionExpression':
      case 'ComprehensionExpression':
        return this.#comprehension(node);
      case 'MemberExpression':
        return this.#member(node);
      case 'CallExpression': {
        const [callee, list] = children;
        if (!callee || list?.type !== 'ArgList') return actAt(node);
        const place = placeOf(node);
        return {
          kind: 'call',
          callee: this.#expression(callee),
          given: this.#given(list),
          list: inside(list),
          ...place,
        };
      }
      default:
        return actAt(node);
    }
  }

  #joined(node: Node, makes: Makes): Part {
    const parts = node.children.flatMap((child) => {
      if (isExpression(child)) return [this.#expression(child)];
      return isWord(child) ? [] : [actAt(child)];
    });
    return valuesAt(node, makes, parts);
  }

  #format(node: Node): Part {
    const parts: Part[] = [];
    const quotes = /^\w{0,3}("""|'''|"|')/.exec(this.#textOf(node));
    let from = node.from + (quotes?.[0].length ?? 0);
    const addText = (to: number) => {
      if (to > from) parts.push(literalAt({ from, to }, this.#text.slice(from, to)));
    };
    for (const child of node.children)
      if (child.type === 'FormatReplacement') {
        addText(child.from);
        parts.push(this.#expression(child));
        from = child.to;
      } else if (!isWord(child)) parts.push(actAt(child));
    addText(node.to - (quotes?.[1]?.length ?? 0));
    // A value is put into a text behind a backslash, too.
    if (/\\\{/.test(this.#textOf(node))) parts.push(actAt(node));
    return valuesAt(node, 'one', parts);
  }

  #members({ children }: Node): Member[] {
    const found: Member[] = [];
    for (const [at, child] of children.entries()) {
      const before = children[at - 1]?.type;
      if (!isExpression(child)) {
        if (!isWord(child)) found.push({ value: actAt(child) });
      } else if (before === ':') {
        const key = children[at - 2];
        found.push({ key: key && this.#expression(key), value: this.#expression(child) });
      } else if (children[at + 1]?.type !== ':') found.push({ value: this.#expression(child) });
    }
    return found;
  }

  #lambda(node: Node): Part {
    const list = node.children.find(({ type }) => type === 'ParamList');
    const last = node.children.at(-1);
    const [parameters, before] = this.#parameters(list);
    const body = last && isExpression(last) ? this.#expression(last) : actAt(node);
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

  #comprehension(node: Node): Part {
    const { children } = node;
    const first = children.findIndex(({ type }) => type === 'for' || type === 'async');
    const loops: Part[] = [];
    let at = first;
    while (at >= 0 && at < children.length) {
      const next = children.findIndex(({ type }, index) => index > at && (type === 'for' || type === 'if'));
      const clause = children.slice(at, next < 0 ? undefined : next);
      const isLoop = clause[0]?.type === 'for';
      if (isLoop) loops.push(this.#loop(node, clause.slice(1)));
      else loops.push(...this.#expressions(clause));
      loops.push(...clause.filter((child) => !isExpression(child) && !isWord(child)).map((child) => actAt(child)));
      at = next;
    }
    return { kind: 'each', loops, results: this.#expressions(children.slice(0, first)), ...placeOf(node) };
  }

  #member(node: Node): Part {
    const [object, ...rest] = node.children;
    if (!object) return actAt(node);
    const name = rest.find(({ type }) => type === 'PropertyName');
    const of = this.#expression(object);
    if (name) return { kind: 'member', object: of, name: this.#textOf(name), ...placeOf(node) };
    const isCut = rest.some(({ type }) => type === ':');
    return { kind: 'index', object: of, keys: this.#expressions(rest), isCut, ...placeOf(node) };
  }

  #given({ children }: Node): Given[] {
    const found: Given[] = [];
    for (const [at, child] of children.entries()) {
      const before = children[at - 1]?.type ?? '';
      if (!isExpression(child)) {
        if (!isWord(child)) found.push({ part: actAt(child) });
      } else if (child.type === 'VariableName' && children[at + 1]?.type === 'AssignOp') continue;
      else if (before === 'AssignOp') {
        const name = children[at - 2];
        found.push({ keyword: name && this.#textOf(name), part: this.#expression(child) });
      } else found.push({ keyword: before.startsWith('*') ? SPREAD : undefined, part: this.#expression(child) });
    }
    return found;
  }
}

/** Signs whose value is yes or no. */
const COMPARES = /^(?:CompareOp|in|is|not)$/;

const placeOf = ({ from, to }: Node) => ({ from, to });
const inside = ({ from, to }: Node) => ({ from: from + 1, to: to - 1 });

const bindAt = (node: Node, targets: readonly Part[], value: Part): Part => ({
  kind: 'bind',
  targets,
  value,
  isNew: true,
  isVar: false,
  ...placeOf(node),
});

const callOf = (node: Node, name: string, part: Part): Part => ({
  kind: 'call',
  callee: { kind: 'name', name, ...placeOf(node) },
  given: [{ part }],
  list: placeOf(node),
  ...placeOf(node),
});

/** Whether the only statement gives a yes or no. */
function decides(body: Node): boolean {
  const [first, ...others] = body.children.filter(
    (child) => !isWord(child) && !(child.type === 'ExpressionStatement' && child.children[0]?.type === 'String'),
  );
  return (
    others.length === 0 && first?.type === 'ReturnStatement' && first.children.some(({ type }) => type === 'Boolean')
  );
}

/** Key words and signs, which the grammar names as they are written. */
const isWord = byType(
  (type) =>
    !/^[A-Z]/.test(type) ||
    /^(?:At|AssignOp|CompareOp|ArithOp|BitOp|UpdateOp|FormatConversion|FormatSelfDoc|Comment|Escape)$/.test(type),
);

const isExpression = byType((type) =>
  /(?:Expression|String|Replacement|Spec)$|^(?:VariableName|Number|Boolean|None|Ellipsis)$/.test(type),
);
