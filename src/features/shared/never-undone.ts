import { allEvents, type EventType } from '../../model/event.ts';

const SECRETS =
  'passwords, sessions and the secrets of tokens are never stored in the history, so nothing can restore them, and an undo must not let somebody in again.';

/** Why changes of people are not undone. */
export const PEOPLE = `a user is not restored: ${SECRETS} Create or change the user again.`;
/** Why changes of tokens are not undone. */
export const TOKENS = `a token is not restored: ${SECRETS} Create a new token.`;
/** Why records of the service are not undone. */
export const SEEN = 'this was recorded by the service, not changed by a person.';

/** What an undo of a commit leaves as it is, and why. */
export interface NeverUndone {
  readonly event: EventType;
  readonly reason: string;
}

/** Why the effect of an event of this type is never undone; null if an undo of its commit restores what the event changed. */
export const whyNeverUndone = (type: EventType): string | null => allEvents()[type]?.[2] ?? null;

/** The events among these types whose effects are never undone. */
export function neverUndone(types: Iterable<EventType>): NeverUndone[] {
  return [...types].flatMap((event) => {
    const reason = whyNeverUndone(event);
    return reason === null ? [] : [{ event, reason }];
  });
}
