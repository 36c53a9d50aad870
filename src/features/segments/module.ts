import { segments } from '../../model/segment.ts';
import { feature } from '../feature-module.ts';
import { SEGMENT_EVENTS } from './events.ts';
import { SEGMENT_LIMITS } from './limits.ts';

export const segmentsFeature = feature({
  name: 'segments',
  exports: ['commands.ts'],
  collections: { segments },
  events: SEGMENT_EVENTS,
  limits: SEGMENT_LIMITS,
  http: async () => (await import('./http.ts')).http,
});
