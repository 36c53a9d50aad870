import { Rejection } from '../../base/rejection.ts';
import type { Segment } from '../../model/segment.ts';
import type { StateReader } from '../../state/collections.ts';

/** A flag, as far as segments go. */
interface Measured {
  readonly strategies?: readonly { readonly segments?: readonly number[] | null }[] | null;
}

/** What segments may come to that are written into one flag, as old SDKs get it. */
const EXPANDED_FLAG_BYTES_MAX = 8_000_000;

/** The same of all flags of a scope. */
const EXPANDED_BYTES_MAX = 256_000_000;

/**
 * SDKs that do not read segments by id get them inside every strategy that names them: a list of some megabytes may come to gigabytes for them.
 * The limits of a service do not hold for what a source sends; this one does.
 */
export class ExpandedSize {
  readonly #reader: Pick<StateReader, 'get'>;
  #bytes = 0;

  /** `reader` has the segments that the flags name. */
  constructor(reader: Pick<StateReader, 'get'>) {
    this.#reader = reader;
  }

  /** Counts a flag. Why it cannot be taken, if so. */
  add(name: string, flag: Measured): Rejection | undefined {
    const bytes = this.of(flag);
    this.#bytes += bytes;
    if (bytes > EXPANDED_FLAG_BYTES_MAX) return tooLarge(`The segments of the flag ${name}`, EXPANDED_FLAG_BYTES_MAX);
    if (this.#bytes > EXPANDED_BYTES_MAX) return tooLarge('The segments of all flags', EXPANDED_BYTES_MAX);
    return undefined;
  }

  /** What the segments of a flag come to. */
  of({ strategies }: Measured): number {
    let bytes = 0;
    for (const { segments } of strategies ?? []) {
      for (const id of segments ?? []) bytes += bytesOf(this.#reader.get('segments', String(id)));
    }
    return bytes;
  }
}

/** Of each segment as it is: written once, however many flags name it and however often they change. */
const SEGMENT_BYTES = new WeakMap<Segment, number>();

function bytesOf(segment: Segment | undefined): number {
  if (!segment) return '[]'.length;
  let bytes = SEGMENT_BYTES.get(segment);
  if (bytes === undefined) {
    bytes = JSON.stringify(segment.constraints).length;
    SEGMENT_BYTES.set(segment, bytes);
  }
  return bytes;
}

function tooLarge(what: string, bytesMax: number): Rejection {
  return new Rejection(
    'PayloadTooLargeError',
    `${what}, written into each strategy that names them as old SDKs get them, come to more than ${bytesMax / 1_000_000} MB.`,
  );
}
