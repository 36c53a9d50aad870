import type { EventWords } from '../../model/event.ts';

/** The event types that this feature records, each with its title and its sentence for people. */
export const TOKEN_EVENTS = {
  'api-token-created': ['API token created', 'created the API token {what}{on}'],
  'api-token-updated': ['API token changed', 'changed the API token {what}{on}'],
  'api-token-deleted': ['API token deleted', 'deleted the API token {what}{on}'],
} as const satisfies EventWords;

type Entries = typeof TOKEN_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Entries {}
}
