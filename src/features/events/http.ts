import type { FeatureHttp } from '../feature-module.ts';
import { eventEndpoints } from './routes.ts';
import { eventSearchEndpoints } from './search-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...eventEndpoints, ...eventSearchEndpoints],
  glossary: {
    'event.createdAt': 'When it happened',
    'event.type': 'What happened',
    'event.environment': 'Environment that the event is about; null if it is about none',
    'event.featureName': 'Flag that the event is about; null if it is about none',
    'event.project': 'Project that the event is about; null if it is about none',
    'event.createdBy': 'Name, at the time of the event, of the user who caused it',
    'event.tags': 'Tags of the flag at the time of the event; null if there are none',
    'event.version': 'Version of the format',
  },
};
