import type { Channel, Frame } from '../../base/channel.ts';
import type { Scope } from '../../model/caller.ts';
import { payloadOf, stitchIdentity } from '../payload/piece.ts';
import type { ClientViews } from './client-views.ts';
import { changeEvents, hydrationPieces, positionOf, streamEvent, textOf } from './delta-events.ts';
import type { ScopeView } from './scope-view.ts';

const NO_BYTES = new Uint8Array();

/** What the streams of a scope are told. It stays the same object when the lists of another state take the place of those there are. */
export class DeltaChannel implements Channel {
  readonly #views: ClientViews;
  readonly #scope: Scope;

  constructor(views: ClientViews, scope: Scope) {
    this.#views = views;
    this.#scope = scope;
  }

  get revision(): string {
    const { position, queryHash } = this.#view;
    return textOf(position, queryHash);
  }

  since(revision: string): Frame | null {
    const view = this.#view;
    const from = positionOf(revision, view.queryHash);
    const changes = from && view.changesSince(from);
    if (!changes) return null;
    const id = textOf(changes.position, view.queryHash);
    const events = changeEvents(changes);
    return { revision: id, bytes: events ? streamEvent('unleash-updated', id, payloadOf(events)) : NO_BYTES };
  }

  hydration(): Frame | Promise<Frame> {
    const view = this.#view;
    const pending = view.refresh();
    return pending ? pending.then(() => hydrationOf(view)) : hydrationOf(view);
  }

  get #view(): ScopeView {
    return this.#views.view(this.#scope, 2);
  }
}

function hydrationOf({ shown, queryHash }: ScopeView): Frame {
  const id = textOf(shown.position, queryHash);
  return { revision: id, bytes: streamEvent('unleash-connected', id, stitchIdentity(hydrationPieces(shown))) };
}
