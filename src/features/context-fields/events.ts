import type { EventWords } from '../../model/event.ts';

/** The event types that this feature records, each with its title and its sentence for people. */
export const CONTEXT_FIELD_EVENTS = {
  'context-field-created': ['Context field created', 'created the context field {what}{in}'],
  'context-field-updated': ['Context field changed', 'changed the context field {what}{in}'],
  'context-field-deleted': ['Context field deleted', 'deleted the context field {what}{in}'],
} as const satisfies EventWords;

type Entries = typeof CONTEXT_FIELD_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Entries {}
}
