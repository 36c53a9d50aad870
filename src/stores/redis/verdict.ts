import type { Reply } from './session.ts';

/** A history that this one was refilled from. */
export interface Ancestor {
  readonly epoch: string;
  /** The refill holds everything up to here. */
  readonly seq: number;
  readonly writeId: string;
}

/** What the server answered to a greeting. See GREET. */
export interface Verdict {
  readonly name: 'ok' | 'wait' | 'refill' | 'await' | 'epoch' | 'diverged' | 'format';
  /** Null: the store is empty. */
  readonly epoch: string | null;
  readonly tip: number;
  readonly tipWrite: string;
  readonly firstSeq: number;
  readonly ancestors: readonly Ancestor[];
  readonly details: readonly string[];
}

export function toVerdict(reply: Reply): Verdict {
  const texts = (reply as Reply[]).map((part) => (part === null ? null : String(part)));
  const [name, epoch = null, tip, tipWrite, firstSeq, ancestors, ...details] = texts;
  return {
    name: name as Verdict['name'],
    epoch,
    tip: Number(tip ?? 0),
    tipWrite: tipWrite ?? '',
    firstSeq: Number(firstSeq ?? 1),
    ancestors: JSON.parse(ancestors ?? '[]') as Ancestor[],
    details: details.map((detail) => detail ?? ''),
  };
}
