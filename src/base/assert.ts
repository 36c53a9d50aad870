/**
 * A broken invariant: a defect of Burgee, never something a caller sent. It stops the actor that noticed it, because state that broke
 * one promise cannot be trusted to keep the others.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Holds, or the program is wrong. Never for input: that is rejected, as a value. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
