/** Upstream could not be reached, or its answer was incomplete or invalid. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
}

/** Converts an error; its message contains nothing of the request. */
export function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const { code, message } = error as { code?: string; message?: string };
  return new UpstreamError(code ?? message ?? 'the connection failed');
}
