import type { EventWords } from '../../model/event.ts';

/** Events that this feature records, with their labels and sentences. */
export const IMPORT_EXPORT_EVENTS = {
  'features-exported': ['Flags exported', 'exported flags{in}{on}'],
  'features-imported': ['Flags imported', 'imported flags{in}{on}'],
} as const satisfies EventWords;

type Stated = typeof IMPORT_EXPORT_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Stated {}
}
