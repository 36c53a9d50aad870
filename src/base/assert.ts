/**
 * A broken invariant: a defect of Burgee, never caused by the input of a caller. It stops the actor that detected it, because after one broken
 * invariant the state may violate others too.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws if the condition is false: then the program has a defect. Do not use it for input: invalid input gives a `Rejection`. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
