import type { Examples } from '../../http/examples.ts';
import type { Glossary } from '../../http/field-descriptions.ts';

/** Descriptions of request and response fields of this feature whose schema has none. */
export const glossary: Glossary = {
  'banner.link': 'An absolute or relative link, or `dialog` to open a dialog',
  'createBanner.link': 'An absolute or relative link, or `dialog` to open a dialog',
  'updateBanner.link': 'An absolute or relative link, or `dialog` to open a dialog',
  'feedback.given': 'When the user answered; null if the user has not answered',
  'feedbackUpdate.given': 'When the user answered; null if the user has not answered',
  'instanceAdminStats.instanceId': 'Id of the instance',
  'versionInfo.instanceId': 'Id of the instance. It stays the same as long as its store exists',
  'resourceLimits.apiTokens': 'Maximum number of API tokens',
  'resourceLimits.featureFlags': 'Maximum number of flags that are not archived',
  'versionInfo.current': 'The running version',
  'versionInfo.current.oss': 'The version, as text',
  'versionInfo.latest.oss': 'The newest version',
  'versionInfo.latest.enterprise': 'The newest version of another edition',
};

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  createBanner: { message: 'Maintenance on Sunday', enabled: true, variant: 'warning' },
  createFeedback: { feedbackId: 'newUser', neverShow: true },
  'recordUiError.errorMessage': 'Cannot read properties of undefined',
  updateBanner: { enabled: false },
  updateFeedback: { neverShow: true },
};
