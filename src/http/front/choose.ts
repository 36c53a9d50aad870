import { FastFront } from './fast/fast-front.ts';
import { missingBinary } from './fast/missing-binary.ts';
import { loadUws } from './fast/uws.ts';
import type { Front, FrontKind, TlsFiles } from './front.ts';
import { NodeFront, type NodeFrontOptions } from './node/node-front.ts';

/** The server that this process uses. */
export interface ChosenFront {
  readonly kind: FrontKind;
  /** Why the fast front is not used although nobody chose the Node front. One sentence without a full stop; undefined if it is used or was not wanted. */
  readonly reason: string | undefined;
  create(tls: TlsFiles | undefined): Front;
}

/**
 * The front that `HTTP_FRONT` names. Undefined: the fast one if it has a binary for this process, otherwise the one of Node.
 * @throws FrontError if the fast front is wanted and has no binary
 */
export function chooseFront(wanted: FrontKind | undefined, options: NodeFrontOptions): ChosenFront {
  const node = (reason: string | undefined): ChosenFront => ({
    kind: 'node',
    reason,
    create: (tls) => new NodeFront(tls, options),
  });
  if (wanted === 'node') return node(undefined);
  try {
    loadUws();
  } catch (error) {
    const reason = missingBinary(error);
    if (reason === undefined) throw error;
    if (wanted === undefined) return node(reason);
    throw new FrontError(`HTTP_FRONT is fast, but ${reason}`);
  }
  return { kind: 'fast', reason: undefined, create: (tls) => new FastFront(tls) };
}

/** The wanted front cannot be used. The message is for operators. */
export class FrontError extends Error {
  override readonly name = 'FrontError';
}
