import type { FeatureHttp } from '../feature-module.ts';
import { currentUserEndpoints } from './current-user-routes.ts';
import { examples, glossary } from './described.ts';
import { groupEndpoints } from './groups/routes.ts';
import { personalTokenEndpoints } from './personal-tokens/routes.ts';
import { roleEndpoints } from './roles/routes.ts';
import { serviceAccountEndpoints } from './service-accounts/routes.ts';
import { userIdentityEndpoints } from './users/identity-routes.ts';
import { userEndpoints } from './users/routes.ts';

export const http: FeatureHttp = {
  endpoints: [
    ...currentUserEndpoints,
    ...groupEndpoints,
    ...personalTokenEndpoints,
    ...roleEndpoints,
    ...serviceAccountEndpoints,
    ...userIdentityEndpoints,
    ...userEndpoints,
  ],
  glossary,
  examples,
};
