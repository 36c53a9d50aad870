import type { FeatureHttp } from '../feature-module.ts';
import { instanceAdminEndpoints } from './admin-routes.ts';
import { backupEndpoints } from './backups/routes.ts';
import { bannerEndpoints } from './banners/banners.ts';
import { feedbackEndpoints } from './feedback/routes.ts';
import { maintenanceEndpoints } from './maintenance/routes.ts';
import { edgeEndpoints } from './operations/edge-routes.ts';
import { gaugeEndpoints } from './operations/prometheus-page.ts';
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
  glossary: {
    'banner.link': 'An absolute or relative link, or `dialog` to open a dialog',
    'createBanner.link': 'An absolute or relative link, or `dialog` to open a dialog',
    'updateBanner.link': 'An absolute or relative link, or `dialog` to open a dialog',
    'feedback.given': 'When the user answered; null if the user has not answered',
    'feedbackUpdate.given': 'When the user answered; null if the user has not answered',
    'instanceAdminStats.instanceId': 'Id of the instance',
    'versionInfo.instanceId': 'Id of the instance. It stays the same as long as its store exists',
    'resourceLimits.actionSetActions': 'Maximum number of actions of an action set',
    'resourceLimits.actionSetsPerProject': 'Maximum number of action sets of a project',
    'resourceLimits.actionSetFilters': 'Maximum number of filters of an action set',
    'resourceLimits.actionSetFilterValues': 'Maximum number of values of a filter of an action set',
    'resourceLimits.signalEndpoints': 'Maximum number of signal endpoints',
    'resourceLimits.signalTokensPerEndpoint': 'Maximum number of tokens of a signal endpoint',
    'resourceLimits.apiTokens': 'Maximum number of API tokens',
    'resourceLimits.featureFlags': 'Maximum number of flags that are not archived',
    'versionInfo.current': 'The running version',
    'versionInfo.current.oss': 'The version, as text',
    'versionInfo.latest.oss': 'The newest version',
    'versionInfo.latest.enterprise': 'The newest version of another edition',
  },
  examples: {
    createBanner: { message: 'Maintenance on Sunday', enabled: true, variant: 'warning' },
    createFeedback: { feedbackId: 'newUser', neverShow: true },
    'recordUiError.errorMessage': 'Cannot read properties of undefined',
    updateBanner: { enabled: false },
    updateFeedback: { neverShow: true },
  },
};
