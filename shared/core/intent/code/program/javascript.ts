// Judges a program in JavaScript or TypeScript by its syntax tree. What is not of a listed kind is an act.
import { type Argument, type Called, isPlainVariable, Judge } from './judge.ts';
import { byType, type Node } from './tree.ts';
import { ANYTHING, letGo, LIBRARY, MADE, MEMORY, OUTSIDE, type Own, UNSEEN, type Value, valueOf } from './values.ts';

/** Members by which everything can be reached. */
const HIDDEN = /^(?:constructor|prototype|caller|callee|mainModule|_load|__\w+)$|\\|[^\0-\x7f]/;
/** What the language and its hosts offer that does more than compute. */
const ACTING =
  /^(?:eval|Function|fetch|globalThis|window|self|global|top|parent|frames|document|location|navigator|localStorage|sessionStorage|indexedDB|Reflect|Proxy|WebAssembly|Worker|SharedWorker|XMLHttpRequest|WebSocket|EventSource|importScripts|Deno|Bun|module|exports|open|alert|setImmediate|execScript|postMessage)$/;
/** Names of hosts that are common ones of variables, too. */
const PLAIN = /^(?:top|parent|frames|self|location|document|open|module|exports)$/;
/** Functions that open a file, and their options that say nothing about writing it. */
const OPENS = /^fs(?:\.promises|\/promises)?\.(?:readFile|readFileSync|createReadStream)$/;
const READ_OPTIONS = /^(?:encoding|signal|start|end|highWaterMark|autoClose|emitClose)$/;
/** Functions that are given what runs later: a function, never a text. */
const RUNS_LATER: ReadonlySet<string> = new Set(['setTimeout', 'setInterval']);

export class JavaScriptJudge extends Judge {
  protected readonly treated: ReadonlySet<string> = new Set([...RUNS_LATER, 'require', 'process']);

  protected override isAlsoListed(name: string): boolean {
    const [, variable] = /^process\.env\.(\w+)$/.exec(name) ?? [];
    return variable !== undefined && isPlainVariable(variable);
  }

  protected isHiddenName = (name: string): boolean => HIDDEN.test(name);

  protected override isOfHost(name: string): boolean {
    return (ACTING.test(name) && !PLAIN.test(name)) || this.treated.has(name);
  }

  protected isDecided = (name: string): boolean => OPENS.test(name);

  protected run(root: Node): void {
    this.#disputed(root);
    this.#hoist(root);
    this.#block(root);
  }

