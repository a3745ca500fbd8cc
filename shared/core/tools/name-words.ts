// The words of a tool's name.

/** In lower case: `deleteFile`, `delete_file` and `files.delete` have the same ones. */
export function wordsOfName(name: string): string[] {
  return name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
