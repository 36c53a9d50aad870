import { limit } from '../../model/limits.ts';
import { segments } from '../../model/segment.ts';
import { feature } from '../feature-module.ts';
import { editedBy, partsWithConstraints } from '../shared/entity-tags.ts';
import { byName } from '../shared/recorded.ts';

export const segmentsFeature = feature({
  name: 'segments',
  exports: ['commands.ts'],
  collections: { segments },
  shown: {
    segments: { type: 'segment', named: ({ id, project }) => ({ id, project }) },
  },
  history: { segments: { type: 'segment', nameOf: byName, undo: async () => (await import('./undo.ts')).undoSegment } },
  edited: {
    segment: editedBy('segments', 'id', 'segment', { parts: (segment) => partsWithConstraints([segment]) }),
  },
  events: {
    'segment-created': ['Segment created', 'created the segment {what}{in}'],
    'segment-updated': ['Segment changed', 'changed the segment {what}{in}'],
    'segment-deleted': ['Segment deleted', 'deleted the segment {what}{in}'],
    'segment-import': ['Segment imported', 'imported the segment {what}'],
  },
  limits: { segments: limit('segments', 300, 5_000, 'UNLEASH_SEGMENTS_LIMIT', { counts: 'segments' }) },
  limited: async () => (await import('./limited.ts')).limited,
  http: async () => (await import('./http.ts')).http,
});
