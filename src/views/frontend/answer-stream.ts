import type { Channel, Frame } from '../../base/queues/channel.ts';
import type { Slicer } from '../../base/yield-control.ts';
import { type AnswerHub, type HubVersion, revisionOf } from './answer-hub.ts';
import type { StreamContext } from './stream-context.ts';
import { togglesJson } from './toggles.ts';
import type { WholeAnswerQueue } from './whole-answer-queue.ts';

const NO_BYTES = new Uint8Array();

/** For a stream that was closed before its whole answer was created. */
const EMPTY_FRAME: Frame = { revision: '', bytes: NO_BYTES };

/**
 * The stream of one browser: the answers of the scope's flags for one context, which the browser may replace. Streams share work: one evaluation if
 * their contexts are equal in the fields that the changed flags read, and the same bytes if their answers are equal.
 */
export class AnswerStream implements Channel {
  readonly isOwn = true;
  /** The id with which a request replaces the context. It is random and cannot be guessed. */
  readonly id: string;
  /** The holder of the stream: its token. */
  readonly holder: string;
  readonly #hub: AnswerHub;
  readonly #queue: WholeAnswerQueue;
  readonly #onClosed: (stream: AnswerStream) => void;
  #context: StreamContext;
  /** The position that the reader sent when it connected; undefined after the first frame. */
  #resumedFrom: string | undefined;
  #isClosed = false;
  #release: (() => void) | undefined;
  /** A suffix of the stream's revisions: each new context gets another suffix. Empty as long as the first context is used, as in most streams. */
  #contextSuffix = '';
  #contextCount = 0;

  constructor(
    id: string,
    holder: string,
    context: StreamContext,
    resumedFrom: string | undefined,
    hub: AnswerHub,
    queue: WholeAnswerQueue,
    onClosed: (stream: AnswerStream) => void,
  ) {
    this.id = id;
    this.holder = holder;
    this.#context = context;
    this.#resumedFrom = resumedFrom;
    this.#hub = hub;
    this.#queue = queue;
    this.#onClosed = onClosed;
  }

  get revision(): string {
    const version = this.#hub.current;
    return version ? this.#revisionAt(version) : '';
  }

  /** The random number of the stream. It never changes. */
  get draw(): number {
    return this.#context.draw;
  }

  /** Replaces the context. The stream then gets the whole answer for the new context, and its changes from then on. */
  replaceContext(context: StreamContext): void {
    this.#context = context;
    this.#resumedFrom = undefined;
    this.#contextSuffix = `#${++this.#contextCount}`;
  }

  since(revision: string): Frame | null {
    const { length } = this.#contextSuffix;
    if (length === 0) return this.#since(revision, '');
    return revision.endsWith(this.#contextSuffix) ? this.#since(revision.slice(0, -length), '') : null;
  }

  async hydration(): Promise<Frame> {
    let frame = EMPTY_FRAME;
    await this.#hub.whenPublished();
    if (this.#isClosed) return frame;
    await this.#queue.add(this.holder, this, async (slicer) => {
      frame = this.#resumed() ?? (await this.#wholeAnswer(slicer));
    });
    return frame;
  }

  closed(): void {
    this.#isClosed = true;
    this.#queue.remove(this.holder, this);
    this.#releaseMemory();
    this.#onClosed(this);
  }

  /** The changes that a reconnecting reader has missed; null when they are not known. The reader gets an event even if nothing has changed. */
  #resumed(): Frame | null {
    const from = this.#resumedFrom;
    this.#resumedFrom = undefined;
    if (from === undefined) return null;
    const { position, context } = partsOf(from);
    return context === this.#context.name ? this.#since(revisionOf(position), `"connection":"${this.id}",`) : null;
  }

  /** The changes since the version with this revision; null when they are not known. */
  #since(from: string, fields: string): Frame | null {
    const version = this.#hub.current;
    const number = this.#hub.numberOf(from);
    if (version === undefined || number === undefined) return null;
    const bytes = number === version.number ? NO_BYTES : this.#hub.changesFrom(number)?.of(this.#context);
    if (!bytes) return null;
    const revision = this.#revisionAt(version);
    if (bytes.byteLength === 0 && fields === '') return { revision, bytes };
    return {
      revision,
      head: headOf(version, this.#context, 'unleash-updated', fields),
      bytes: bytes.byteLength === 0 ? NOTHING_CHANGED : bytes,
    };
  }

  #revisionAt({ revision }: HubVersion): string {
    return this.#contextSuffix === '' ? revision : revision + this.#contextSuffix;
  }

  async #wholeAnswer(slicer: Slicer): Promise<Frame> {
    const version = this.#hub.current as HubVersion;
    const context = this.#context;
    const revision = this.#revisionAt(version);
    const { key, restrictedContext } = context.restrictTo(version.needs);
    let bytes = this.#hub.wholeAnswer(key);
    if (bytes === undefined) {
      bytes = await bytesOf(
        togglesJson(version.snapshot, context.at(restrictedContext, version.nowMs), 'on', ''),
        slicer,
      );
      this.#hub.cacheWholeAnswer(version, key, bytes);
    }
    this.#releaseMemory();
    if (this.#isClosed) return EMPTY_FRAME;
    this.#release = this.#queue.countBuffered(this.holder, bytes.byteLength);
    const head = headOf(version, context, 'unleash-connected', `"connection":"${this.id}",`);
    return { revision, head, bytes, release: () => this.#releaseMemory() };
  }

  /** Releases the memory that is counted for the reader's whole answer. */
  #releaseMemory(): void {
    this.#release?.();
    this.#release = undefined;
  }
}

const NOTHING_CHANGED = Buffer.from('"toggles":[],"removed":[]}\n\n');

const END_OF_EVENT = Buffer.from('\n\n');

async function bytesOf(pieces: Iterable<string>, slicer: Slicer): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const piece of pieces) {
    parts.push(Buffer.from(piece));
    if (slicer.spent) await slicer.pause();
  }
  parts.push(END_OF_EVENT);
  return Buffer.concat(parts);
}

/** The beginning of an event. Its id contains the position of the flags, the context and the stream's random number. */
function headOf({ position }: HubVersion, { name }: StreamContext, event: string, fields: string): Uint8Array {
  return Buffer.from(`id: ${position}:${name}\nevent: ${event}\ndata: {${fields}`, 'latin1');
}

function partsOf(lastEventId: string): { readonly position: string; readonly context: string } {
  const end = lastEventId.lastIndexOf(':');
  return { position: lastEventId.slice(0, Math.max(0, end)), context: lastEventId.slice(end + 1) };
}

/** The random number of the stream that sent this event id; undefined when the text is not an event id. */
export function drawIn(eventId: string): number | undefined {
  const found = /^[\w.~:-]{1,200}:[\w-]{16}\.([0-9a-z]{1,6})$/.exec(eventId)?.[1];
  const draw = found === undefined ? Number.NaN : Number.parseInt(found, 36);
  return draw < 2 ** 30 ? draw : undefined;
}
