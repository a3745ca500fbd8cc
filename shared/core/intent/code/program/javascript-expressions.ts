// Translates the expressions of a program in JavaScript or TypeScript.
import {
  actAt,
  type FunctionPart,
  type Given,
  literalAt,
  type Member,
  type Parameter,
  type Part,
  valuesAt,
  placeOf,
  bindAt,
} from './parts.ts';
import { SPREAD } from './language.ts';
import { byType, type Node } from './tree.ts';

export abstract class JavaScriptExpressions {
  protected abstract functionOf(node: Node, role: FunctionPart['role']): FunctionPart;
  protected abstract classOf(node: Node): Part;
  /** A method of a class or an object, behind what its name is computed from. */
  protected abstract methodOf(node: Node): Part[];

  protected readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  protected textOf = ({ from, to }: Node): string => this.text.slice(from, to);

  protected expressions = (nodes: readonly Node[]): Part[] =>
    nodes.flatMap((node) => (isSilent(node) ? [] : [this.expression(node)]));

  /** What gets a value. */
  protected target(node: Node): Part {
    switch (node.type) {
      case 'VariableDefinition':
      case 'VariableName':
        return { kind: 'name', name: this.textOf(node), ...placeOf(node) };
      case 'ArrayPattern':
      case 'ArrayExpression':
        return valuesAt(node, 'list', this.elements(node));
      case 'ObjectPattern':
        return {
          kind: 'pattern',
          properties: node.children.flatMap((child) => (isSilent(child) ? [] : [this.property(child)])),
          ...placeOf(node),
        };
      case 'AssignmentExpression': {
        const [inner, , preset] = node.children;
        return inner && preset ? bindAt(node, [this.target(inner)], this.expression(preset)) : actAt(node);
      }
      case 'MemberExpression':
        return this.member(node);
      default:
        return actAt(node);
    }
  }

  /** `[a, b = 1, ...c]` */
  protected elements({ children }: Node): Part[] {
    return children.flatMap((child, at) => {
      if (isSilent(child) || children[at - 1]?.type === 'Equals') return [];
      const preset = children[at + 1]?.type === 'Equals' ? children[at + 2] : undefined;
      const target = this.target(child);
      return [preset ? bindAt(child, [target], this.expression(preset)) : target];
    });
  }

  /** `{ name }`, `{ name: other = 1 }` and `{ ...rest }` of a pattern. */
  protected property(node: Node): Parameter & { name?: string } {
    const parts = node.children.filter(({ type }) => type !== ':' && type !== ',');
    const equals = parts.findIndex(({ type }) => type === 'Equals');
    const presetNode = equals >= 0 ? parts[equals + 1] : undefined;
    const preset = presetNode && this.expression(presetNode);
    const [first, second] = equals >= 0 ? parts.slice(0, equals) : parts;
    if (first?.type === 'Spread' && second) return { target: this.target(second) };
    if (node.type !== 'PatternProperty' || !/^(?:VariableDefinition|PropertyName)$/.test(first?.type ?? ''))
      return { target: actAt(node) };
    const named = first ?? node;
    return { name: this.textOf(named), target: this.target(second ?? named), preset };
  }

