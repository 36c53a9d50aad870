import type { FeatureHttp } from '../feature-module.ts';
import { instanceAdminEndpoints } from './admin-routes.ts';
import { backupEndpoints } from './backups/routes.ts';
import { bannerEndpoints } from './banners/routes.ts';
import { examples, glossary } from './described.ts';
import { feedbackEndpoints } from './feedback/routes.ts';
import { maintenanceEndpoints } from './maintenance/routes.ts';
import { edgeEndpoints } from './operations/edge.ts';
import { gaugeEndpoints } from './operations/gauges.ts';
import { operationalEndpoints } from './operations/routes.ts';
import { uiConfigEndpoints } from './ui-config-routes.ts';

export const http: FeatureHttp = {
  endpoints: [
    ...instanceAdminEndpoints,
    ...backupEndpoints,
    ...bannerEndpoints,
    ...feedbackEndpoints,
    ...maintenanceEndpoints,
    ...edgeEndpoints,
    ...gaugeEndpoints,
    ...operationalEndpoints,
    ...uiConfigEndpoints,
  ],
  glossary,
  examples,
};
