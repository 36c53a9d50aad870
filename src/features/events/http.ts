import type { FeatureHttp } from '../feature-module.ts';
import { eventEndpoints } from './routes.ts';
import { eventSearchEndpoints } from './search-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...eventEndpoints, ...eventSearchEndpoints],
  glossary: {
    'event.createdAt': 'When it happened',
    'event.type': 'What happened',
    'event.environment': 'Environment it happened in; null when it concerns none',
    'event.featureName': 'Flag it happened to; null when it concerns none',
    'event.project': 'Project it happened in; null when it concerns none',
    'event.createdBy': 'Name of the user who caused it, at that time',
    'event.tags': 'Tags of the flag at that time; null when there is none',
    'event.version': 'Version of the format',
  },
};
