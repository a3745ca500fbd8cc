// Headers that have one value: where one is there twice, two readers of a request may each take another one.

/** @param names as they are to be shown @returns the name of the first header that a request has a second time; undefined: none */
export function createSingleHeaders(names: readonly string[]): (rawHeaders: readonly string[]) => string | undefined {
  const shown = new Map(names.map((name) => [name.toLowerCase(), name]));
  const lengths = new Set(names.map(({ length }) => length));
  return (rawHeaders) => {
    const seen: string[] = [];
    // Names and values alternate.
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const given = rawHeaders[i] ?? '';
      if (!lengths.has(given.length)) continue;
      const name = shown.get(given.toLowerCase());
      if (name === undefined) continue;
      if (seen.includes(name)) return name;
      seen.push(name);
    }
    return undefined;
  };
}
