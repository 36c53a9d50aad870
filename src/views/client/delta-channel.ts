import { SERVICE } from '../../base/asking/asker.ts';
import { bodyInParts, bodyOf } from '../../base/prepared-answer.ts';
import type { Channel, Frame } from '../../base/queues/channel.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import { FETCH_MODE_NAME, type FetchMode } from '../../model/fetch-mode.ts';
import {
  changeEvents,
  hydrationPieces,
  parsePosition,
  positionText,
  streamEvent,
  streamEventInSteps,
} from './delta-events.ts';
import type { ChangingList } from './list-changes.ts';

const ASKS_FOR_POLLS = Buffer.from(`event: ${FETCH_MODE_NAME}\ndata: ${'polling' satisfies FetchMode}\n\n`);
const NO_BYTES = new Uint8Array();
/** Maximum size that is copied in one step: the copy takes less than a millisecond. */
const COPIED_AT_ONCE_BYTES = 1024 * 1024;

/** The data for the streams of a scope. The channel stays the same object when another state replaces the current one. */
export class DeltaChannel implements Channel {
  readonly #currentList: () => ChangingList;

  constructor(currentList: () => ChangingList) {
    this.#currentList = currentList;
  }

  get revision(): string {
    const { position, queryHash } = this.#currentList();
    return positionText(position, queryHash);
  }

  /** Asks the SDKs to poll, if the setting of the environment says so. */
  get notice(): Uint8Array | undefined {
    return this.#currentList().fetchMode === 'polling' ? ASKS_FOR_POLLS : undefined;
  }

  since(revision: string): Frame | null {
    const list = this.#currentList();
    const from = parsePosition(revision, list.queryHash);
    const changes = from && list.changesSince(from);
    if (!changes) return null;
    const id = positionText(changes.position, list.queryHash);
    const events = changeEvents(changes);
    return { revision: id, bytes: events ? streamEvent('unleash-updated', id, bodyOf(events)) : NO_BYTES };
  }

  hydration(): Frame | Promise<Frame> {
    const list = this.#currentList();
    const pending = list.refresh();
    return pending ? pending.then(() => hydrationOf(list)) : hydrationOf(list);
  }
}

/** `shown` is immutable, so it does not change while it is copied. */
function hydrationOf({ shown, queryHash }: ChangingList): Frame | Promise<Frame> {
  const revision = positionText(shown.position, queryHash);
  const list = bodyInParts(hydrationPieces(shown).map(({ bytes }) => bytes));
  const name = 'unleash-connected';
  if (list.lengthBytes <= COPIED_AT_ONCE_BYTES) return { revision, bytes: streamEvent(name, revision, list) };
  return inSlices(streamEventInSteps(name, revision, list), Slicer.of(SERVICE)).then((bytes) => ({ revision, bytes }));
}
