import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Frame } from '../../../src/base/queues/channel.ts';
import type { Scope } from '../../../src/model/caller.ts';
import { State } from '../../../src/state/state.ts';
import { ClientViews } from '../../../src/views/client/client-views.ts';
import { applied, type DeltaEvent, type DeltaList, EMPTY_LIST, inOrder } from '../../support/http/delta.ts';
import { commitOf, history } from '../../support/random-state.ts';

const SCOPES: readonly Scope[] = [
  { environment: 'development', projects: null },
  { environment: 'production', projects: null },
  { environment: 'development', projects: new Set(['default']) },
  { environment: 'production', projects: new Set(['default', 'other']) },
];

/** The list that a client gets that polls for the whole list. */
async function polled(views: ClientViews, scope: Scope): Promise<DeltaList> {
  const view = views.view(scope, 2);
  await view.refresh();
  const { features, segments } = JSON.parse(Buffer.concat(view.identity.parts).toString());
  return applied(EMPTY_LIST, [{ eventId: 0, type: 'hydration', features, segments }]);
}

/** A client that listens to the stream, or requests the changes, from time to time. */
class Reader {
  readonly scope: Scope;
  readonly isListening: boolean;
  #position: string | undefined;
  #list = EMPTY_LIST;
  /** How often it received changes, and how often the whole list. */
  readonly received = { changes: 0, all: 0 };

  constructor(scope: Scope, isListening: boolean) {
    this.scope = scope;
    this.isListening = isListening;
  }

  async follow(views: ClientViews): Promise<void> {
    if (this.isListening) await this.#listen(views);
    else await this.#ask(views);
    expect(inOrder(this.#list)).toEqual(inOrder(await polled(views, this.scope)));
  }

  async #listen(views: ClientViews): Promise<void> {
    const channel = views.channel(this.scope);
    while (this.#position !== channel.revision) {
      const known = this.#position === undefined ? null : channel.since(this.#position);
      const frame: Frame = known ?? (await channel.hydration());
      this.#take(frame.revision, /^data: (.*)$/m.exec(Buffer.from(frame.bytes).toString())?.[1]);
    }
  }

  async #ask(views: ClientViews): Promise<void> {
    const view = views.view(this.scope, 2);
    await view.refresh();
    const answer = view.delta.since(this.#position ?? '') ?? view.delta.wholeList(this.#position ?? '', false);
    const { fields } = answer.head;
    const etag = (fields[fields.indexOf('etag') + 1] ?? '').replaceAll('"', '');
    this.#take(etag, answer.body && Buffer.concat(answer.body.parts).toString());
  }

  #take(position: string, text: string | undefined): void {
    const { events } = JSON.parse(text ?? '{"events":[]}') as { events: DeltaEvent[] };
    if (events.length > 0) this.received[events[0]?.type === 'hydration' ? 'all' : 'changes']++;
    this.#list = applied(this.#list, events);
    this.#position = position;
  }
}

describe('the whole list, and then the changes', () => {
  it('give the current list for every scope and at every time, also when another state replaces this one', async () => {
    const received = { changes: 0, all: 0 };
    await fc.assert(
      fc.asyncProperty(
        history,
        history,
        fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }),
        async (first, then, gaps) => {
          const state = new State();
          const views = new ClientViews(state);
          const readers = SCOPES.flatMap((scope) => [new Reader(scope, true), new Reader(scope, false)]);
          const run = async (commits: typeof first, mark: string) => {
            for (const [index, { changes }] of commits.entries()) {
              // A change of a project requires the whole list: most commits contain none.
              const kept = index > 2 ? changes.filter(({ collection }) => collection !== 'projects') : changes;
              if (kept.length > 0) views.apply(state.apply(commitOf(state, kept), mark));
              for (const [slot, reader] of readers.entries())
                if (index % ((gaps[slot] ?? 0) + 1) === 0) await reader.follow(views);
            }
          };
          await run(first, 'one');
          const next = new State();
          for (const { changes } of then.slice(0, 5)) next.apply(commitOf(next, changes), 'two');
          const successor = await views.successor(next);
          views.takeOver(successor);
          state.replaceWith(next);
          await run(then.slice(5), 'two');
          for (const reader of readers) {
            await reader.follow(views);
            received.changes += reader.received.changes;
            received.all += reader.received.all;
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(received.changes).toBeGreaterThan(50);
    expect(received.all).toBeGreaterThan(50);
  });
});
