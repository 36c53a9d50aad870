import type { EventType } from '../../model/event.ts';

const SECRETS =
  'passwords, sessions and the secrets of tokens are never stored in the history, so nothing can restore them, and an undo must not let somebody in again.';
const PEOPLE = `a user is not restored: ${SECRETS} Create or change the user again.`;
const TOKENS = `a token is not restored: ${SECRETS} Create a new token.`;
const REQUESTS =
  'a change request has steps of its own, and is not undone. Undo the commit that applied it, or create another change request.';
const SETTINGS =
  'the earlier value of a setting of the instance is not recorded, because settings may contain secrets. Set it again.';
const INTEGRATIONS =
  'the history does not record integrations, because their parameters contain secrets. Create or change the integration again.';
const SIGNALS =
  'the history does not record signal endpoints, because they have tokens. Create or change the endpoint again.';
const ACTION_SETS = 'the history does not record action sets. Create or change the action set again.';
const RELEASE_TEMPLATES = 'the history does not record release templates. Create or change the template again.';
const PERSONAL = 'this belongs to one user alone, and its past is not recorded.';
const SEEN = 'this was recorded by the service, not changed by a person.';

/** Why the effects of these events are not undone. Their entities have no recorded past. */
const REASONS: { readonly [T in EventType]?: string } = {
  'user-created': PEOPLE,
  'user-updated': PEOPLE,
  'user-deleted': PEOPLE,
  'service-account-created': PEOPLE,
  'service-account-updated': PEOPLE,
  'service-account-deleted': PEOPLE,
  'public-signup-token-created': TOKENS,
  'public-signup-token-updated': TOKENS,
  'public-signup-token-user-added': PEOPLE,
  'pat-created': TOKENS,
  'pat-deleted': TOKENS,
  'api-token-created': TOKENS,
  'api-token-updated': TOKENS,
  'api-token-deleted': TOKENS,
  'change-request-created': REQUESTS,
  'change-request-discarded': REQUESTS,
  'change-request-rejected': REQUESTS,
  'change-request-approved': REQUESTS,
  'change-request-approval-added': REQUESTS,
  'change-request-cancelled': REQUESTS,
  'change-request-sent-to-review': REQUESTS,
  'change-request-scheduled': REQUESTS,
  'change-request-schedule-suspended': REQUESTS,
  'change-added': REQUESTS,
  'change-edited': REQUESTS,
  'change-discarded': REQUESTS,
  'setting-created': SETTINGS,
  'setting-updated': SETTINGS,
  'setting-deleted': SETTINGS,
  'addon-config-created': INTEGRATIONS,
  'addon-config-updated': INTEGRATIONS,
  'addon-config-deleted': INTEGRATIONS,
  'signal-endpoint-created': SIGNALS,
  'signal-endpoint-updated': SIGNALS,
  'signal-endpoint-deleted': SIGNALS,
  'signal-endpoint-token-created': TOKENS,
  'signal-endpoint-token-updated': SIGNALS,
  'signal-endpoint-token-deleted': TOKENS,
  'actions-created': ACTION_SETS,
  'actions-updated': ACTION_SETS,
  'actions-deleted': ACTION_SETS,
  'release-plan-template-created': RELEASE_TEMPLATES,
  'release-plan-template-updated': RELEASE_TEMPLATES,
  'release-plan-template-archived': RELEASE_TEMPLATES,
  'release-plan-template-deleted': RELEASE_TEMPLATES,
  'feature-favorited': PERSONAL,
  'feature-unfavorited': PERSONAL,
  'project-favorited': PERSONAL,
  'project-unfavorited': PERSONAL,
  'application-created': SEEN,
  'feature-potentially-stale-on': SEEN,
  'api-token-expires-soon': SEEN,
  'features-exported': SEEN,
};

/** What an undo of a commit leaves as it is, and why. */
export interface NeverUndone {
  readonly event: EventType;
  readonly reason: string;
}

/** Why the effect of an event of this type is never undone; null if an undo of its commit restores what the event changed. */
export const whyNeverUndone = (type: EventType): string | null => REASONS[type] ?? null;

/** The events among these types whose effects are never undone. */
export function neverUndone(types: Iterable<EventType>): NeverUndone[] {
  return [...types].flatMap((event) => {
    const reason = whyNeverUndone(event);
    return reason === null ? [] : [{ event, reason }];
  });
}
