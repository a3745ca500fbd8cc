// Errors of the file system in words.

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not access it',
  EPERM: 'this user may not access it',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a part of its path is not a folder',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's disk quota is used up",
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links form a loop',
};

export interface FileFailure {
  readonly code: string;
  /** The end of a sentence about the file, such as `it does not exist`; undefined for an error that is none of a file's. */
  readonly reason: string | undefined;
  /** Node doesn't name the file when it was open already. */
  readonly file: string | undefined;
  /** Such as `open`. */
  readonly syscall: string | undefined;
}

/** What an error of the file system says; undefined for any other error. */
export function fileFailure(error: unknown): FileFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path: file, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return undefined;
  const reason = code === 'ENOENT' && syscall === 'mkdir' ? 'it cannot be created there' : REASONS[code];
  return { code, reason, file, syscall };
}
