// Translates the syntax tree of a program in Python.
import { actAt, blockAt, type ClassPart, type FunctionPart, type Part, valuesAt, bindAt, placeOf } from './parts.ts';
import { inside, isExpression, isWord, PythonExpressions } from './python-expressions.ts';
import { type Node } from './tree.ts';

export function partOfPython(text: string, root: Node): Part {
  return new Translator(text).block(root);
}

class Translator extends PythonExpressions {
  block(node: Node): Part {
    return blockAt(
      node,
      node.children.flatMap((child) => (isWord(child) ? [] : [this.statement(child)])),
    );
  }

  /** Expressions and blocks between key words. */
  protected parts(node: Node, children: readonly Node[] = node.children): Part {
    return blockAt(
      node,
      children.flatMap((child) => {
        if (isWord(child)) return [];
        return [
          child.type === 'Body' ? this.block(child) : isExpression(child) ? this.expression(child) : actAt(child),
        ];
      }),
    );
  }

  protected statement(node: Node): Part {
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
        return this.parts(node);
      case 'ReturnStatement':
      case 'YieldStatement':
        return { kind: 'return', parts: this.expressions(children), isYield: false, ...placeOf(node) };
      case 'PassStatement':
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'Comment':
        return blockAt(node, []);
      case 'AssignStatement':
        return this.assignment(node);
      case 'UpdateStatement': {
        const [target, , value] = children;
        if (!target || !value) return actAt(node);
        const to = this.expression(target);
        return bindAt(node, [to], valuesAt(node, 'one', [to, this.expression(value)]));
      }
      case 'ForStatement': {
        const body = children.findIndex(({ type }) => type === 'Body');
        return blockAt(node, [this.loop(node, children.slice(1, body)), this.parts(node, children.slice(body))]);
      }
      case 'WithStatement':
      case 'TryStatement':
        return this.withTargets(node);
      case 'DeleteStatement':
        return { kind: 'remove', targets: this.expressions(children), ...placeOf(node) };
      case 'ScopeStatement': {
        const names = children.filter(({ type }) => type === 'VariableName').map(this.textOf);
        return { kind: 'outer', names, ...placeOf(node) };
      }
      case 'ImportStatement':
        return this.import(node);
      case 'FunctionDefinition':
        return this.function(node, []);
      case 'ClassDefinition':
        return this.class(node);
      case 'DecoratedStatement':
        return this.decorated(node);
      case 'MatchStatement':
        return this.match(node);
      default:
        return actAt(node);
    }
  }

  protected assignment(node: Node): Part {
    const { children } = node;
    const type = children.find((child) => child.type === 'TypeDef');
    const types = type ? this.annotation(type) : [];
    const last = children.findLastIndex((child) => child.type === 'AssignOp');
    const [target] = children;
    if (last < 0) {
      // Only a type: `number: int`. A field of a class, which its objects are given.
      if (target?.type !== 'VariableName') return blockAt(node, [...types, ...this.expressions(children)]);
      const field: Part = { kind: 'field', name: this.textOf(target), value: undefined, ...placeOf(node) };
      return blockAt(node, this.isInClass ? [...types, field] : types);
    }
    const values = this.expressions(children.slice(last + 1));
    const value = values.length === 1 && values[0] ? values[0] : valuesAt(node, 'list', values);
    const groups: Node[][] = [[]];
    for (const child of children.slice(0, last))
      if (child.type === 'AssignOp') groups.push([]);
      else if (isExpression(child)) groups.at(-1)?.push(child);
    const targets = groups.flatMap((group) => {
      const parts = this.expressions(group);
      return parts.length > 1 ? [valuesAt(node, 'list', parts)] : parts;
    });
    return blockAt(node, [...types, bindAt(node, targets, value)]);
  }

  protected isInClass = false;

  /** `with open(a) as b:`, `except ValueError as error:` */
  protected withTargets(node: Node): Part {
    const parts: Part[] = [];
    const { children } = node;
    for (const [at, child] of children.entries()) {
      if (child.type === 'Body') parts.push(this.block(child));
      else if (isExpression(child)) {
        if (children[at - 1]?.type === 'as') continue;
        const target = children[at + 1]?.type === 'as' ? children[at + 2] : undefined;
        const [value, to] = [this.expression(child), target && this.expression(target)];
        if (node.type === 'WithStatement') parts.push({ kind: 'with', value, target: to, ...placeOf(node) });
        else
          parts.push(value, ...(to ? [bindAt(node, [to], { kind: 'literal', isBlind: true, ...placeOf(node) })] : []));
      } else if (!isWord(child)) parts.push(actAt(child));
    }
    return blockAt(node, parts);
  }

  protected import(node: Node): Part {
    const text = this.textOf(node)
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

  /** `class A[T: int]` */
  protected typeParameters(children: readonly Node[]): Part[] {
    const parts = children
      .filter(({ type }) => type === 'TypeParamList')
      .flatMap((list) => list.children.flatMap((parameter) => parameter.children));
    return parts.flatMap((part) => {
      if (part.type === 'TypeDef') return this.annotation(part);
      return isExpression(part) && part.type !== 'VariableName' ? [this.expression(part)] : [];
    });
  }

  protected function(node: Node, decorators: readonly string[]): Part {
    const { children } = node;
    const name = children.find(({ type }) => type === 'VariableName');
    const list = children.find(({ type }) => type === 'ParamList');
    const body = children.find(({ type }) => type === 'Body');
    const result = children.find(({ type }) => type === 'TypeDef');
    if (!name || !list || !body) return actAt(node);
    const [parameters, before] = this.parameters(list);
    before.push(...(result ? this.annotation(result) : []), ...this.typeParameters(children));
    const isMember = this.isInClass;
    const title = this.textOf(name);
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
      body: this.outsideOfClass(() => this.block(body)),
      isValue: false,
      isGetter: isMember && decorators.some((one) => /^(?:cached_)?property$/.test(one)),
      decides: decides(body),
      ...placeOf(node),
    };
    return before.length > 0 ? blockAt(node, [...before, part]) : part;
  }

  protected outsideOfClass<T>(translate: () => T, isInClass = false): T {
    const before = this.isInClass;
    this.isInClass = isInClass;
    const result = translate();
    this.isInClass = before;
    return result;
  }

  protected class(node: Node): Part {
    const { children } = node;
    const name = children.find(({ type }) => type === 'VariableName');
    const list = children.find(({ type }) => type === 'ArgList');
    const body = children.find(({ type }) => type === 'Body');
    if (!name || !body) return actAt(node);
    const before = this.typeParameters(children);
    const part: ClassPart = {
      kind: 'class',
      name: this.textOf(name),
      bases: list ? this.given(list).map(({ part: base }) => base) : [],
      body: this.outsideOfClass(() => [this.block(body)], true),
      ...placeOf(node),
    };
    return before.length > 0 ? blockAt(node, [...before, part]) : part;
  }

  protected decorated(node: Node): Part {
    const decorators: Part[] = [];
    const names: string[] = [];
    for (const child of node.children) {
      if (child.type === 'Decorator') {
        const { from } = child.children[1] ?? child;
        names.push(this.text.slice(from, child.to).trim());
        decorators.push(this.decorator(child));
      } else if (child.type === 'Comment') continue;
      else {
        const part =
          child.type === 'FunctionDefinition'
            ? this.function(child, names)
            : child.type === 'ClassDefinition'
              ? this.class(child)
              : actAt(child);
        const of = part.kind === 'block' ? part.parts.at(-1) : part;
        const before = part.kind === 'block' ? part.parts.slice(0, -1) : [];
        if (of?.kind !== 'function' && of?.kind !== 'class') return actAt(node, '', [...decorators, part]);
        return blockAt(node, [...before, { kind: 'decorated', decorators, of, ...placeOf(node) }]);
      }
    }
    return actAt(node);
  }

  protected decorator(node: Node): Part {
    const [first, ...rest] = node.children.filter(({ type }) => type !== 'At' && type !== '.');
    if (!first || !isExpression(first)) return actAt(node);
    return rest.reduce((part: Part, child): Part => {
      const place = { from: part.from, to: child.to };
      if (child.type === 'ArgList')
        return { kind: 'call', callee: part, given: this.given(child), list: inside(child), ...place };
      return child.type === 'PropertyName' || child.type === 'VariableName'
        ? { kind: 'member', object: part, name: this.textOf(child), ...place }
        : actAt(node, '', [part]);
    }, this.expression(first));
  }

  protected match(node: Node): Part {
    const pattern = (part: Node): Part[] =>
      part.children.flatMap((child) => {
        if (child.type === 'Guard') return [this.parts(child)];
        if (child.type === 'Body') return [this.block(child)];
        const isNamed = /^(?:Capture|As|Star|Mapping)Pattern$/.test(child.type);
        const name = isNamed ? child.children.findLast(({ type }) => type === 'VariableName') : undefined;
        const matched = valuesAt(child, 'one', [
          { kind: 'name', name: '', ...placeOf(child) },
          { kind: 'literal', isBlind: true, ...placeOf(child) },
        ]);
        return [...(name ? [bindAt(node, [this.expression(name)], matched)] : []), ...pattern(child)];
      });
    const parts = node.children.flatMap((child) => {
      if (child.type === 'MatchBody') return pattern(child);
      return isExpression(child) ? [this.expression(child)] : [];
    });
    return blockAt(node, parts);
  }
}

/** Whether the only statement gives a yes or no. */
function decides(body: Node): boolean {
  const [first, ...others] = body.children.filter(
    (child) => !isWord(child) && !(child.type === 'ExpressionStatement' && child.children[0]?.type === 'String'),
  );
  return (
    others.length === 0 && first?.type === 'ReturnStatement' && first.children.some(({ type }) => type === 'Boolean')
  );
}
