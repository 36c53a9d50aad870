import type { FeatureHttp } from '../feature-module.ts';
import { frontendFeatureEndpoints } from './routes.ts';
import { frontendStreamingEndpoints } from './streaming-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...frontendFeatureEndpoints, ...frontendStreamingEndpoints],
  glossary: {
    'frontendFlag.variant': 'The variant that was chosen; `disabled` if there is none',
    'frontendFlag.enabled': 'Whether it is on: always true, because flags that are off are left out',
    // `frontendToggle`: a flag that may be off.
    'frontendToggle.variant': 'The variant that was chosen; `disabled` if there is none, or if the flag is off',
    'frontendRequest.context': 'The context; instead, its fields may be fields of the body itself',
    'frontendRequest.environment': 'Accepted and ignored: the token decides the environment',
  },
};
