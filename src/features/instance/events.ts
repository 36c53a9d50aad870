import type { EventWords } from '../../model/event.ts';

/** Events that this feature records, with their labels and sentences. */
export const INSTANCE_EVENTS = {
  'setting-created': ['Setting created', 'created the setting {what}'],
  'setting-updated': ['Setting changed', 'changed the setting {what}'],
  'setting-deleted': ['Setting deleted', 'deleted the setting {what}'],
  'banner-created': ['Banner created', 'created a banner'],
  'banner-updated': ['Banner changed', 'changed a banner'],
  'banner-deleted': ['Banner deleted', 'deleted a banner'],
} as const satisfies EventWords;

type Stated = typeof INSTANCE_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Stated {}
}
