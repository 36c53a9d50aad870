/** Upstream could not be asked, or did not answer to the end. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
}

/** Says what went wrong, and nothing of what was sent. */
export function upstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const { code, message } = error as { code?: string; message?: string };
  return new UpstreamError(code ?? message ?? 'the connection failed');
}
