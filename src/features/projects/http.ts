import type { FeatureHttp } from '../feature-module.ts';
import { projectAccessEndpoints } from './access-routes.ts';
import { personalDashboardEndpoints } from './dashboard-routes.ts';
import { examples, glossary } from './described.ts';
import { projectEnvironmentEndpoints } from './environment-routes.ts';
import { projectEndpoints } from './routes.ts';
import { projectStatusEndpoints } from './status-routes.ts';

export const http: FeatureHttp = {
  endpoints: [
    ...projectAccessEndpoints,
    ...personalDashboardEndpoints,
    ...projectEnvironmentEndpoints,
    ...projectEndpoints,
    ...projectStatusEndpoints,
  ],
  glossary,
  examples,
};
