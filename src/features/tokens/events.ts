import type { EventWords } from '../../model/event.ts';

/** Events that this feature records, with their texts. */
export const TOKEN_EVENTS = {
  'api-token-created': ['API token created', 'created the API token {what}{on}'],
  'api-token-updated': ['API token changed', 'changed the API token {what}{on}'],
  'api-token-deleted': ['API token deleted', 'deleted the API token {what}{on}'],
} as const satisfies EventWords;

type Stated = typeof TOKEN_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Stated {}
}
