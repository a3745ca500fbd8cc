// Translates the syntax tree of a program in JavaScript or TypeScript.
import {
  actAt,
  blockAt,
  type FunctionPart,
  type Given,
  type Imported,
  literalAt,
  type Member,
  type Parameter,
  type Part,
  valuesAt,
} from './parts.ts';
import { SPREAD } from './language.ts';
import { byType, type Node } from './tree.ts';

export function partOfJavaScript(text: string, root: Node): Part {
  const translator = new Translator(text);
  return blockAt(root, [...translator.disputed(root), translator.block(root)]);
}

class Translator {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  #textOf = ({ from, to }: Node): string => this.#text.slice(from, to);

  /** What is something else to JavaScript than to TypeScript, or outside of an asynchronous function. */
  disputed(node: Node, found: Part[] = []): Part[] {
    const first = node.children.find(({ type }) => !/^(?:await|yield|Star|\w+Comment)$/.test(type));
    // `await /1; f()//` divides a variable.
    if (/^(?:Await|Yield)Expression$/.test(node.type) && first && startsWithPattern(first)) found.push(actAt(node));
    for (const [at, child] of node.children.entries()) {
      // A type may be one that is imported: `f<import("a")>(1)` compares.
      if (child.type === 'import' && node.type !== 'ImportDeclaration') found.push(actAt(child, 'import'));
      const before = node.children[at - 1];
      // After the end of a line it is a variable of that name.
      if (/^(?:as|satisfies)$/.test(child.type) && before && this.#text.slice(before.to, child.from).includes('\n'))
        found.push(actAt(child));
      this.disputed(child, found);
    }
    return found;
  }

  block(node: Node, isScope = false): Part {
    const parts = node.children.flatMap((child) => (isSilent(child) ? [] : [this.#statement(child)]));
    return blockAt(node, parts, isScope);
  }

  #expressions = (nodes: readonly Node[]): Part[] =>
    nodes.flatMap((node) => (isSilent(node) ? [] : [this.#expression(node)]));

  #mixed(node: Node, children: readonly Node[] = node.children): Part {
    return blockAt(
      node,
      children.flatMap((child) => {
        if (isStatement(child)) return [this.#statement(child)];
        return isSilent(child) ? [] : [this.#expression(child)];
      }),
    );
  }

  #statement(node: Node): Part {
    const { children } = node;
    switch (node.type) {
      case 'Block':
        return this.block(node, true);
      case 'ExpressionStatement':
      case 'IfStatement':
      case 'WhileStatement':
      case 'DoStatement':
      case 'ThrowStatement':
      case 'SwitchStatement':
      case 'SwitchBody':
      case 'CaseLabel':
      case 'DefaultLabel':
      case 'TryStatement':
      case 'FinallyClause':
      case 'LabeledStatement':
        return this.#mixed(node);
      case 'ReturnStatement':
        return { kind: 'return', parts: this.#expressions(children), isYield: false, ...placeOf(node) };
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'LineComment':
      case 'BlockComment':
      case 'Hashbang':
      case 'InterfaceDeclaration':
      case 'TypeAliasDeclaration':
      case ';':
        return blockAt(node, []);
      case 'VariableDeclaration':
        return blockAt(node, this.#declaration(node));
      case 'FunctionDeclaration':
        return this.#function(node, 'statement');
      case 'ClassDeclaration':
        return this.#class(node);
      case 'ForStatement':
        return this.#loop(node);
      case 'CatchClause':
        return blockAt(
          node,
          children.flatMap((child) => {
            if (child.type === 'Block') return [this.#statement(child)];
            return isSilent(child)
              ? []
              : [bindAt(node, [this.#target(child)], { kind: 'literal', isBlind: true, ...placeOf(node) })];
          }),
        );
      case 'ImportDeclaration':
        return this.#import(node);
      case 'ExportDeclaration':
        return this.#export(node);
      case 'EnumDeclaration':
        return this.#enum(node);
      default:
        return actAt(node);
    }
  }

  #declaration({ children }: Node): Part[] {
    const isVar = children[0]?.type === 'var';
    const found: Part[] = [];
    for (let at = 0; at < children.length; at += 1) {
      const target = children[at];
      if (!target) continue;
      if (!isTarget(target)) {
        if (!isSilent(target) || target.type === 'using') found.push(actAt(target));
        continue;
      }
      while (children[at + 1]?.type === 'TypeAnnotation') at += 1;
      const value = children[at + 1]?.type === 'Equals' ? children[at + 2] : undefined;
      if (value) at += 2;
      const part = value ? this.#expression(value) : literalAt(target);
      found.push(bindAt(target, [this.#target(target)], part, true, isVar));
    }
    return found;
  }

  /** What gets a value. */
  #target(node: Node): Part {
    switch (node.type) {
      case 'VariableDefinition':
      case 'VariableName':
        return { kind: 'name', name: this.#textOf(node), ...placeOf(node) };
      case 'ArrayPattern':
      case 'ArrayExpression':
        return valuesAt(node, 'list', this.#elements(node));
      case 'ObjectPattern':
        return {
          kind: 'pattern',
          properties: node.children.flatMap((child) => (isSilent(child) ? [] : [this.#property(child)])),
          ...placeOf(node),
        };
      case 'AssignmentExpression': {
        const [inner, , preset] = node.children;
        return inner && preset ? bindAt(node, [this.#target(inner)], this.#expression(preset)) : actAt(node);
      }
      case 'MemberExpression':
        return this.#member(node);
      default:
        return actAt(node);
    }
  }

  /** `[a, b = 1, ...c]` */
  #elements({ children }: Node): Part[] {
    return children.flatMap((child, at) => {
      if (isSilent(child) || children[at - 1]?.type === 'Equals') return [];
      const preset = children[at + 1]?.type === 'Equals' ? children[at + 2] : undefined;
      const target = this.#target(child);
      return [preset ? bindAt(child, [target], this.#expression(preset)) : target];
    });
  }

  /** `{ name }`, `{ name: other = 1 }` and `{ ...rest }` of a pattern. */
  #property(node: Node): Parameter & { name?: string } {
    const parts = node.children.filter(({ type }) => type !== ':' && type !== ',');
    const equals = parts.findIndex(({ type }) => type === 'Equals');
    const presetNode = equals >= 0 ? parts[equals + 1] : undefined;
    const preset = presetNode && this.#expression(presetNode);
    const [first, second] = equals >= 0 ? parts.slice(0, equals) : parts;
    if (first?.type === 'Spread' && second) return { target: this.#target(second) };
    if (node.type !== 'PatternProperty' || !/^(?:VariableDefinition|PropertyName)$/.test(first?.type ?? ''))
      return { target: actAt(node) };
    const named = first ?? node;
    return { name: this.#textOf(named), target: this.#target(second ?? named), preset };
  }

  #loop(node: Node): Part {
    const parts = node.children.flatMap((child): Part[] => {
      if (child.type === 'ForSpec')
        return child.children.flatMap((part) => {
          if (part.type === 'VariableDeclaration') return this.#declaration(part);
          return isSilent(part) ? [] : [this.#expression(part)];
        });
      if (child.type === 'ForOfSpec' || child.type === 'ForInSpec') {
        const [target, list, ...others] = child.children.filter((part) => !isSilent(part));
        if (!target || !list || others.length > 0) return [actAt(child)];
        return [{ kind: 'loop', targets: [this.#target(target)], list: this.#expression(list), ...placeOf(child) }];
      }
      return isStatement(child) ? [this.#statement(child)] : isSilent(child) ? [] : [actAt(child)];
    });
    return blockAt(node, parts, true);
  }

  #import(node: Node): Part {
    const { children } = node;
    if (children.some(({ type }) => type === 'type')) return blockAt(node, []);
    const from = children.find(({ type }) => type === 'String');
    const module = moduleOf(from ? this.#textOf(from) : '');
    const names: Imported[] = [];
    const acts: Part[] = [];
    for (const child of children) {
      if (child.type === 'VariableDefinition') names.push({ as: this.#textOf(child), name: module });
      if (child.type !== 'ImportGroup') continue;
      const parts = child.children.filter(({ type }) => /^(?:VariableName|VariableDefinition|String)$/.test(type));
      for (let at = 0; at < parts.length; at += 1) {
        const part = parts[at];
        if (!part) continue;
        const what = this.#textOf(part);
        const name = what === 'default' ? module : `${module}.${what}`;
        if (part.type === 'VariableDefinition') {
          names.push({ as: what, name: `${module}.${what}` });
          continue;
        }
        at += 1;
        const as = parts[at];
        if (part.type === 'String') acts.push(actAt(part));
        if (as) names.push({ as: this.#textOf(as), name });
      }
    }
    return blockAt(node, [{ kind: 'import', module, names, ...placeOf(node) }, ...acts]);
  }

  #export(node: Node): Part {
    const parts = node.children.flatMap((child): Part[] => {
      if (child.type === 'String' || child.type === 'Star') return [actAt(node)];
      if (isStatement(child)) return [this.#statement(child)];
      if (child.type === 'ExportGroup' || isSilent(child)) return [];
      // Others may call it.
      return [valuesAt(child, 'list', [this.#expression(child)])];
    });
    const [only] = parts;
    return parts.length === 1 && only ? only : blockAt(node, parts);
  }

  #enum(node: Node): Part {
    const { children } = node;
    const name = children.find(({ type }) => type === 'TypeDefinition');
    const body = children.find(({ type }) => type === 'EnumBody');
    const values = (body?.children ?? []).filter(({ type }) => type !== 'PropertyName' && type !== 'Equals');
    const value = valuesAt(node, 'list', this.#expressions(values));
    if (!name) return actAt(node);
    return bindAt(node, [{ kind: 'name', name: this.#textOf(name), ...placeOf(name) }], value);
  }

  // Functions and classes

  #function(node: Node, role: FunctionPart['role'], name?: string, isGetter = false): FunctionPart {
    const title = node.children.find(({ type }) => type === 'VariableDefinition');
    const list = node.children.findIndex(({ type }) => type === 'ParamList');
    const [parameters, acts] = this.#parameters(node.children[list]);
    const after = list < 0 ? node.children.slice(-1) : node.children.slice(list + 1);
    const parts = after.filter((child) => !isSilent(child));
    const [body] = parts;
    const isValue = role === 'arrow' && body !== undefined && body.type !== 'Block';
    const translated = parts.map((child) => {
      if (child.type === 'Block') return this.block(child, true);
      return role === 'arrow' ? this.#expression(child) : actAt(child);
    });
    return {
      kind: 'function',
      name: name ?? (title ? this.#textOf(title) : ''),
      role,
      parameters,
      body:
        translated.length === 1 && acts.length === 0 && translated[0]
          ? translated[0]
          : blockAt(node, [...acts, ...translated]),
      isValue: isValue && acts.length === 0,
      isGetter,
      decides: decides(body),
      ...placeOf(node),
    };
  }

  /** @returns the parameters, and what is not understood of them */
  #parameters(list: Node | undefined): [Parameter[], Part[]] {
    const found: Parameter[] = [];
    const acts: Part[] = [];
    const parts = list?.children ?? [];
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at];
      if (!part || isSilent(part)) continue;
      if (part.type === 'Decorator') {
        acts.push(actAt(part));
        continue;
      }
      const isMember = parts[at - 1]?.type === 'Privacy';
      while (parts[at + 1]?.type === 'TypeAnnotation' || parts[at + 1]?.type === 'Optional') at += 1;
      const preset = parts[at + 1]?.type === 'Equals' ? parts[at + 2] : undefined;
      if (parts[at + 1]?.type === 'Equals') at += 2;
      found.push({
        target: part.type === 'this' ? literalAt(part) : this.#target(part),
        preset: preset && this.#expression(preset),
        isMember,
      });
    }
    return [found.filter(({ target }) => target.kind !== 'literal'), acts];
  }

  #class(node: Node): Part {
    const name = node.children.find(({ type }) => type === 'VariableDefinition');
    const body = node.children.find(({ type }) => type === 'ClassBody');
    const decorators = node.children.filter(({ type }) => type === 'Decorator').map((child) => actAt(child));
    const bases = node.children.filter(
      (child) => !/^(?:VariableDefinition|ClassBody|Decorator)$/.test(child.type) && !isSilent(child),
    );
    return {
      kind: 'class',
      name: name ? this.#textOf(name) : '',
      bases: bases.map((child) => this.#expression(child)),
      body: [...decorators, ...(body ? this.#classBody(body) : [])],
      ...placeOf(node),
    };
  }

  #classBody(body: Node): Part[] {
    return body.children.flatMap((child): Part[] => {
      if (isSilent(child)) return [];
      if (child.type === 'StaticBlock')
        return child.children.flatMap((part) => {
          if (part.type === 'Block') return [this.#statement(part)];
          return isSilent(part) ? [] : [actAt(part)];
        });
      if (child.type === 'MethodDeclaration') return this.#method(child);
      return [child.type === 'PropertyDeclaration' ? this.#field(child) : actAt(child)];
    });
  }

  /** A method of a class or an object, behind what its name is computed from. */
  #method(node: Node): Part[] {
    const at = node.children.findIndex(({ type }) => type === 'ParamList');
    const before = node.children.slice(0, Math.max(at, 0));
    const computed = before.flatMap((part): Part[] => {
      if (part.type === 'Decorator') return [actAt(part)];
      if (isSilent(part) || /^(?:PropertyDefinition|PrivatePropertyDefinition|String|Number)$/.test(part.type))
        return [];
      return [this.#expression(part)];
    });
    const named = before.find(({ type }) => type.endsWith('PropertyDefinition'));
    const name = named ? this.#textOf(named) : '';
    const isGetter = before.some(({ type }) => type === 'get');
    const role = name === 'constructor' ? 'constructor' : 'method';
    return [...computed, this.#function(node, role, name, isGetter)];
  }

  #field(node: Node): Part {
    const equals = node.children.findIndex(({ type }) => type === 'Equals');
    const name = node.children.find(({ type }) => type.endsWith('PropertyDefinition'));
    if (node.children.some(({ type }) => type === 'Decorator') || !name) return actAt(node);
    const value = equals < 0 ? undefined : node.children[equals + 1];
    const part = value ? this.#expression(value) : literalAt(node);
    return { kind: 'field', name: this.#textOf(name), value: part, ...placeOf(node) };
  }

  // Expressions

  #expression(node: Node): Part {
    const { children } = node;
    switch (node.type) {
      case 'Number':
      case 'BooleanLiteral':
      case 'RegExp':
      case 'null':
      case 'NullType':
      case 'NewTarget':
        return literalAt(node);
      case 'String':
        return literalAt(node, this.#textOf(node).slice(1, -1));
      case 'super':
      case 'this':
        return { kind: 'name', name: 'this', ...placeOf(node) };
      case 'VariableName':
        return { kind: 'name', name: this.#textOf(node), ...placeOf(node) };
      case 'TemplateString':
        return this.#template(node);
      case 'ArrayExpression':
        return this.#list(node);
      case 'Interpolation':
      case 'ConditionalExpression':
      case 'AwaitExpression':
      case 'SequenceExpression':
        return valuesAt(node, 'one', this.#expressions(withoutTypes(children)));
      case 'BinaryExpression': {
        const [name, sign, object] = children;
        if (name?.type === 'String' && sign?.type === 'in' && object)
          return { kind: 'asked', name: this.#expression(name), object: this.#expression(object), ...placeOf(node) };
        return valuesAt(node, sign?.type === 'CompareOp' ? 'answer' : 'one', this.#expressions(withoutTypes(children)));
      }
      case 'UnaryExpression': {
        const [sign, inner] = children;
        if (!sign || !inner) return actAt(node);
        if (sign.type !== 'delete') return valuesAt(node, 'one', [this.#expression(inner)]);
        return inner.type === 'MemberExpression'
          ? { kind: 'remove', targets: [this.#member(inner)], ...placeOf(node) }
          : actAt(node);
      }
      case 'PostfixExpression': {
        const [inner] = children;
        if (!inner) return actAt(node);
        // `value!` of TypeScript is the value.
        const value = this.#expression(inner);
        return children.at(-1)?.type === 'LogicOp' ? value : valuesAt(node, 'one', [value]);
      }
      case 'ParenthesizedExpression': {
        const inner = this.#expressions(children);
        return inner.length === 1 && inner[0] ? inner[0] : valuesAt(node, 'one', inner);
      }
      case 'PrefixCast': {
        const last = children.at(-1);
        return last ? valuesAt(node, 'one', [this.#expression(last)]) : literalAt(node);
      }
      case 'InstantiationExpression':
        return children[0] ? this.#expression(children[0]) : actAt(node);
      case 'AssignmentExpression':
        return this.#assignment(node);
      case 'YieldExpression':
        return { kind: 'return', parts: this.#expressions(children), isYield: true, ...placeOf(node) };
      case 'ArrowFunction':
        return this.#function(node, 'arrow');
      case 'FunctionExpression':
        return this.#function(node, 'expression');
      case 'ClassExpression':
        return this.#class(node);
      case 'ObjectExpression':
        return { kind: 'object', members: this.#members(node), ...placeOf(node) };
      case 'MemberExpression':
        return this.#member(node);
      case 'CallExpression':
      case 'NewExpression':
      case 'TaggedTemplateExpression':
        return this.#call(node);
      default:
        return actAt(node);
    }
  }

  #assignment(node: Node): Part {
    const [target, sign, value] = node.children;
    if (!target || !value) return actAt(node);
    const given = this.#expression(value);
    if (target.type === 'ObjectExpression') return actAt(node, '', [given]);
    const to = this.#target(target);
    const isUpdate = sign?.type === 'UpdateOp';
    return bindAt(node, [to], isUpdate ? valuesAt(node, 'one', [this.#expression(target), given]) : given, false);
  }

  /** A list; the elements of one that is spread out are those of it. */
  #list(node: Node): Part {
    const { children } = node;
    const isSpread = children.some(({ type }) => type === 'Spread');
    return valuesAt(node, isSpread ? 'one' : 'list', this.#expressions(children));
  }

  #template(node: Node): Part {
    const parts: Part[] = [];
    let from = node.from + 1;
    const addText = (to: number) => {
      if (to > from) parts.push(literalAt({ from, to }, this.#text.slice(from, to)));
    };
    for (const child of node.children) {
      if (child.type !== 'Interpolation') continue;
      addText(child.from);
      parts.push(this.#expression(child));
      from = child.to;
    }
    addText(node.to - 1);
    return valuesAt(node, 'one', parts);
  }

  #member(node: Node): Part {
    const [object, ...rest] = node.children;
    if (!object) return actAt(node);
    const name = rest.find(({ type }) => type === 'PropertyName' || type === 'PrivatePropertyName');
    const of = this.#expression(object);
    if (name) return { kind: 'member', object: of, name: this.#textOf(name), ...placeOf(node) };
    return { kind: 'index', object: of, keys: this.#expressions(rest), isCut: false, ...placeOf(node) };
  }

  #members(node: Node): Member[] {
    return node.children.flatMap((child): Member[] => {
      if (isSilent(child)) return [];
      if (child.type !== 'Property') return [{ value: actAt(child) }];
      if (child.children.some(({ type }) => type === 'ParamList'))
        return this.#method(child).map((value) => ({ value }));
      const parts = child.children.filter((part) => !isSilent(part) && part.type !== ':');
      const colon = child.children.some(({ type }) => type === ':');
      const [first, value] = parts;
      if (first === undefined) return [];
      const isNamed = /^(?:PropertyDefinition|String|Number)$/.test(first.type);
      const name = isNamed ? this.#textOf(first).replaceAll(/["']/g, '') : undefined;
      // `{ name }` is short for `{ name: name }`, and `{ ...others }` has no name.
      if (colon && value)
        return [{ name, key: isNamed ? undefined : this.#expression(first), value: this.#expression(value) }];
      if (name === undefined) return [{ value: this.#expression(first) }];
      return [{ name, value: { kind: 'name', name, ...placeOf(first) } }];
    });
  }

  #call(node: Node): Part {
    const parts = node.children.filter(({ type }) => type !== 'new' && type !== '?.' && type !== 'TypeArgList');
    const [callee, list] = parts;
    if (callee?.type === 'import') return actAt(node, 'import');
    if (!callee || (list !== undefined && list.type !== 'ArgList' && list.type !== 'TemplateString'))
      return actAt(node);
    const isTemplate = list?.type === 'TemplateString';
    const place = { from: node.from, to: node.to };
    const given = list === undefined ? [] : isTemplate ? [{ part: this.#template(list) }] : this.#given(list);
    const args = list === undefined ? { from: node.to, to: node.to } : { from: list.from + 1, to: list.to - 1 };
    return { kind: 'call', callee: this.#expression(callee), given, list: args, ...place };
  }

  #given({ children }: Node): Given[] {
    return children.flatMap((child, at) => {
      if (isSilent(child)) return [];
      return [{ part: this.#expression(child), keyword: children[at - 1]?.type === 'Spread' ? SPREAD : undefined }];
    });
  }
}

const placeOf = ({ from, to }: Node) => ({ from, to });

const bindAt = (node: Node, targets: readonly Part[], value: Part, isNew = true, isVar = false): Part => ({
  kind: 'bind',
  targets,
  value,
  isNew,
  isVar,
  ...placeOf(node),
});

/** Whether a function only gives a yes or no. */
function decides(body: Node | undefined): boolean {
  if (body?.type === 'BooleanLiteral') return true;
  if (body?.type !== 'Block') return false;
  const [first, ...others] = body.children.filter((child) => !isSilent(child));
  return (
    others.length === 0 &&
    first?.type === 'ReturnStatement' &&
    first.children.some(({ type }) => type === 'BooleanLiteral')
  );
}

const startsWithPattern = ({ type, children }: Node): boolean => {
  const [first] = children.filter((child) => !child.type.endsWith('Comment'));
  return type === 'RegExp' || (first !== undefined && startsWithPattern(first));
};

const moduleOf = (quoted: string): string => quoted.slice(1, -1).replace(/^node:/, '');

const SILENT: ReadonlySet<string> = new Set(
  'LineComment BlockComment Equals UpdateOp CompareOp ArithOp BitOp LogicOp Arrow Spread Star Optional Privacy Label Escape InterpolationStart InterpolationEnd TypeAnnotation TypeParamList TypeArgList TypeDefinition'.split(
    ' ',
  ),
);
/** Signs, key words, comments and types: what does nothing by itself. */
const isSilent = byType(
  (type) => SILENT.has(type) || (!/^[A-Z]/.test(type) && type !== 'this' && type !== 'super' && type !== 'null'),
);

/** `value as Type`: what follows is no value. */
function withoutTypes(children: readonly Node[]): readonly Node[] {
  const at = children.findIndex(({ type }) => type === 'as' || type === 'satisfies');
  return at < 0 ? children : children.slice(0, at);
}

const isStatement = byType((type) =>
  /(?:Statement|Declaration|Clause|.Label)$|^(?:Block|SwitchBody|Hashbang)$/.test(type),
);

const isTarget = byType((type) => /^(?:VariableDefinition|ArrayPattern|ObjectPattern)$/.test(type));
