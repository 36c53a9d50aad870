import type { EventWords } from '../../model/event.ts';

/** The event types that this feature records, each with its title and its sentence for people. */
export const SEGMENT_EVENTS = {
  'segment-created': ['Segment created', 'created the segment {what}{in}'],
  'segment-updated': ['Segment changed', 'changed the segment {what}{in}'],
  'segment-deleted': ['Segment deleted', 'deleted the segment {what}{in}'],
  'segment-import': ['Segment imported', 'imported the segment {what}'],
} as const satisfies EventWords;

type Entries = typeof SEGMENT_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Entries {}
}
