// Translates the syntax tree of a program in JavaScript or TypeScript.
import {
  actAt,
  blockAt,
  type FunctionPart,
  type Imported,
  literalAt,
  type Parameter,
  type Part,
  valuesAt,
  bindAt,
  placeOf,
} from './parts.ts';
import { isSilent, JavaScriptExpressions } from './javascript-expressions.ts';
import { byType, type Node } from './tree.ts';

export function partOfJavaScript(text: string, root: Node): Part {
  const translator = new Translator(text);
  return blockAt(root, [...translator.disputed(root), translator.block(root)]);
}

class Translator extends JavaScriptExpressions {
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
      if (/^(?:as|satisfies)$/.test(child.type) && before && this.text.slice(before.to, child.from).includes('\n'))
        found.push(actAt(child));
      this.disputed(child, found);
    }
    return found;
  }

  block(node: Node, isScope = false): Part {
    const parts = node.children.flatMap((child) => (isSilent(child) ? [] : [this.statement(child)]));
    return blockAt(node, parts, isScope);
  }

  protected mixed(node: Node, children: readonly Node[] = node.children): Part {
    return blockAt(
      node,
      children.flatMap((child) => {
        if (isStatement(child)) return [this.statement(child)];
        return isSilent(child) ? [] : [this.expression(child)];
      }),
    );
  }

  protected statement(node: Node): Part {
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
        return this.mixed(node);
      case 'ReturnStatement':
        return { kind: 'return', parts: this.expressions(children), isYield: false, ...placeOf(node) };
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
        return blockAt(node, this.declaration(node));
      case 'FunctionDeclaration':
        return this.functionOf(node, 'statement');
      case 'ClassDeclaration':
        return this.classOf(node);
      case 'ForStatement':
        return this.loop(node);
      case 'CatchClause':
        return blockAt(
          node,
          children.flatMap((child) => {
            if (child.type === 'Block') return [this.statement(child)];
            return isSilent(child)
              ? []
              : [bindAt(node, [this.target(child)], { kind: 'literal', isBlind: true, ...placeOf(node) })];
          }),
        );
      case 'ImportDeclaration':
        return this.import(node);
      case 'ExportDeclaration':
        return this.export(node);
      case 'EnumDeclaration':
        return this.enum(node);
      default:
        return actAt(node);
    }
  }

  protected declaration({ children }: Node): Part[] {
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
      const part = value ? this.expression(value) : literalAt(target);
      found.push(bindAt(target, [this.target(target)], part, true, isVar));
    }
    return found;
  }

  protected loop(node: Node): Part {
    const parts = node.children.flatMap((child): Part[] => {
      if (child.type === 'ForSpec')
        return child.children.flatMap((part) => {
          if (part.type === 'VariableDeclaration') return this.declaration(part);
          return isSilent(part) ? [] : [this.expression(part)];
        });
      if (child.type === 'ForOfSpec' || child.type === 'ForInSpec') {
        const [target, list, ...others] = child.children.filter((part) => !isSilent(part));
        if (!target || !list || others.length > 0) return [actAt(child)];
        return [{ kind: 'loop', targets: [this.target(target)], list: this.expression(list), ...placeOf(child) }];
      }
      return isStatement(child) ? [this.statement(child)] : isSilent(child) ? [] : [actAt(child)];
    });
    return blockAt(node, parts, true);
  }

  protected import(node: Node): Part {
    const { children } = node;
    if (children.some(({ type }) => type === 'type')) return blockAt(node, []);
    const from = children.find(({ type }) => type === 'String');
    const module = moduleOf(from ? this.textOf(from) : '');
    const names: Imported[] = [];
    const acts: Part[] = [];
    for (const child of children) {
      if (child.type === 'VariableDefinition') names.push({ as: this.textOf(child), name: module });
      if (child.type !== 'ImportGroup') continue;
      const parts = child.children.filter(({ type }) => /^(?:VariableName|VariableDefinition|String)$/.test(type));
      for (let at = 0; at < parts.length; at += 1) {
        const part = parts[at];
        if (!part) continue;
        const what = this.textOf(part);
        const name = what === 'default' ? module : `${module}.${what}`;
        if (part.type === 'VariableDefinition') {
          names.push({ as: what, name: `${module}.${what}` });
          continue;
        }
        at += 1;
        const as = parts[at];
        if (part.type === 'String') acts.push(actAt(part));
        if (as) names.push({ as: this.textOf(as), name });
      }
    }
    return blockAt(node, [{ kind: 'import', module, names, ...placeOf(node) }, ...acts]);
  }

  protected export(node: Node): Part {
    const parts = node.children.flatMap((child): Part[] => {
      if (child.type === 'String' || child.type === 'Star') return [actAt(node)];
      if (isStatement(child)) return [this.statement(child)];
      if (child.type === 'ExportGroup' || isSilent(child)) return [];
      // Others may call it.
      return [valuesAt(child, 'list', [this.expression(child)])];
    });
    const [only] = parts;
    return parts.length === 1 && only ? only : blockAt(node, parts);
  }

  protected enum(node: Node): Part {
    const { children } = node;
    const name = children.find(({ type }) => type === 'TypeDefinition');
    const body = children.find(({ type }) => type === 'EnumBody');
    const values = (body?.children ?? []).filter(({ type }) => type !== 'PropertyName' && type !== 'Equals');
    const value = valuesAt(node, 'list', this.expressions(values));
    if (!name) return actAt(node);
    return bindAt(node, [{ kind: 'name', name: this.textOf(name), ...placeOf(name) }], value);
  }

  // Functions and classes
  protected functionOf(node: Node, role: FunctionPart['role'], name?: string, isGetter = false): FunctionPart {
    const title = node.children.find(({ type }) => type === 'VariableDefinition');
    const list = node.children.findIndex(({ type }) => type === 'ParamList');
    const [parameters, acts] = this.parameters(node.children[list]);
    const after = list < 0 ? node.children.slice(-1) : node.children.slice(list + 1);
    const parts = after.filter((child) => !isSilent(child));
    const [body] = parts;
    const isValue = role === 'arrow' && body !== undefined && body.type !== 'Block';
    const translated = parts.map((child) => {
      if (child.type === 'Block') return this.block(child, true);
      return role === 'arrow' ? this.expression(child) : actAt(child);
    });
    return {
      kind: 'function',
      name: name ?? (title ? this.textOf(title) : ''),
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
  protected parameters(list: Node | undefined): [Parameter[], Part[]] {
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
        target: part.type === 'this' ? literalAt(part) : this.target(part),
        preset: preset && this.expression(preset),
        isMember,
      });
    }
    return [found.filter(({ target }) => target.kind !== 'literal'), acts];
  }

  protected classOf(node: Node): Part {
    const name = node.children.find(({ type }) => type === 'VariableDefinition');
    const body = node.children.find(({ type }) => type === 'ClassBody');
    const decorators = node.children.filter(({ type }) => type === 'Decorator').map((child) => actAt(child));
    const bases = node.children.filter(
      (child) => !/^(?:VariableDefinition|ClassBody|Decorator)$/.test(child.type) && !isSilent(child),
    );
    return {
      kind: 'class',
      name: name ? this.textOf(name) : '',
      bases: bases.map((child) => this.expression(child)),
      body: [...decorators, ...(body ? this.classBody(body) : [])],
      ...placeOf(node),
    };
  }

  protected classBody(body: Node): Part[] {
    return body.children.flatMap((child): Part[] => {
      if (isSilent(child)) return [];
      if (child.type === 'StaticBlock')
        return child.children.flatMap((part) => {
          if (part.type === 'Block') return [this.statement(part)];
          return isSilent(part) ? [] : [actAt(part)];
        });
      if (child.type === 'MethodDeclaration') return this.methodOf(child);
      return [child.type === 'PropertyDeclaration' ? this.field(child) : actAt(child)];
    });
  }

  /** A method of a class or an object, behind what its name is computed from. */
  protected methodOf(node: Node): Part[] {
    const at = node.children.findIndex(({ type }) => type === 'ParamList');
    const before = node.children.slice(0, Math.max(at, 0));
    const computed = before.flatMap((part): Part[] => {
      if (part.type === 'Decorator') return [actAt(part)];
      if (isSilent(part) || /^(?:PropertyDefinition|PrivatePropertyDefinition|String|Number)$/.test(part.type))
        return [];
      return [this.expression(part)];
    });
    const named = before.find(({ type }) => type.endsWith('PropertyDefinition'));
    const name = named ? this.textOf(named) : '';
    const isGetter = before.some(({ type }) => type === 'get');
    const role = name === 'constructor' ? 'constructor' : 'method';
    return [...computed, this.functionOf(node, role, name, isGetter)];
  }

  protected field(node: Node): Part {
    const equals = node.children.findIndex(({ type }) => type === 'Equals');
    const name = node.children.find(({ type }) => type.endsWith('PropertyDefinition'));
    if (node.children.some(({ type }) => type === 'Decorator') || !name) return actAt(node);
    const value = equals < 0 ? undefined : node.children[equals + 1];
    const part = value ? this.expression(value) : literalAt(node);
    return { kind: 'field', name: this.textOf(name), value: part, ...placeOf(node) };
  }
}

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

const isStatement = byType((type) =>
  /(?:Statement|Declaration|Clause|.Label)$|^(?:Block|SwitchBody|Hashbang)$/.test(type),
);

const isTarget = byType((type) => /^(?:VariableDefinition|ArrayPattern|ObjectPattern)$/.test(type));
