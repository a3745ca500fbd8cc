// Formats JSON as people write it: values that fit on a line stay on it.

const WIDTH = 110;

function flat(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${flat(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function lines(value: unknown, indent: string, before: number): string {
  const short = flat(value);
  const isPlain = typeof value !== 'object' || value === null;
  if (isPlain || (indent !== '' && indent.length + before + short.length < WIDTH)) return short;
  const deeper = `${indent}  `;
  const inside = Array.isArray(value)
    ? value.map((item) => deeper + lines(item, deeper, 0))
    : Object.entries(value).map(([key, member]) => {
        const name = `${JSON.stringify(key)}: `;
        return deeper + name + lines(member, deeper, name.length);
      });
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${inside.join(',\n')}\n${indent}${close}`;
}

/** The text of a JSON file. Undefined members are not supported. */
export function prettyJson(value: object): string {
  return `${lines(value, '', 0)}\n`;
}
