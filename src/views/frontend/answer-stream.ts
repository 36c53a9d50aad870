import type { Channel, Frame } from '../../base/channel.ts';
import type { Slicer } from '../../base/yield-control.ts';
import type { AnswerHub, HubVersion } from './answer-hub.ts';
import type { HydrationQueue } from './hydration-queue.ts';
import type { StreamContext } from './stream-context.ts';
import { togglesJson } from './toggles.ts';

const NO_BYTES = new Uint8Array();

const NO_NEEDS: Frame = { revision: '', bytes: NO_BYTES };

/** Before a position that this process knows its reader to have; what a reader brings along has none. */
const OWN = '=';

/**
 * One browser's stream: the answers of the scope's flags to one context, which may be given another one. What it is sent is made with others: the
 * evaluation where the flags that changed read the same of both contexts, the bytes where the answers are the same.
 */
export class AnswerStream implements Channel {
  readonly isOwn = true;
  /** By which another context is given to it. Cannot be guessed. */
  readonly id: string;
  /** Whose it is: the token. */
  readonly holder: string;
  readonly #hub: AnswerHub;
  readonly #queue: HydrationQueue;
  readonly #onClosed: (stream: AnswerStream) => void;
  #context: StreamContext;
  /** What its reader says it has, until it was told something. */
  #resumedFrom: string | undefined;
  #isClosed = false;
  #release: (() => void) | undefined;
  /** The revision, kept for as long as the version and the context are the same. */
  #revisionOf: HubVersion | undefined;
  #revision = '';

  constructor(
    id: string,
    holder: string,
    context: StreamContext,
    resumedFrom: string | undefined,
    hub: AnswerHub,
    queue: HydrationQueue,
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
    if (version !== this.#revisionOf) {
      this.#revisionOf = version;
      this.#revision = version ? OWN + placeOf(version.position, this.#context) : '';
    }
    return this.#revision;
  }

  /** The draw goes on: it is the stream's. */
  get draw(): number {
    return this.#context.draw;
  }

  /** From now on it is told the answers to this context, all of them first. */
  give(context: StreamContext): void {
    this.#context = context;
    this.#resumedFrom = undefined;
    this.#revisionOf = undefined;
    this.#revision = '';
  }

  since(revision: string): Frame | null {
    return revision.startsWith(OWN) ? this.#since(revision.slice(1), '') : null;
  }

  async hydration(): Promise<Frame> {
    let frame = NO_NEEDS;
    await this.#hub.ready();
    if (this.#isClosed) return frame;
    await this.#queue.add(this.holder, this, async (slicer) => {
      frame = this.#resumed() ?? (await this.#whole(slicer));
    });
    return frame;
  }

  closed(): void {
    this.#isClosed = true;
    this.#queue.remove(this.holder, this);
    this.#drop();
    this.#onClosed(this);
  }

  /** What a reader who comes back has missed, if that is known. It is told of this stream even when that is nothing. */
  #resumed(): Frame | null {
    const from = this.#resumedFrom;
    this.#resumedFrom = undefined;
    return from === undefined ? null : this.#since(from, `"connection":"${this.id}",`);
  }

  #since(place: string, more: string): Frame | null {
    const { position, context } = partsOf(place);
    const version = this.#hub.current;
    if (version === undefined || context !== contextPart(this.#context)) return null;
    const number = this.#hub.numberOf(position);
    if (number === undefined) return null;
    const bytes = number === version.number ? NO_BYTES : this.#hub.changesFrom(number)?.of(this.#context);
    if (!bytes) return null;
    const { revision } = this;
    if (bytes.byteLength === 0 && more === '') return { revision, bytes };
    const id = revision.slice(OWN.length);
    return {
      revision,
      head: Buffer.from(`id: ${id}\nevent: unleash-updated\ndata: {${more}`),
      bytes: bytes.byteLength === 0 ? NOTHING_CHANGED : bytes,
    };
  }

  async #whole(slicer: Slicer): Promise<Frame> {
    const version = this.#hub.current as HubVersion;
    const context = this.#context;
    const place = placeOf(version.position, context);
    const { key, evaluated } = context.restricted(version.needs);
    let bytes = this.#hub.whole(key);
    if (bytes === undefined) {
      bytes = await bytesOf(togglesJson(version.snapshot, context.at(evaluated, version.nowMs), 'on', ''), slicer);
      this.#hub.keepWhole(version, key, bytes);
    }
    this.#drop();
    if (this.#isClosed) return NO_NEEDS;
    this.#release = this.#queue.hold(this.holder, bytes.byteLength);
    const head = `id: ${place}\nevent: unleash-connected\ndata: {"connection":"${this.id}",`;
    return { revision: OWN + place, head: Buffer.from(head), bytes, release: () => this.#drop() };
  }

  /** What was held for its reader is not held any more. */
  #drop(): void {
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

/** As event ids tell it: where the flags stand, and for which context, with what was drawn for it. */
function placeOf(position: string, context: StreamContext): string {
  return `${position}:${contextPart(context)}`;
}

function contextPart({ hash, draw }: StreamContext): string {
  return `${hash}.${draw.toString(36)}`;
}

function partsOf(place: string): { readonly position: string; readonly context: string } {
  const end = place.lastIndexOf(':');
  return { position: place.slice(0, Math.max(0, end)), context: place.slice(end + 1) };
}

/** What was drawn for the stream that the event id is of. Undefined for anything else. */
export function drawIn(eventId: string): number | undefined {
  const found = /^[\w.~:-]{1,200}:[\w-]{16}\.([0-9a-z]{1,6})$/.exec(eventId)?.[1];
  const draw = found === undefined ? Number.NaN : Number.parseInt(found, 36);
  return draw < 2 ** 30 ? draw : undefined;
}