  // Expressions
  protected expression(node: Node): Part {
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
        return literalAt(node, this.textOf(node).slice(1, -1));
      case 'super':
      case 'this':
        return { kind: 'name', name: 'this', ...placeOf(node) };
      case 'VariableName':
        return { kind: 'name', name: this.textOf(node), ...placeOf(node) };
      case 'TemplateString':
        return this.template(node);
      case 'ArrayExpression':
        return this.list(node);
      case 'Interpolation':
        return valuesAt(node, 'text', this.expressions(withoutTypes(children)));
      case 'ConditionalExpression':
      case 'AwaitExpression':
      case 'SequenceExpression':
        return valuesAt(node, 'one', this.expressions(withoutTypes(children)));
      case 'BinaryExpression': {
        const [name, sign, object] = children;
        if (name?.type === 'String' && sign?.type === 'in' && object)
          return { kind: 'asked', name: this.expression(name), object: this.expression(object), ...placeOf(node) };
        const makes = sign?.type === 'CompareOp' ? 'answer' : sign && this.textOf(sign) === '+' ? 'text' : 'one';
        return valuesAt(node, makes, this.expressions(withoutTypes(children)));
      }
      case 'UnaryExpression': {
        const [sign, inner] = children;
        if (!sign || !inner) return actAt(node);
        if (sign.type !== 'delete') return valuesAt(node, 'one', [this.expression(inner)]);
        return inner.type === 'MemberExpression'
          ? { kind: 'remove', targets: [this.member(inner)], ...placeOf(node) }
          : actAt(node);
      }
      case 'PostfixExpression': {
        const [inner] = children;
        if (!inner) return actAt(node);
        // `value!` of TypeScript is the value.
        const value = this.expression(inner);
        return children.at(-1)?.type === 'LogicOp' ? value : valuesAt(node, 'one', [value]);
      }
      case 'ParenthesizedExpression': {
        const inner = this.expressions(children);
        return inner.length === 1 && inner[0] ? inner[0] : valuesAt(node, 'one', inner);
      }
      case 'PrefixCast': {
        const last = children.at(-1);
        return last ? valuesAt(node, 'one', [this.expression(last)]) : literalAt(node);
      }
      case 'InstantiationExpression':
        return children[0] ? this.expression(children[0]) : actAt(node);
      case 'AssignmentExpression':
        return this.assignment(node);
      case 'YieldExpression':
        return { kind: 'return', parts: this.expressions(children), isYield: true, ...placeOf(node) };
      case 'ArrowFunction':
        return this.functionOf(node, 'arrow');
      case 'FunctionExpression':
        return this.functionOf(node, 'expression');
      case 'ClassExpression':
        return this.classOf(node);
      case 'ObjectExpression':
        return { kind: 'object', members: this.members(node), ...placeOf(node) };
      case 'MemberExpression':
        return this.member(node);
      case 'CallExpression':
      case 'NewExpression':
      case 'TaggedTemplateExpression':
        return this.call(node);
      default:
        return actAt(node);
    }
  }

  protected assignment(node: Node): Part {
    const [target, sign, value] = node.children;
    if (!target || !value) return actAt(node);
    const given = this.expression(value);
    if (target.type === 'ObjectExpression') return actAt(node, '', [given]);
    const to = this.target(target);
    const isUpdate = sign?.type === 'UpdateOp';
    return bindAt(node, [to], isUpdate ? valuesAt(node, 'one', [this.expression(target), given]) : given, false);
  }

  /** A list; the elements of one that is spread out are those of it. */
  protected list(node: Node): Part {
    const { children } = node;
    const isSpread = children.some(({ type }) => type === 'Spread');
    return valuesAt(node, isSpread ? 'one' : 'list', this.expressions(children));
  }

  protected template(node: Node): Part {
    const parts: Part[] = [];
    let from = node.from + 1;
    const addText = (to: number) => {
      if (to > from) parts.push(literalAt({ from, to }, this.text.slice(from, to)));
    };
    for (const child of node.children) {
      if (child.type !== 'Interpolation') continue;
      addText(child.from);
      parts.push(this.expression(child));
      from = child.to;
    }
    addText(node.to - 1);
    return valuesAt(node, 'text', parts);
  }

  protected member(node: Node): Part {
    const [object, ...rest] = node.children;
    if (!object) return actAt(node);
    const name = rest.find(({ type }) => type === 'PropertyName' || type === 'PrivatePropertyName');
    const of = this.expression(object);
    if (name) return { kind: 'member', object: of, name: this.textOf(name), ...placeOf(node) };
    return { kind: 'index', object: of, keys: this.expressions(rest), isCut: false, ...placeOf(node) };
  }

  protected members(node: Node): Member[] {
    return node.children.flatMap((child): Member[] => {
      if (isSilent(child)) return [];
      if (child.type !== 'Property') return [{ value: actAt(child) }];
      if (child.children.some(({ type }) => type === 'ParamList'))
        return this.methodOf(child).map((value) => ({ value }));
      const parts = child.children.filter((part) => !isSilent(part) && part.type !== ':');
      const colon = child.children.some(({ type }) => type === ':');
      const [first, value] = parts;
      if (first === undefined) return [];
      const isNamed = /^(?:PropertyDefinition|String|Number)$/.test(first.type);
      const name = isNamed ? this.textOf(first).replaceAll(/["']/g, '') : undefined;
      // `{ name }` is short for `{ name: name }`, and `{ ...others }` has no name.
      if (colon && value)
        return [{ name, key: isNamed ? undefined : this.expression(first), value: this.expression(value) }];
      if (name === undefined) return [{ value: this.expression(first) }];
      return [{ name, value: { kind: 'name', name, ...placeOf(first) } }];
    });
  }

  protected call(node: Node): Part {
    const parts = node.children.filter(({ type }) => type !== 'new' && type !== '?.' && type !== 'TypeArgList');
    const [callee, list] = parts;
    if (callee?.type === 'import') return actAt(node, 'import');
    if (!callee || (list !== undefined && list.type !== 'ArgList' && list.type !== 'TemplateString'))
      return actAt(node);
    const isTemplate = list?.type === 'TemplateString';
    const place = { from: node.from, to: node.to };
    const given = list === undefined ? [] : isTemplate ? [{ part: this.template(list) }] : this.given(list);
    const args = list === undefined ? { from: node.to, to: node.to } : { from: list.from + 1, to: list.to - 1 };
    return { kind: 'call', callee: this.expression(callee), given, list: args, ...place };
  }

  protected given({ children }: Node): Given[] {
    return children.flatMap((child, at) => {
      if (isSilent(child)) return [];
      return [{ part: this.expression(child), keyword: children[at - 1]?.type === 'Spread' ? SPREAD : undefined }];
    });
  }
}

const SILENT: ReadonlySet<string> = new Set(
  'LineComment BlockComment Equals UpdateOp CompareOp ArithOp BitOp LogicOp Arrow Spread Star Optional Privacy Label Escape InterpolationStart InterpolationEnd TypeAnnotation TypeParamList TypeArgList TypeDefinition'.split(
    ' ',
  ),
);
/** Signs, key words, comments and types: what does nothing by itself. */
export const isSilent = byType(
  (type) => SILENT.has(type) || (!/^[A-Z]/.test(type) && type !== 'this' && type !== 'super' && type !== 'null'),
);

/** `value as Type`: what follows is no value. */
function withoutTypes(children: readonly Node[]): readonly Node[] {
  const at = children.findIndex(({ type }) => type === 'as' || type === 'satisfies');
  return at < 0 ? children : children.slice(0, at);
}
