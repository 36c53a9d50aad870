import type { EventWords } from '../model/event.ts';

/** The events that the engine itself records, with their texts. */
export const ENGINE_EVENTS = {
  'history-surplus': ['History lost', 'found that changes are not part of the history any more'],
  'history-reapplied': ['History repaired', 'made a lost change again'],
} as const satisfies EventWords;

type EngineEvents = typeof ENGINE_EVENTS;

declare module '../model/event.ts' {
  interface EventTable extends EngineEvents {}
}
