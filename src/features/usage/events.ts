import type { EventWords } from '../../model/event.ts';

/** Events that this feature records, with their texts. */
export const USAGE_EVENTS = {
  'application-created': ['Application seen', 'saw the application {what} for the first time'],
  'client-metrics': ['Metrics received', 'received metrics of {what}'],
  'client-register': ['Client registered', 'recorded that {what} registered'],
} as const satisfies EventWords;

type Stated = typeof USAGE_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Stated {}
}
