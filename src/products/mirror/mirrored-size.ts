import { Rejection } from '../../base/rejection.ts';
import type { Segment } from '../../model/segment.ts';
import type { StateReader } from '../../state/collections.ts';

/** The part of a flag that is needed to measure its segments. */
interface FlagStrategies {
  readonly strategies?: readonly { readonly segments?: readonly number[] | null }[] | null;
}

/** Maximum size of the segments of one flag, in the form for old SDKs: written into every strategy that names them. */
const EXPANDED_FLAG_BYTES_MAX = 8_000_000;

/** Maximum size of the segments of all flags of a scope, in the same form. */
const EXPANDED_BYTES_MAX = 256_000_000;

/**
 * Measures the content for old SDKs. SDKs that do not read segments by id get each segment inside every strategy that names it: a list of some
 * megabytes may become gigabytes for them. The other limits of a service do not apply to content from a source. This limit does.
 */
export class ExpandedSize {
  readonly #reader: Pick<StateReader, 'get'>;
  #bytes = 0;

  /** `reader` contains the segments that the flags name. */
  constructor(reader: Pick<StateReader, 'get'>) {
    this.#reader = reader;
  }

  /** Adds a flag to the sum. Returns a rejection if this flag, or all flags together, are too large. */
  add(name: string, flag: FlagStrategies): Rejection | undefined {
    const bytes = this.of(flag);
    this.#bytes += bytes;
    if (bytes > EXPANDED_FLAG_BYTES_MAX) return tooLarge(`The segments of the flag ${name}`, EXPANDED_FLAG_BYTES_MAX);
    if (this.#bytes > EXPANDED_BYTES_MAX) return tooLarge('The segments of all flags', EXPANDED_BYTES_MAX);
    return undefined;
  }

  /** Size of the segments of a flag, in bytes. */
  of({ strategies }: FlagStrategies): number {
    let bytes = 0;
    for (const { segments } of strategies ?? []) {
      for (const id of segments ?? []) bytes += bytesOf(this.#reader.get('segments', String(id)));
    }
    return bytes;
  }
}

/** Size of each segment's constraints as JSON. It is computed once for each segment, however many flags name the segment. */
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
