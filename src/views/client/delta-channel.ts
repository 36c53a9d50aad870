import type { Channel, Frame } from '../../base/channel.ts';
import { payloadOf, stitchIdentity } from '../payload/piece.ts';
import { changeEvents, hydrationPieces, positionOf, streamEvent, textOf } from './delta-events.ts';
import type { ChangingList } from './list-changes.ts';

const NO_BYTES = new Uint8Array();

/** What the streams of a scope are told. It stays the same object when the list of another state takes the place of the one there is. */
export class DeltaChannel implements Channel {
  readonly #current: () => ChangingList;

  constructor(current: () => ChangingList) {
    this.#current = current;
  }

  get revision(): string {
    const { position, queryHash } = this.#current();
    return textOf(position, queryHash);
  }

  since(revision: string): Frame | null {
    const list = this.#current();
    const from = positionOf(revision, list.queryHash);
    const changes = from && list.changesSince(from);
    if (!changes) return null;
    const id = textOf(changes.position, list.queryHash);
    const events = changeEvents(changes);
    return { revision: id, bytes: events ? streamEvent('unleash-updated', id, payloadOf(events)) : NO_BYTES };
  }

  hydration(): Frame | Promise<Frame> {
    const list = this.#current();
    const pending = list.refresh();
    return pending ? pending.then(() => hydrationOf(list)) : hydrationOf(list);
  }
}

function hydrationOf({ shown, queryHash }: ChangingList): Frame {
  const id = textOf(shown.position, queryHash);
  return { revision: id, bytes: streamEvent('unleash-connected', id, stitchIdentity(hydrationPieces(shown))) };
}
