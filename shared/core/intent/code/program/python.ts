// Judges a program in Python by its syntax tree. What is not of a listed kind is an act.
import { type Argument, type Called, isPlainVariable, Judge } from './judge.ts';
import { byType, type Node } from './tree.ts';
import {
  ANYTHING,
  CLIENT,
  isFree,
  letGo,
  MADE,
  MEMORY,
  OUTSIDE,
  type Own,
  UNSEEN,
  type Value,
  valueOf,
} from './values.ts';

/** Names with two lines around them that only tell of something. */
const PLAIN_HIDDEN =
  /^__(?:name|doc|file|version|author|all|slots|annotations|main|init|str|repr|len|eq|enter|exit|post_init)__$/;
/** Members of functions, generators and errors that hold the variables of a running program. */
const FRAMES =
  /^(?:(?:gi|cr|ag|tb)_(?:frame|code|next)|f_(?:globals|builtins|locals|back|code)|func_(?:globals|code)|mro)$/;
/** Arguments that make a function load a module, write a file, or run what it reads. */
const GRAVE_KEYWORDS = /^(?:backend|memory|out_file|data_home|usetex|allow_pickle|eval_str)$/;
const STRING = /^[rbuf]{0,2}("""|'''|"|')([^]*)\1$/i;
/** What a file is opened for, to read it. */
const READ_MODE = /^r?[bt]?$/;
/** Types whose values are in memory. */
const MEMORY_TYPE =
  /^(?:(?:list|dict|set|frozenset|tuple|str|int|float|bool|bytes|List|Dict|Set|Tuple|Sequence|Iterable|Mapping|Optional|Counter|deque|None|pd\.(?:DataFrame|Series)|np\.ndarray|datetime|date)\b[[\], |]*)+$/;
const FRAME_NAMES = /^(?:columns|index|mapper|axis|inplace|level|errors|copy)$/;
/** Functions of Python itself that do more than compute. A name that is theirs may be theirs wherever it is not surely another. */
const ACTING =
  /^(?:open|type|getattr|exec|eval|compile|setattr|delattr|globals|locals|vars|breakpoint|help|dir|reload|execfile|file|unicode|apply)$/;
/** Arguments that hold names of columns, and no function. */
const PLAIN_KEYWORDS = /^(?:index|columns|values|axis|raw|result_type|margins|fill_value|dropna|normalize|na_action)$/;
/** Calls about which their arguments decide. */
const TREATED =
  /^(?:type|getattr|os\.getenv|os\.environ\.get|logging\.basicConfig|(?:pandas)?\.(?:rename|replace|query|to_\w+|apply|agg|aggregate|transform|map|pipe|pivot_table|plot|hist|boxplot)|pandas\.crosstab|inspect\.signature|functools\.wraps|pandas\.(?:set_option|option_context)|sklearn\..*)$/;
/** Arguments that are all in a list or a dictionary, whichever they are. */
const SPREAD = '*';
const OPENS = /^(?:open|io\.open|codecs\.open|gzip\.open|bz2\.open|lzma\.open)$/;

export class PythonJudge extends Judge {
  protected readonly treated: ReadonlySet<string> = new Set(['open', 'type', 'getattr']);

  protected isHiddenName = (name: string): boolean =>
    FRAMES.test(name) || (name.startsWith('__') ? !PLAIN_HIDDEN.test(name) : name !== name.normalize('NFKC'));

  protected isDecided = (name: string): boolean => TREATED.test(name) && !name.startsWith('sklearn.');

  protected run(root: Node): void {
    this.#block(root);
  }

  #block(node: Node): void {
    for (const child of node.children) if (!isWord(child)) this.#statement(child);
  }

  #all(nodes: readonly Node[]): Value {
    return nodes.reduce((value, node) => valueOf(value.bits | this.#take(node).bits), MEMORY);
  }

  /** The value of an expression that is used as one. */
  #take(node: Node): Value {
    return this.used(this.evaluate(node), node);
  }

  #statement(node: Node): void {
    const { children } = node;
    switch (node.type) {
      case 'StatementGroup':
      case 'Body':
        return this.#block(node);
      case 'ExpressionStatement':
      case 'AssertStatement':
      case 'RaiseStatement':
      case 'IfStatement':
      case 'WhileStatement':
      case 'PrintStatement':
        return this.#parts(children);
      case 'ReturnStatement':
      case 'YieldStatement':
        for (const child of children) if (isExpression(child)) this.returned(this.evaluate(child));
        return;
      case 'PassStatement':
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'Comment':
        return;
      case 'AssignStatement':
        return this.#assignment(children);
      case 'UpdateStatement': {
        const [target, , value] = children;
        if (!target || !value) return void this.act(node);
        this.#take(target);
        return this.#assign(target, this.#take(value));
      }
      case 'ForStatement':
        return this.#loop(children);
      case 'WithStatement':
        return this.#with(children);
      case 'TryStatement':
        return this.#try(children);
      case 'DeleteStatement':
        for (const child of children) if (isExpression(child)) this.#forget(child);
        return;
      case 'ScopeStatement':
        for (const child of children) if (child.type === 'VariableName') this.scope.outer.add(this.textOf(child));
        return;
      case 'ImportStatement':
        return this.#import(node);
      case 'FunctionDefinition':
        return this.#definition(node, []);
      case 'ClassDefinition':
        return this.#class(node);
      case 'DecoratedStatement':
        return this.#decorated(node);
      case 'MatchStatement':
        return this.#match(node);
      default:
        this.act(node);
    }
  }

  /** Expressions and blocks between key words. */
  #parts(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (node.type === 'Body') this.#block(node);
      else if (isExpression(node)) this.#take(node);
      else if (!isWord(node)) this.act(node);
    }
  }

  #assignment(children: readonly Node[]): void {
    const signs = children.flatMap((child, at) => (child.type === 'AssignOp' ? [at] : []));
    const type = children.find((child) => child.type === 'TypeDef');
    if (type) this.#annotation(type);
    const last = signs.at(-1);
    if (last === undefined) {
      // Only a type: `number: int`. A field of a class, which its objects are given.
      const [target] = children;
      if (target?.type === 'MemberExpression') this.#take(target);
      else if (target?.type !== 'VariableName') this.#parts(children);
      else if (this.scope.isClass && this.scope.own) this.setMember(this.textOf(target), valueOf(this.scope.own.given));
      return;
    }
    const values = children.slice(last + 1).filter(isExpression);
    const [only] = values;
    const value = values.length === 1 && only ? this.evaluate(only) : this.#all(values);
    let from = 0;
    for (const sign of signs) {
      for (const target of children.slice(from, sign)) if (isExpression(target)) this.#assign(target, value, only);
      from = sign + 1;
    }
  }

  /** @param node of the value, for what is not understood */
  #assign(target: Node, value: Value, node?: Node): void {
    switch (target.type) {
      case 'VariableName': {
        const name = this.textOf(target);
        if (this.isHiddenName(name) || (name.startsWith('__') && value.bits !== MADE)) this.act(target);
        // A function by another name: its calls are judged by its own.
        if (value.name !== undefined && !this.#isModule(value.name) && !this.isDecided(value.name))
          this.used(value, node ?? target);
        this.#rename(name, target);
        return this.define(name, value);
      }
      case 'TupleExpression':
      case 'ArrayExpression':
      case 'ParenthesizedExpression': {
        const used = this.used(value, node ?? target);
        letGo(used);
        for (const child of target.children) if (isExpression(child)) this.#assign(child, valueOf(used.bits));
        return;
      }
      case 'MemberExpression': {
        const used = this.used(value, node ?? target);
        const [object] = target.children;
        const name = propertyOf(target);
        if (!object) return;
        const of = this.evaluate(object);
        if (of.name !== undefined) return void this.act(target, of.name);
        if (name === undefined) {
          this.#index(target);
          this.store(used);
          if ((of.bits & UNSEEN) !== 0 && (of.bits & OUTSIDE) !== 0) this.act(target);
          return;
        }
        return this.assignMember(of, this.textOf(name), used, target);
      }
      default:
        this.act(target);
    }
  }

  /** A name of Python that acts is given to something else, perhaps, or later. In a function it is surely the function's. */
  #rename(name: string, node: Node): void {
    const isSure = this.scope.own !== undefined && !this.scope.isClass && !this.scope.outer.has(name);
    if (ACTING.test(name) && !isSure) this.act(node);
  }

  #isModule(name: string): boolean {
    return this.names.modules.has(name) || [...this.names.usual.values()].includes(name);
  }

  /** `del name`, `del list[0]` */
  #forget(target: Node): void {
    if (target.type === 'VariableName') return;
    const [object] = target.children;
    if (target.type === 'TupleExpression' || target.type === 'ParenthesizedExpression') {
      for (const child of target.children) if (isExpression(child)) this.#forget(child);
    } else if (target.type !== 'MemberExpression' || !object) this.act(target);
    else {
      const of = this.evaluate(object);
      if (propertyOf(target) === undefined) this.#index(target);
      if (of.name !== undefined || (of.bits & OUTSIDE) !== 0) this.act(target);
    }
  }

  #loop(children: readonly Node[]): void {
    const at = children.findIndex(({ type }) => type === 'in');
    const body = children.findIndex(({ type }) => type === 'Body');
    const value = this.#all(children.slice(at + 1, body).filter(isExpression));
    for (const target of children.slice(1, at)) if (isExpression(target)) this.#assign(target, value);
    this.#parts(children.slice(body));
  }

  #with(children: readonly Node[]): void {
    let value = MEMORY;
    let isTarget = false;
    for (const child of children) {
      if (child.type === 'Body') this.#block(child);
      else if (child.type === 'as') isTarget = true;
      else if (isExpression(child)) {
        if (isTarget) this.#assign(child, value);
        else {
          value = this.#take(child);
          // What happens at its end is not seen.
          if (isFree(value.bits)) this.act(child);
        }
        isTarget = false;
      } else if (!isWord(child)) this.act(child);
    }
  }

  #try(children: readonly Node[]): void {
    let isTarget = false;
    for (const child of children) {
      if (child.type === 'Body') this.#block(child);
      else if (child.type === 'as') isTarget = true;
      else if (isExpression(child)) {
        if (isTarget) this.#assign(child, MEMORY);
        else this.#take(child);
        isTarget = false;
      } else if (!isWord(child)) this.act(child);
    }
  }

  #import(node: Node): void {
    const text = this.textOf(node).replaceAll(/\\\n|[()\n]/g, ' ');
    const from = /^from\s+([\w.]+)\s+import\s+(.+)$/.exec(text.trim());
    const names = (from?.[2] ?? text.trim().replace(/^import\s+/, ''))
      .replaceAll(/#[^\n]*/g, '')
      .split(',')
      .map((one) => /^\s*([\w.]+|\*)(?:\s+as\s+(\w+))?\s*$/.exec(one))
      .filter((one, at, all) => one !== null || at < all.length - 1);
    const of = from?.[1];
    for (const name of names) {
      const [, what = '*', as] = name ?? [];
      this.#rename(as ?? what, node);
      const module = of ?? what;
      if (what === '*' || module.startsWith('.') || !this.names.modules.has(module)) {
        this.act(node);
        this.define(as ?? what.split('.')[0] ?? '', this.named(of === undefined ? what : `${of}.${what}`));
        continue;
      }
      if (of !== undefined) {
        const full = `${of}.${what}`;
        if (this.isHiddenName(what)) this.act(node);
        this.define(as ?? what, this.named(full));
      } else if (as !== undefined) this.define(as, this.named(what));
      else this.define(what.split('.')[0] ?? '', this.named(what.split('.')[0] ?? ''));
    }
  }

  // Functions and classes

  #annotation(type: Node): void {
    for (const child of type.children)
      if (isExpression(child)) {
        // What a text says that stands for a type is run by some libraries.
        if (/["'][^"']*\(/.test(this.textOf(child))) this.act(child);
        if (child.type === 'String') continue;
        // A type that nobody defines here is only named.
        if (child.type === 'VariableName') continue;
        if (/^[\w.[\], |"']*$/.test(this.textOf(child))) continue;
        this.#take(child);
      }
  }

  /** @returns the function itself */
  #definition(node: Node, decorators: readonly string[]): void {
    const { children } = node;
    const name = children.find(({ type }) => type === 'VariableName');
    const list = children.find(({ type }) => type === 'ParamList');
    const body = children.find(({ type }) => type === 'Body');
    const result = children.find(({ type }) => type === 'TypeDef');
    if (!name || !list || !body) return void this.act(node);
    if (result) this.#annotation(result);
    this.#typeParameters(children);
    const own = this.own(node);
    const isMember = this.scope.isClass;
    const title = this.textOf(name);
    if (isMember) {
      const of = this.scope.own;
      this.method(title, own);
      if (/^__(?:init|new|post_init)__$/.test(title) && of?.isCalled) this.give(own, of.given);
      if (decorators.includes('property') || decorators.includes('cached_property'))
        this.setMember(title, valueOf(own.returns));
    }
    this.#rename(title, name);
    this.define(title, { bits: MADE, own });
    if (this.#decides(body)) this.act(node);
    this.#function(node, own, list, isMember && !decorators.includes('staticmethod'), () => this.#block(body));
  }

  /** `class A[T: int]` */
  #typeParameters(children: readonly Node[]): void {
    for (const list of children)
      if (list.type === 'TypeParamList')
        for (const { children: parts } of list.children)
          for (const part of parts)
            if (part.type === 'TypeDef') this.#annotation(part);
            else if (isExpression(part) && part.type !== 'VariableName') this.#take(part);
  }

  /** A function that only says yes or no, whatever it is asked, takes a check away. */
  #decides(body: Node): boolean {
    const [first, ...others] = body.children.filter(
      (child) => !isWord(child) && !(child.type === 'ExpressionStatement' && child.children[0]?.type === 'String'),
    );
    return (
      others.length === 0 && first?.type === 'ReturnStatement' && first.children.some(({ type }) => type === 'Boolean')
    );
  }

  #function(node: Node, own: Own, list: Node | undefined, hasSelf: boolean, body: () => void): void {
    // Values that parameters have by themselves are of the scope around.
    const defaults: Value[] = [];
    const targets: { readonly name: string; readonly isTyped: boolean }[] = [];
    const parts = list?.children ?? [];
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at];
      if (!part) continue;
      const [before, sign, value] = [parts[at - 1], parts[at + 1], parts[at + 2]];
      if (part.type === 'VariableName' && before?.type !== 'AssignOp') {
        const type = sign?.type === 'TypeDef' ? this.textOf(sign).replace(/^:\s*/, '') : '';
        targets.push({ name: this.textOf(part), isTyped: MEMORY_TYPE.test(type) });
        if (sign?.type === 'AssignOp' && value) defaults.push(this.#take(value));
      } else if (part.type === 'TypeDef') {
        this.#annotation(part);
        if (sign?.type === 'AssignOp' && value) defaults.push(this.#take(value));
      } else if (!isExpression(part) && !isWord(part)) this.act(part);
      else if (isExpression(part) && before?.type !== 'AssignOp') this.act(part);
    }
    for (const value of defaults) letGo(value);
    const given = defaults.reduce((bits, value) => bits | value.bits, own.given);
    const self = (given & ~OUTSIDE) | (this.scope.own?.base ?? MADE);
    this.within(node, own, false, () => {
      for (const [at, { name, isTyped }] of targets.entries()) {
        if (this.isHiddenName(name)) this.act(node);
        this.define(name, valueOf(at === 0 && hasSelf ? self : isTyped ? given & ~(OUTSIDE | CLIENT) : given));
      }
      body();
    });
  }

  #class(node: Node): void {
    const { children } = node;
    const name = children.find(({ type }) => type === 'VariableName');
    const bases = children.find(({ type }) => type === 'ArgList');
    const body = children.find(({ type }) => type === 'Body');
    if (!name || !body) return void this.act(node);
    const own = this.own(node, true);
    this.#typeParameters(children);
    for (const { value } of bases ? this.#arguments(bases) : []) own.base |= this.baseOf(this.used(value, bases), node);
    this.#rename(this.textOf(name), name);
    this.define(this.textOf(name), { bits: MADE, own });
    this.within(node, own, true, () => this.#block(body));
  }

  #decorated(node: Node): void {
    const names: string[] = [];
    for (const child of node.children)
      if (child.type === 'Decorator') {
        const parts = child.children.filter(({ type }) => type !== 'At');
        names.push(parts.map((part) => this.textOf(part)).join(''));
        this.#decorator(child, parts);
      } else if (child.type === 'FunctionDefinition') this.#definition(child, names);
      else if (child.type === 'ClassDefinition') this.#class(child);
      else if (child.type !== 'Comment') this.act(child);
  }

  #decorator(node: Node, parts: readonly Node[]): void {
    const list = parts.find(({ type }) => type === 'ArgList');
    const given = list ? this.#arguments(list) : [];
    const names = parts
      .filter(({ type }) => type === 'VariableName' || type === 'PropertyName')
      .map((part) => this.textOf(part));
    const [first = '', ...rest] = names;
    // `@size.setter`
    if (rest.length === 1 && /^(?:setter|getter|deleter)$/.test(rest[0] ?? '') && this.members.has(first)) return;
    let value = this.variable(first);
    for (const name of rest) value = this.member(value, name, node);
    if (value.name !== undefined) {
      if (list) this.callNamed(value.name, given, node);
      else this.used(value, node);
    } else if (value.own) this.give(value.own, MADE);
    else this.act(node, names.join('.'));
    for (const { value: one } of given) letGo(one);
  }

  #match(node: Node): void {
    const pattern = (part: Node): void => {
      for (const child of part.children) {
        if (child.type === 'CapturePattern') {
          const [name] = child.children;
          if (name) this.#assign(name, valueOf(OUTSIDE | UNSEEN));
        } else if (child.type === 'Guard') this.#parts(child.children);
        else if (child.type === 'Body') this.#block(child);
        else pattern(child);
      }
    };
    for (const child of node.children) {
      if (child.type === 'MatchBody') pattern(child);
      else if (isExpression(child)) this.#take(child);
    }
  }

  // Expressions

  protected evaluate(node: Node): Value {
    const { children } = node;
    switch (node.type) {
      case 'Number':
      case 'Boolean':
      case 'None':
      case 'Ellipsis':
      case 'String':
        return MEMORY;
      case 'VariableName': {
        const name = this.textOf(node);
        const value = this.variable(name);
        const acts = ACTING.test(name) && value.name === undefined && value.bits === ANYTHING && !value.own;
        return acts || this.isHiddenName(name) ? this.act(node, name) : value;
      }
      case 'ContinuedString':
      case 'FormatString':
      case 'FormatReplacement':
      case 'FormatSpec':
      case 'TupleExpression':
      case 'ArrayExpression':
      case 'SetExpression':
      case 'DictionaryExpression':
      case 'UnaryExpression':
      case 'ConditionalExpression':
      case 'StarExpression':
      case 'BinaryExpression':
      case 'AwaitExpression': {
        let bits = MADE;
        // A value is put into a text behind a backslash, too.
        if (node.type === 'FormatString' && /\\\{/.test(this.textOf(node))) this.act(node);
        // Whether there is a variable of a name says nothing about its value.
        const isAsked = children[0]?.type === 'String' && children.some(({ type }) => type === 'in');
        for (const child of children) {
          if (isAsked && this.textOf(child) === 'os.environ' && this.#isEnvironment(this.evaluate(child))) continue;
          if (!isExpression(child)) {
            if (!isWord(child)) this.act(child);
            continue;
          }
          const value = this.#take(child);
          letGo(value);
          bits |= value.bits;
        }
        return valueOf(bits);
      }
      case 'ParenthesizedExpression': {
        const [inner] = children.filter(isExpression);
        return inner ? this.evaluate(inner) : this.act(node);
      }
      case 'NamedExpression': {
        const [target, , value] = children;
        if (!target || !value) return this.act(node);
        const given = this.#take(value);
        this.#assign(target, given);
        return given;
      }
      case 'YieldExpression':
        for (const child of children) if (isExpression(child)) this.returned(this.evaluate(child));
        return valueOf(ANYTHING);
      case 'LambdaExpression': {
        const own = this.own(node);
        const [list] = children.filter(({ type }) => type === 'ParamList');
        const body = children.at(-1);
        this.#function(node, own, list, false, () => {
          if (body) this.returned(this.evaluate(body));
        });
        return { bits: MADE, own };
      }
      case 'ArrayComprehensionExpression':
      case 'SetComprehensionExpression':
      case 'DictionaryComprehensionExpression':
      case 'ComprehensionExpression':
        return this.#comprehension(node);
      case 'MemberExpression': {
        const [object] = children;
        if (!object) return this.act(node);
        const name = propertyOf(node);
        const of = this.evaluate(object);
        if (name) return this.member(of, this.textOf(name), node);
        this.#index(node);
        if (this.#isEnvironment(of) && this.#isPlainVariable(children[2])) return MEMORY;
        return valueOf(this.used(of, object).bits);
      }
      case 'CallExpression':
        return this.#call(node);
      default:
        return this.act(node);
    }
  }

  /** What stands between the brackets of `list[0]`. */
  #index(node: Node): void {
    for (const child of node.children.slice(1)) if (isExpression(child)) this.#take(child);
  }

  #comprehension(node: Node): Value {
    return this.within(node, undefined, false, () => {
      const { children } = node;
      const result: Node[] = [];
      let at = 1;
      for (; at < children.length; at += 1) {
        const child = children[at];
        if (!child || child.type === 'for' || child.type === 'async') break;
        if (isExpression(child)) result.push(child);
      }
      let targets: Node[] = [];
      let mode = '';
      for (; at < children.length; at += 1) {
        const child = children[at];
        if (!child) continue;
        if (child.type === 'for') {
          mode = 'for';
          targets = [];
        } else if (child.type === 'in' || child.type === 'if') mode = child.type;
        else if (!isExpression(child)) {
          if (!isWord(child)) this.act(child);
        } else if (mode === 'for') targets.push(child);
        else {
          const value = this.#take(child);
          if (mode === 'in') for (const target of targets) this.#assign(target, value);
        }
      }
      const value = this.#all(result);
      return value;
    });
  }

  #arguments(list: Node): Argument[] {
    const found: Argument[] = [];
    const { children } = list;
    for (let at = 0; at < children.length; at += 1) {
      const child = children[at];
      if (!child || !isExpression(child)) {
        if (child && !isWord(child)) this.act(child);
        continue;
      }
      if (child.type === 'VariableName' && children[at + 1]?.type === 'AssignOp') {
        const value = children[at + 2];
        if (this.isHiddenName(this.textOf(child))) this.act(child);
        if (value) found.push({ keyword: this.textOf(child), value: this.evaluate(value), node: value });
        at += 2;
      } else {
        const before = children[at - 1]?.type ?? '';
        found.push({ value: this.evaluate(child), node: child, ...(before.startsWith('*') && { keyword: SPREAD }) });
      }
    }
    return found;
  }

  #call(node: Node): Value {
    const [callee, list] = node.children;
    if (!callee || list?.type !== 'ArgList') return this.act(node);
    const name = callee.type === 'MemberExpression' ? propertyOf(callee) : undefined;
    const [object] = callee.children;
    if (name && object) {
      const of = this.evaluate(object);
      const given = this.#arguments(list);
      const property = this.textOf(name);
      if (of.name === undefined) return this.callMethod(of, property, given, node);
      return this.callNamed(`${of.name}.${property}`, given, node);
    }
    const value = this.evaluate(callee);
    return this.callValue(value, this.#arguments(list), node);
  }

  /** What a table applies to its columns: a function that is listed, or written here; never a text that names another. */
  #isPlainFunction(node: Node, keyword?: string): boolean {
    const text = this.#literal(node);
    const inner = node.children.filter(isExpression);
    // Of a pair of a column and a function only the second is one, and of a dictionary the values.
    if (PLAIN_KEYWORDS.test(keyword ?? '')) return true;
    if (text !== undefined) return this.names.methods.has(text) || this.names.makers.has(`.${text}`);
    if (node.type === 'TupleExpression') return inner.slice(1).every((one) => this.#isPlainFunction(one));
    if (node.type === 'ArrayExpression') return inner.every((one) => this.#isPlainFunction(one));
    if (node.type === 'DictionaryExpression')
      return node.children.every((one, at) => {
        const before = node.children[at - 1]?.type;
        return before !== '**' && (before !== ':' || this.#isPlainFunction(one));
      });
    if (/^(?:LambdaExpression|Number|Boolean|None)$/.test(node.type)) return true;
    const value = this.evaluate(node);
    return value.own !== undefined || (value.name !== undefined && this.isListed(value.name));
  }

  #isEnvironment = ({ name }: Value): boolean => name === 'os.environ';

  /** A variable of the environment that holds no credential by its name. */
  #isPlainVariable(node: Node | undefined): boolean {
    const name = this.#literal(node);
    return name !== undefined && isPlainVariable(name);
  }

  /** The text of a string; undefined for what is none, or is put together. */
  #literal(node: Node | undefined): string | undefined {
    if (node?.type !== 'String') return undefined;
    return STRING.exec(this.textOf(node))?.[2];
  }

  protected special({ name, object, given, node }: Called): Value | undefined {
    const [first, second] = given.filter(({ keyword }) => keyword === undefined);
    const keyword = (wanted: string) => given.find((one) => one.keyword === wanted);
    const isOpen = OPENS.test(name) || name === '.open';
    // What decides is among them.
    if (keyword(SPREAD) && (isOpen || TREATED.test(name))) return this.act(node);
    if (given.some((one) => GRAVE_KEYWORDS.test(one.keyword ?? ''))) return this.act(node);
    if (isOpen) {
      const mode = (keyword('mode') ?? (object === undefined ? second : first))?.node;
      // In Ruby it is a command: `open("|ls")`.
      const isCommand = /^\s*\|/.test(this.#literal(first?.node) ?? '');
      if (!isCommand && (mode === undefined || READ_MODE.test(this.#literal(mode) ?? '-'))) {
        this.opens = true;
        return object === undefined || !isFree(object.bits) ? MEMORY : this.act(node);
      }
      this.act(node, object === undefined ? name : 'path.open', this.argumentsOf(node));
      return MEMORY;
    }
    switch (name) {
      case 'type':
        return given.length === 1 ? valueOf(ANYTHING) : undefined;
      case 'getattr': {
        const property = this.#literal(second?.node);
        if (first === undefined || property === undefined || !/^[a-z]\w*$/i.test(property)) return undefined;
        const of = this.evaluate(first.node);
        return this.member(of, property, node);
      }
      case 'os.getenv':
      case 'os.environ.get':
        return this.#isPlainVariable(first?.node) ? MEMORY : undefined;
      case '.apply':
      case '.agg':
      case '.aggregate':
      case '.transform':
      case '.map':
      case '.pipe':
      case '.pivot_table':
      case 'pandas.pivot_table':
      case 'pandas.crosstab':
        // Functions may be given by their names.
        return given.every((one) => this.#isPlainFunction(one.node, one.keyword)) ? undefined : this.act(node);
      case 'super': {
        let scope = this.scope;
        while (scope.above && !scope.isClass) scope = scope.above;
        return valueOf(scope.own?.base ?? MADE);
      }
      case 'functools.wraps':
        return given.length === 1 ? undefined : this.act(node);
      case 'unittest.main':
        // By its arguments it loads modules.
        return given.every((one) => /^(?:verbosity|exit|failfast|buffer|catchbreak)$/.test(one.keyword ?? ''))
          ? undefined
          : this.act(node);
      case 'pytest.mark.skipif':
      case 'pytest.mark.xfail':
        // A text is run to know whether it is true.
        return first === undefined || /^(?:BinaryExpression|Boolean|UnaryExpression)$/.test(first.node.type)
          ? undefined
          : this.act(node);
      case 'pandas.set_option':
      case 'pandas.option_context':
        // Other options name modules to be loaded.
        return given.every((one, at) => at % 2 === 1 || (this.#literal(one.node) ?? '').startsWith('display.'))
          ? undefined
          : this.act(node);
      case 'logging.basicConfig':
        return keyword('filename') || keyword('handlers') ? this.act(node) : MEMORY;
      case '.rename':
        return object !== undefined &&
          (object.bits & OUTSIDE) === 0 &&
          given.some((one) => one.keyword !== undefined) &&
          given.every((one) => FRAME_NAMES.test(one.keyword ?? 'axis')) &&
          given.length - Number(first !== undefined) > 0
          ? MEMORY
          : undefined;
      case '.replace':
        // Of a text two, of a table a dictionary; of a path it is one, and the file is moved.
        return !isFree(object?.bits ?? ANYTHING) &&
          (second !== undefined || first?.node.type === 'DictionaryExpression')
          ? valueOf(object?.bits ?? ANYTHING)
          : undefined;
      case '.query':
      case '.eval': {
        const text = this.#literal(first?.node);
        return name === '.query' &&
          text !== undefined &&
          !/[@(`]|__/.test(text) &&
          ((object?.bits ?? ANYTHING) & ANYTHING) === MADE
          ? MEMORY
          : undefined;
      }
      case '.to_csv':
      case '.to_json':
      case '.to_string':
      case '.to_markdown':
      case '.to_html':
      case '.to_latex':
        return first === undefined &&
          !keyword('path_or_buf') &&
          !keyword('buf') &&
          ((object?.bits ?? ANYTHING) & ANYTHING) === MADE
          ? MEMORY
          : undefined;
      default:
        return undefined;
    }
  }
}

const propertyOf = (node: Node): Node | undefined => node.children.find(({ type }) => type === 'PropertyName');

/** Key words and signs, which the grammar names as they are written. */
const isWord = byType(
  (type) =>
    !/^[A-Z]/.test(type) ||
    /^(?:At|AssignOp|CompareOp|ArithOp|BitOp|UpdateOp|FormatConversion|FormatSelfDoc|Comment|Escape)$/.test(type),
);

const isExpression = byType((type) =>
  /(?:Expression|String|Replacement|Spec)$|^(?:VariableName|Number|Boolean|None|Ellipsis)$/.test(type),
);
