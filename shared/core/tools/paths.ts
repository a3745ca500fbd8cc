// Paths in arguments: `.` and `..` are resolved as a file system resolves them, or the path counts as ambiguous.

/** A segment `.` or `..`. */
const DOTS = /(?:^|[\\/])\.{1,2}(?=[\\/]|$)/;
const DRIVE = /^[A-Za-z]:(?=[\\/])/;

/**
 * The same path without `.` and `..`. Undefined when they lead out of the root, or when programs disagree about their meaning: with both
 * kinds of slashes, after a host (`//host`, `scheme:`), or after a colon that is not a drive's.
 */
export function withoutDots(path: string): string | undefined {
  if (!DOTS.test(path)) return path;
  const drive = DRIVE.exec(path)?.[0] ?? '';
  const rest = path.slice(drive.length);
  if (rest.includes(':') || (rest.includes('/') && rest.includes('\\')) || /^[\\/]{2}/.test(rest)) return undefined;
  const kept: string[] = [];
  for (const segment of rest.split(/[\\/]/)) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.pop() === undefined) return undefined;
  }
  return `${drive}${/^[\\/]/.test(rest) ? '/' : ''}${kept.join('/')}`;
}
