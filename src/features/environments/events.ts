import type { EventWords } from '../../model/event.ts';

/** The event types that this feature records, each with its title and its sentence for people. */
export const ENVIRONMENT_EVENTS = {
  'drop-environments': ['Environments dropped', 'dropped all environments'],
  'environment-import': ['Environment imported', 'imported the environment {what}'],
  'environment-created': ['Environment created', 'created the environment {what}'],
  'environment-updated': ['Environment changed', 'changed the environment {what}'],
  'environment-deleted': ['Environment deleted', 'deleted the environment {what}'],
} as const satisfies EventWords;

type Entries = typeof ENVIRONMENT_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Entries {}
}
