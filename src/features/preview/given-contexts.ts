import { invalid, Rejection } from '../../base/rejection.ts';
import type { Caller } from '../../model/caller.ts';
import type { SdkContext } from '../../model/context.ts';
import type { StateReader } from '../../state/collections.ts';
import { ownUserId } from '../people/own-user.ts';
import { findSet } from '../personal/contexts/commands.ts';

/** The contexts of a request: those in its body, then those of the saved sets that it names. */
export interface GivenContexts {
  readonly contexts: readonly SdkContext[];
  /** The position of the context in the request, as a JSON pointer; of a saved context, the position of its set. */
  pathOf(index: number): string;
}

/** A rejection if a set does not exist, or if the caller may not read it. */
export function givenContexts(
  given: readonly SdkContext[] | undefined,
  sets: readonly number[],
  { reader, caller }: { readonly reader: StateReader; readonly caller: Caller },
): GivenContexts | Rejection {
  if (sets.length === 0) return { contexts: given ?? [{}], pathOf: (index) => `/contexts/given/${index}` };
  const userId = ownUserId(caller);
  if (userId instanceof Rejection) return userId;
  const contexts: SdkContext[] = [...(given ?? [])];
  const sent = contexts.length;
  const ends: number[] = [];
  for (const [position, id] of sets.entries()) {
    const set = findSet({ draft: reader, caller }, userId, id);
    if (set instanceof Rejection) return set;
    if (set.contexts.length === 0)
      return invalid(`The context set ${set.name} is empty.`, `/contexts/sets/${position}`);
    for (const context of set.contexts) contexts.push(context);
    ends.push(contexts.length);
  }
  const pathOf = (index: number) =>
    index < sent ? `/contexts/given/${index}` : `/contexts/sets/${ends.findIndex((end) => index < end)}`;
  return { contexts, pathOf };
}