  /** What is something else to JavaScript than to TypeScript, or outside of an asynchronous function. */
  #disputed(node: Node): void {
    const first = node.children.find(({ type }) => !/^(?:await|yield|Star|\w+Comment)$/.test(type));
    // `await /1; f()//` divides a variable.
    if (/^(?:Await|Yield)Expression$/.test(node.type) && first && startsWithPattern(first)) this.act(node);
    for (const [at, child] of node.children.entries()) {
      // A type may be one that is imported: `f<import("a")>(1)` compares.
      if (child.type === 'import' && node.type !== 'ImportDeclaration') this.act(child, 'import');
      const before = node.children[at - 1];
      // After the end of a line it is a variable of that name.
      if (/^(?:as|satisfies)$/.test(child.type) && before && /\n/.test(this.text.slice(before.to, child.from)))
        this.act(child);
      this.#disputed(child);
    }
  }

  /** Functions are defined before the statements of their block run. */
  #hoist(block: Node): void {
    for (const child of block.children) {
      const node =
        child.type === 'ExportDeclaration' ? child.children.find(({ type }) => type === 'FunctionDeclaration') : child;
      const name =
        node?.type === 'FunctionDeclaration'
          ? node.children.find(({ type }) => type === 'VariableDefinition')
          : undefined;
      if (node && name) this.define(this.textOf(name), { bits: MADE, own: this.own(node) });
    }
  }

  #block(node: Node): void {
    for (const child of node.children) if (!isSilent(child)) this.#statement(child);
  }

  #take(node: Node): Value {
    return this.used(this.evaluate(node), node);
  }

  #all(nodes: readonly Node[]): Value {
    let bits = MADE;
    for (const node of nodes) {
      if (isSilent(node)) continue;
      const value = this.#take(node);
      letGo(value);
      bits |= value.bits;
    }
    return valueOf(bits);
  }

  #statement(node: Node): void {
    const { children } = node;
    switch (node.type) {
      case 'Block':
        return this.within(node, undefined, false, () => {
          this.#hoist(node);
          this.#block(node);
        });
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
        for (const child of children)
          if (isStatement(child)) this.#statement(child);
          else if (!isSilent(child)) this.#take(child);
        return;
      case 'ReturnStatement':
        for (const child of children) if (!isSilent(child)) this.returned(this.evaluate(child));
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'LineComment':
      case 'BlockComment':
      case 'Hashbang':
      case 'InterfaceDeclaration':
      case 'TypeAliasDeclaration':
      case ';':
        return;
      case 'VariableDeclaration':
        return this.#declaration(children);
      case 'FunctionDeclaration':
        return void this.#function(node);
      case 'ClassDeclaration':
        return void this.#class(node);
      case 'ForStatement':
        return this.#loop(node);
      case 'CatchClause':
        for (const child of children)
          if (child.type === 'Block') this.#statement(child);
          else if (!isSilent(child)) this.#bind(child, MEMORY);
        return;
      case 'ImportDeclaration':
        return this.#import(node);
      case 'ExportDeclaration':
        return this.#export(node);
      case 'EnumDeclaration':
        for (const child of children) {
          if (child.type === 'TypeDefinition') this.define(this.textOf(child), MEMORY);
          if (child.type === 'EnumBody')
            this.#all(child.children.filter(({ type }) => type !== 'PropertyName' && type !== 'Equals'));
        }
        return;
      default:
        this.act(node);
    }
  }

  #declaration(children: readonly Node[]): void {
    if (children[0]?.type === 'var' && this.scope.own === undefined && this.scope.above)
      return this.inFunction(() => this.#declaration(children));
    for (let at = 0; at < children.length; at += 1) {
      const target = children[at];
      if (!target || !isTarget(target)) {
        if (target && !isSilent(target)) this.act(target);
        if (target?.type === 'using') this.act(target);
        continue;
      }
      while (children[at + 1]?.type === 'TypeAnnotation') at += 1;
      const value = children[at + 1]?.type === 'Equals' ? children[at + 2] : undefined;
      if (value) at += 2;
      this.#bind(target, value ? this.evaluate(value) : MEMORY, value);
    }
  }

  /** Gives the names in a pattern their values. */
  #bind(target: Node, value: Value, from?: Node): void {
    switch (target.type) {
      case 'VariableDefinition':
      case 'VariableName': {
        const name = this.textOf(target);
        // What the host has by this name may stay what it is.
        const isOfHost = !this.isInFunction() && (ACTING.test(name) || this.treated.has(name)) && !PLAIN.test(name);
        if (isOfHost || this.isHiddenName(name)) this.act(target);
        if (value.name !== undefined && !this.names.modules.has(value.name) && !this.isDecided(value.name))
          this.used(value, from ?? target);
        return target.type === 'VariableName' ? this.reassign(name, value) : this.define(name, value);
      }
      case 'ArrayPattern':
      case 'ArrayExpression':
      case 'ObjectExpression': {
        const bits = this.used(value, from ?? target).bits;
        const isObject = target.type === 'ObjectExpression';
        for (let at = 0; at < target.children.length; at += 1) {
          const child = target.children[at];
          if (!child || isSilent(child)) continue;
          if (isObject) this.act(child);
          else if (target.children[at - 1]?.type === 'Equals') this.#take(child);
          else this.#bind(child, valueOf(bits | UNSEEN));
        }
        return;
      }
      case 'ObjectPattern':
        for (const child of target.children) if (!isSilent(child)) this.#bindProperty(child, value);
        return;
      case 'AssignmentExpression': {
        const [inner, , preset] = target.children;
        if (preset) this.#take(preset);
        return inner ? this.#bind(inner, value, from) : undefined;
      }
      case 'MemberExpression':
        return this.#assignMember(target, value, from);
      default:
        this.act(target);
    }
  }

  /** `{ name }`, `{ name: other = 1 }` and `{ ...rest }` of a pattern. */
  #bindProperty(property: Node, value: Value): void {
    if (property.type !== 'PatternProperty') return void this.act(property);
    const parts = property.children.filter(({ type }) => type !== ':' && type !== ',');
    const equals = parts.findIndex(({ type }) => type === 'Equals');
    const preset = equals >= 0 ? parts[equals + 1] : undefined;
    if (preset) letGo(this.#take(preset));
    const [first, second] = equals >= 0 ? parts.slice(0, equals) : parts;
    if (!first) return;
    if (first.type === 'Spread') {
      if (second) this.#bind(second, this.used(value, property));
      return;
    }
    if (first.type !== 'VariableDefinition' && first.type !== 'PropertyName') return void this.act(property);
    const target = second ?? first;
    const member = this.member(value, this.textOf(first), property);
    this.#bind(target, preset ? valueOf(member.bits) : member, property);
  }

  #assignMember(target: Node, value: Value, from?: Node): void {
    const used = this.used(value, from ?? target);
    const [object] = target.children;
    if (!object) return;
    const of = this.evaluate(object);
    const name = propertyOf(target);
    if (of.name !== undefined) {
      // What others may ask for.
      if (/^(?:module\.exports|exports)\b/.test(`${of.name}.${name ? this.textOf(name) : ''}`)) return letGo(used);
      return void this.act(target, of.name);
    }
    if (name === undefined) this.#all(target.children.slice(1));
    const property = name ? this.textOf(name) : undefined;
    if (property !== undefined) return this.assignMember(of, property, used, target);
    // An element of what a function was given may be set, no more.
    if ((of.bits & OUTSIDE) !== 0 && (of.bits & ~LIBRARY) !== OUTSIDE) this.act(target);
    this.store(used);
  }

  #loop(node: Node): void {
    this.within(node, undefined, false, () => {
      for (const child of node.children) {
        if (child.type === 'ForSpec') {
          for (const part of child.children)
            if (part.type === 'VariableDeclaration') this.#declaration(part.children);
            else if (!isSilent(part)) this.#take(part);
        } else if (child.type === 'ForOfSpec' || child.type === 'ForInSpec') {
          const parts = child.children.filter((part) => !isSilent(part));
          const [target, list] = parts;
          if (!target || !list || parts.length !== 2) this.act(child);
          else this.#bind(target, valueOf(this.#take(list).bits));
        } else if (isStatement(child)) this.#statement(child);
        else if (!isSilent(child)) this.act(child);
      }
    });
  }

  #import(node: Node): void {
    const { children } = node;
    if (children.some(({ type }) => type === 'type')) return;
    const from = children.find(({ type }) => type === 'String');
    const module = moduleOf(from ? this.textOf(from) : '');
    if (!this.names.modules.has(module)) this.act(node);
    const define = (target: Node, name: string) => this.define(this.textOf(target), this.named(name));
    for (const child of children) {
      if (child.type === 'VariableDefinition') define(child, module);
      if (child.type !== 'ImportGroup') continue;
      const parts = child.children.filter(({ type }) => /^(?:VariableName|VariableDefinition|String)$/.test(type));
      for (let at = 0; at < parts.length; at += 1) {
        const part = parts[at];
        if (!part) continue;
        const what = this.textOf(part);
        if (part.type === 'VariableDefinition') define(part, `${module}.${what}`);
        else {
          at += 1;
          const as = parts[at];
          if (part.type === 'String' || this.isHiddenName(what)) this.act(part);
          if (as) define(as, what === 'default' ? module : `${module}.${what}`);
        }
      }
    }
  }

  #export(node: Node): void {
    for (const child of node.children) {
      if (child.type === 'String' || child.type === 'Star') this.act(node);
      else if (isStatement(child)) this.#statement(child);
      else if (child.type !== 'ExportGroup' && !isSilent(child)) letGo(this.#take(child));
    }
  }

  // Functions and classes

  /** A function that only says yes or no, whatever it is asked, takes a check away. */
  #decides(node: Node): boolean {
    const block = node.children.find(({ type }) => type === 'Block');
    const [first, ...others] = (block?.children ?? []).filter((child) => !isSilent(child));
    return (
      others.length === 0 &&
      first?.type === 'ReturnStatement' &&
      first.children.some(({ type }) => type === 'BooleanLiteral')
    );
  }

  #function(node: Node): Value {
    const own = this.own(node);
    if (this.#decides(node)) this.act(node);
    const name = node.children.find(({ type }) => type === 'VariableDefinition');
    if (name && node.type === 'FunctionDeclaration') this.define(this.textOf(name), { bits: MADE, own });
    this.#body(node, own, false);
    return { bits: MADE, own };
  }

  #body(node: Node, own: Own, isMethod: boolean): void {
    const base = this.scope.own?.isClass === true ? this.scope.own.base : MADE;
    this.within(node, own, false, () => {
      if (!isMethod && node.type !== 'ArrowFunction') this.define('this', valueOf(ANYTHING));
      if (isMethod) this.define('this', valueOf(base));
      if (node.type !== 'ArrowFunction') this.define('arguments', valueOf(own.given));
      const list = node.children.find(({ type }) => type === 'ParamList');
      if (list) this.#parameters(list, own.given);
      let isBody = list === undefined;
      for (const child of node.children) {
        if (child === list) isBody = true;
        else if (!isBody || isSilent(child)) continue;
        else if (child.type === 'Block') this.#statement(child);
        else if (node.type === 'ArrowFunction') this.returned(this.evaluate(child));
        else this.act(child);
      }
    });
  }

  #parameters(list: Node, given: number): void {
    const parts = list.children;
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at];
      if (!part || isSilent(part)) continue;
      if (part.type === 'Decorator') {
        this.act(part);
        continue;
      }
      const isMember = parts[at - 1]?.type === 'Privacy';
      while (parts[at + 1]?.type === 'TypeAnnotation' || parts[at + 1]?.type === 'Optional') at += 1;
      let bits = given;
      if (parts[at + 1]?.type === 'Equals') {
        const preset = parts[at + 2];
        if (preset) {
          const value = this.#take(preset);
          letGo(value);
          bits |= value.bits;
        }
        at += 2;
      }
      this.#bind(part, valueOf(bits));
      if (isMember && part.type === 'VariableDefinition') this.setMember(this.textOf(part), valueOf(bits));
    }
  }

  #class(node: Node): Value {
    const own = this.own(node, true);
    const value: Value = { bits: MADE, own };
    for (const child of node.children) {
      if (child.type === 'VariableDefinition') this.define(this.textOf(child), value);
      else if (child.type === 'ClassBody') this.within(node, own, false, () => this.#classBody(child, own));
      else if (child.type === 'Decorator') this.act(child);
      else if (!isSilent(child)) {
        const base = this.#take(child);
        own.base |= this.baseOf(base, child);
        letGo(base);
      }
    }
    return value;
  }

  #classBody(body: Node, of: Own): void {
    this.define('this', valueOf(of.base));
    for (const child of body.children) {
      if (isSilent(child)) continue;
      if (child.type === 'StaticBlock') for (const part of child.children) this.#staticBlock(part);
      else if (child.type === 'MethodDeclaration') this.#method(child, of);
      else if (child.type === 'PropertyDeclaration') this.#field(child);
      else this.act(child);
    }
  }

  #staticBlock(part: Node): void {
    if (part.type === 'Block') this.#statement(part);
    else if (!isSilent(part)) this.act(part);
  }

  #method(node: Node, of?: Own): void {
    const own = this.own(node);
    if (this.#decides(node)) this.act(node);
    const at = node.children.findIndex(({ type }) => type === 'ParamList');
    const before = node.children.slice(0, at < 0 ? 0 : at);
    for (const part of before) {
      if (part.type === 'Decorator') this.act(part);
      else if (
        part.type === '[' ||
        isSilent(part) ||
        /^(?:PropertyDefinition|PrivatePropertyDefinition|String|Number)$/.test(part.type)
      )
        continue;
      else this.#take(part);
    }
    const name = before.find(({ type }) => type.endsWith('PropertyDefinition'));
    const title = name ? this.textOf(name) : '';
    if (title === 'constructor' && of?.isCalled) this.give(own, of.given);
    if (title !== '' && title !== 'constructor') this.method(title, own);
    else if (title === '') letGo({ bits: MADE, own });
    if (before.some(({ type }) => type === 'get')) this.setMember(title, valueOf(own.returns));
    this.#body(node, own, true);
  }

  #field(node: Node): void {
    const equals = node.children.findIndex(({ type }) => type === 'Equals');
    const name = node.children.find(({ type }) => type.endsWith('PropertyDefinition'));
    if (node.children.some(({ type }) => type === 'Decorator') || !name) return void this.act(node);
    const value = equals < 0 ? undefined : node.children[equals + 1];
    this.setMember(this.textOf(name), value ? this.#take(value) : MEMORY);
  }

  // Expressions

  protected evaluate(node: Node): Value {
    const { children } = node;
    switch (node.type) {
      case 'Number':
      case 'BooleanLiteral':
      case 'String':
      case 'RegExp':
      case 'null':
      case 'NullType':
      case 'NewTarget':
        return MEMORY;
      case 'super':
      case 'this':
        return this.variable('this');
      case 'VariableName': {
        const name = this.textOf(node);
        const value = this.variable(name);
        const acts = (ACTING.test(name) || name.includes('$')) && value.name === undefined && value.bits === ANYTHING;
        return acts || this.isHiddenName(name) ? this.act(node, name) : value;
      }
      case 'TemplateString':
      case 'Interpolation':
      case 'ArrayExpression':
      case 'ConditionalExpression':
      case 'AwaitExpression':
      case 'SequenceExpression':
        return this.#all(withoutTypes(children));
      case 'BinaryExpression': {
        // Whether there is a variable of a name says nothing about its value.
        const [name, sign, object] = children;
        const isAsked =
          name?.type === 'String' && sign?.type === 'in' && object && this.textOf(object) === 'process.env';
        return isAsked ? MEMORY : this.#all(withoutTypes(children));
      }
      case 'UnaryExpression':
        return this.#unary(node);
      case 'PostfixExpression': {
        const [inner] = children;
        if (!inner) return this.act(node);
        // `value!` of TypeScript is the value.
        return children.at(-1)?.type === 'LogicOp' ? this.evaluate(inner) : this.#take(inner);
      }
      case 'ParenthesizedExpression': {
        const inner = children.filter((child) => !isSilent(child));
        return inner.length === 1 && inner[0] ? this.evaluate(inner[0]) : this.#all(inner);
      }
      case 'PrefixCast':
        return children.at(-1) ? this.#take(children.at(-1) ?? node) : MEMORY;
      case 'InstantiationExpression':
        return children[0] ? this.evaluate(children[0]) : this.act(node);
      case 'AssignmentExpression': {
        const [target, , value] = children;
        if (!target || !value) return this.act(node);
        const given = this.evaluate(value);
        if (children[1]?.type === 'UpdateOp') this.#take(target);
        this.#bind(target, given, value);
        return given;
      }
      case 'YieldExpression': {
        for (const child of children) if (!isSilent(child)) this.returned(this.evaluate(child));
        return valueOf(ANYTHING);
      }
      case 'ArrowFunction':
      case 'FunctionExpression':
        return this.#function(node);
      case 'ClassExpression':
        return this.#class(node);
      case 'ObjectExpression':
        return this.#object(node);
      case 'MemberExpression': {
        const [object] = children;
        if (!object) return this.act(node);
        const of = this.evaluate(object);
        const name = propertyOf(node);
        if (name) return this.member(of, this.textOf(name), node);
        const used = this.used(of, object);
        const index = children.slice(1).filter((child) => !isSilent(child));
        const key = index[0]?.type === 'String' ? this.textOf(index[0]).slice(1, -1) : '';
        if (this.isHiddenName(key)) return this.act(node);
        this.#all(index);
        const isNumber = index.length === 1 && index[0]?.type === 'Number';
        return valueOf(isNumber ? used.bits : used.bits | UNSEEN);
      }
      case 'CallExpression':
      case 'NewExpression':
      case 'TaggedTemplateExpression':
        return this.#call(node);
      default:
        return this.act(node);
    }
  }

  #unary(node: Node): Value {
    const [sign, inner] = node.children;
    if (!sign || !inner) return this.act(node);
    if (sign.type !== 'delete') return this.#take(inner);
    const [object] = inner.children;
    if (inner.type !== 'MemberExpression' || !object) return this.act(node);
    const of = this.evaluate(object);
    if (!propertyOf(inner)) this.#all(inner.children.slice(1));
    return of.name !== undefined || (of.bits & OUTSIDE) !== 0 ? this.act(node, of.name) : MEMORY;
  }

  #object(node: Node): Value {
    let bits = MADE;
    for (const child of node.children) {
      if (isSilent(child)) continue;
      if (child.type !== 'Property') {
        this.act(child);
        continue;
      }
      if (child.children.some(({ type }) => type === 'ParamList')) {
        this.#method(child);
        continue;
      }
      const parts = child.children.filter((part) => !isSilent(part) && part.type !== ':');
      const colon = child.children.some(({ type }) => type === ':');
      const [name, value] = parts;
      if (name === undefined) continue;
      const isNamed = /^(?:PropertyDefinition|String|Number)$/.test(name.type);
      const title = isNamed ? this.textOf(name).replaceAll(/["']/g, '') : '';
      if (title !== '' && this.isHiddenName(title)) this.act(child);
      // `{ name }` is short for `{ name: name }`, and `{ ...others }` has no name.
      const given =
        colon && value ? this.#take(value) : isNamed ? this.used(this.variable(title), name) : this.#take(name);
      if (colon && !isNamed) this.#take(name);
      if (given.own && title !== '') this.method(title, given.own);
      letGo(given);
      bits |= given.bits;
    }
    return valueOf(bits);
  }

  #arguments(list: Node | undefined): Argument[] {
    return (list?.children ?? [])
      .filter((child) => !isSilent(child))
      .map((node) => ({ value: this.evaluate(node), node }));
  }

  #call(node: Node): Value {
    const parts = node.children.filter(({ type }) => type !== 'new' && type !== '?.' && type !== 'TypeArgList');
    let [callee] = parts;
    const [, list] = parts;
    if (callee?.type === 'import') return this.act(node, 'import');
    if (callee?.type === 'InstantiationExpression') callee = callee.children[0];
    if (!callee || (list !== undefined && list.type !== 'ArgList' && list.type !== 'TemplateString'))
      return this.act(node);
    const arguments_ = () =>
      list?.type === 'TemplateString' ? [{ value: this.#take(list), node: list }] : this.#arguments(list);
    const name = callee.type === 'MemberExpression' ? propertyOf(callee) : undefined;
    const [object] = callee.children;
    if (name && object) {
      const of = this.evaluate(object);
      const property = this.textOf(name);
      const given = arguments_();
      if (of.name === undefined) return this.callMethod(of, property, given, node);
      return this.callNamed(`${of.name}.${property}`, given, node);
    }
    const value = this.evaluate(callee);
    return this.callValue(value, arguments_(), node);
  }

  /** Whether a file that is opened with an option is only read: `{ flag: 'w+' }` empties it. */
  #onlyReads({ value, node }: Argument): boolean {
    if (value.own !== undefined || node.type === 'String') return true;
    if (node.type === 'VariableName') return (value.bits & ANYTHING) === OUTSIDE || this.textOf(node) === 'undefined';
    return (
      node.type === 'ObjectExpression' &&
      node.children.every(
        (child) =>
          isSilent(child) ||
          (child.children[0]?.type === 'PropertyDefinition' && READ_OPTIONS.test(this.textOf(child.children[0]))),
      )
    );
  }

  protected special({ name, given, node }: Called): Value | undefined {
    const [first, ...options] = given;
    if (OPENS.test(name)) {
      const list = node.children.find(({ type }) => type === 'ArgList');
      const isSpread = list?.children.some(({ type }) => type === 'Spread') === true;
      return isSpread || !options.every((one) => this.#onlyReads(one)) ? this.act(node) : undefined;
    }
    // The same function, which gives a promise.
    if (name === 'util.promisify' && given.length === 1 && first?.value.name === 'fs.readFile')
      return this.named('fs.promises.readFile');
    if (RUNS_LATER.has(name))
      return first !== undefined && (first.value.own !== undefined || (first.value.bits & ANYTHING) === OUTSIDE)
        ? (letGo(first.value), MEMORY)
        : this.act(node, 'eval', this.argumentsOf(node));
    if (name !== 'require') return undefined;
    if (first?.node.type !== 'String' || given.length !== 1) return this.act(node, 'require', this.argumentsOf(node));
    const text = this.textOf(first.node);
    if (/^["']\.{1,2}\/[\w./-]{1,100}\.json["']$/.test(text)) return MEMORY;
    const module = moduleOf(text);
    if (!this.names.modules.has(module)) this.act(node, 'require', this.argumentsOf(node));
    return this.named(module);
  }
}

const startsWithPattern = ({ type, children }: Node): boolean => {
  const [first] = children.filter((child) => !child.type.endsWith('Comment'));
  return type === 'RegExp' || (first !== undefined && startsWithPattern(first));
};

const moduleOf = (quoted: string): string => quoted.slice(1, -1).replace(/^node:/, '');

const propertyOf = (node: Node): Node | undefined =>
  node.children.find(({ type }) => type === 'PropertyName' || type === 'PrivatePropertyName');

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
