// Generates the code of schema validators in the bundle: compiling them took each process and many a command 0.3 s of processor time.
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

const NAMESPACE = 'validator';
/** As in `const validator = compileSchema<Policy>(PolicySchema);` with the schema imported by name from another file. */
const COMPILED = /\bcompileSchema<(\w+)>\((\w+)\)/g;

const fileOfImport = (text, name) =>
  [...text.matchAll(/import \{([^}]*)\} from '(\.[^']+)'/g)].find(([, names]) =>
    names.split(',').some((one) => one.trim() === name),
  )?.[2];

/** The text of a source file, in which compileSchema gets the generated code of a validator as its last argument, loaded at its first use. */
export function withValidators(text, file, root) {
  return text.replace(COMPILED, (call, type, name) => {
    const from = fileOfImport(text, name);
    if (from === undefined) return call;
    // Relative, because the bundle names it.
    const place = path
      .relative(root, path.resolve(path.dirname(file), from))
      .split(path.sep)
      .join('/');
    return `compileSchema<${type}>(${name}, true, () => require('${NAMESPACE}:${place}?${name}').default)`;
  });
}

/** The exports of a source file with what it imports, without the compiler's output, which a fresh checkout does not have. */
export async function load(file, names) {
  const contents = `export { ${names} } from ${JSON.stringify(file)};`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: path.dirname(file) },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** Resolves the modules that withValidators requires. */
export const validators = (root) => ({
  name: 'validators',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${NAMESPACE}:`) }, ({ path: address }) => ({
      path: address.slice(NAMESPACE.length + 1),
      namespace: NAMESPACE,
    }));
    onLoad({ filter: /.*/, namespace: NAMESPACE }, async ({ path: address }) => {
      const [place, name] = address.split('?');
      const [module, { ajvOptions }, { withSharedParts }] = await Promise.all([
        load(path.join(root, place), name),
        load(path.join(root, 'shared/kernel/compile-schema.ts'), 'ajvOptions'),
        load(path.join(root, 'shared/kernel/shared-parts.ts'), 'withSharedParts'),
      ]);
      const options = ajvOptions(true);
      const ajv = new Ajv2020({ ...options, code: { ...options.code, source: true, esm: true } });
      return { contents: standalone(ajv, ajv.compile(withSharedParts(module[name]))), resolveDir: root };
    });
  },
});
