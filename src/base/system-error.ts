/** Whether the operating system refused a call, for example a write to a full disk. The message is for people. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return error instanceof Error && code !== undefined && syscall !== undefined;
}
