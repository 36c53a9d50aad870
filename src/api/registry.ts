import type { AnyEndpoint } from '../http/endpoint.ts';
import { createRegistry } from '../http/registry.ts';
import { apiTokenEndpoints } from './admin/api-tokens.ts';
import { applicationEndpoints } from './admin/applications.ts';
import { backupEndpoints } from './admin/backup.ts';
import { bannerEndpoints } from './admin/banners.ts';
import { changeRequestListEndpoints } from './admin/change-request-lists.ts';
import { changeRequestEndpoints } from './admin/change-requests.ts';
import { clientMetricsEndpoints } from './admin/client-metrics.ts';
import { constraintEndpoints } from './admin/constraints.ts';
import { contextFieldEndpoints } from './admin/context-fields.ts';
import { currentUserEndpoints } from './admin/current-user.ts';
import { dependencyEndpoints } from './admin/dependencies.ts';
import { environmentCloneEndpoints } from './admin/environment-clone.ts';
import { environmentEndpoints } from './admin/environments.ts';
import { eventSearchEndpoints } from './admin/event-search.ts';
import { eventEndpoints } from './admin/events.ts';
import { favoriteEndpoints } from './admin/favorites.ts';
import { featureArchiveEndpoints } from './admin/feature-archive.ts';
import { featureEnvironmentEndpoints } from './admin/feature-environments.ts';
import { featureLinkEndpoints } from './admin/feature-links.ts';
import { featureSearchEndpoints } from './admin/feature-search.ts';
import { featureTagEndpoints } from './admin/feature-tags.ts';
import { featureTypeEndpoints } from './admin/feature-types.ts';
import { featureEndpoints } from './admin/features.ts';
import { featuresBatchEndpoints } from './admin/features-batch.ts';
import { feedbackEndpoints } from './admin/feedback.ts';
import { groupEndpoints } from './admin/groups.ts';
import { instanceAdminEndpoints } from './admin/instance-admin.ts';
import { lifecycleEndpoints } from './admin/lifecycle.ts';
import { maintenanceEndpoints } from './admin/maintenance.ts';
import { ownSessionEndpoints } from './admin/own-sessions.ts';
import { passwordEndpoints } from './admin/passwords.ts';
import { personalDashboardEndpoints } from './admin/personal-dashboard.ts';
import { personalTokenEndpoints } from './admin/personal-tokens.ts';
import { playgroundEndpoints } from './admin/playground.ts';
import { advancedPlaygroundEndpoints } from './admin/playground-advanced.ts';
import { projectAccessEndpoints } from './admin/project-access.ts';
import { projectContextFieldEndpoints } from './admin/project-context-fields.ts';
import { projectEnvironmentEndpoints } from './admin/project-environments.ts';
import { projectStatusEndpoints } from './admin/project-status.ts';
import { projectEndpoints } from './admin/projects.ts';
import { propagationEndpoints } from './admin/propagation.ts';
import { roleEndpoints } from './admin/roles.ts';
import { segmentEndpoints } from './admin/segments.ts';
import { serviceAccountEndpoints } from './admin/service-accounts.ts';
import { signOnSettingsEndpoints } from './admin/sign-on-settings.ts';
import { signupTokenEndpoints } from './admin/signup-tokens.ts';
import { strategyEndpoints } from './admin/strategies.ts';
import { strategyTypeEndpoints } from './admin/strategy-types.ts';
import { tagTypeEndpoints } from './admin/tag-types.ts';
import { tagEndpoints } from './admin/tags.ts';
import { takeOverEndpoints } from './admin/take-over.ts';
import { uiConfigEndpoints } from './admin/ui-config.ts';
import { unknownFlagEndpoints } from './admin/unknown-flags.ts';
import { userEndpoints } from './admin/users.ts';
import { variantEndpoints } from './admin/variants.ts';
import { linkPageEndpoints } from './auth/link-pages.ts';
import { logoutEndpoints } from './auth/logout.ts';
import { oidcEndpoints } from './auth/oidc.ts';
import { resetPasswordEndpoints } from './auth/reset-password.ts';
import { samlEndpoints } from './auth/saml.ts';
import { signupEndpoints } from './auth/signup.ts';
import { simpleLoginEndpoints } from './auth/simple-login.ts';
import { deltaEndpoints } from './client/delta.ts';
import { evaluateEndpoints } from './client/evaluate.ts';
import { clientFeatureEndpoints } from './client/features.ts';
import { reportEndpoints } from './client/reports.ts';
import { streamingEndpoints } from './client/streaming.ts';
import { documentationEndpoints } from './documentation.ts';
import { documentationPageEndpoints } from './documentation-page.ts';
import { edgeEndpoints } from './edge.ts';
import { frontendFeatureEndpoints } from './frontend/features.ts';
import { frontendReportEndpoints } from './frontend/reports.ts';
import { frontendStreamingEndpoints } from './frontend/streaming.ts';
import { gaugeEndpoints } from './gauges.ts';
import { ofrepConfigurationEndpoints } from './ofrep/configuration.ts';
import { ofrepEvaluationEndpoints } from './ofrep/evaluate.ts';
import { operationalEndpoints } from './operational.ts';
import type { Services } from './services.ts';

/** Every route of Burgee. */
export const endpoints: readonly AnyEndpoint<Services>[] = createRegistry([
  operationalEndpoints,
  gaugeEndpoints,
  backupEndpoints,
  simpleLoginEndpoints,
  logoutEndpoints,
  resetPasswordEndpoints,
  signupEndpoints,
  linkPageEndpoints,
  ownSessionEndpoints,
  passwordEndpoints,
  signupTokenEndpoints,
  personalTokenEndpoints,
  serviceAccountEndpoints,
  documentationEndpoints(() => endpoints),
  documentationPageEndpoints,
  clientFeatureEndpoints,
  deltaEndpoints,
  streamingEndpoints,
  evaluateEndpoints,
  frontendFeatureEndpoints,
  frontendStreamingEndpoints,
  ofrepEvaluationEndpoints,
  ofrepConfigurationEndpoints,
  reportEndpoints,
  frontendReportEndpoints,
  edgeEndpoints,
  applicationEndpoints,
  clientMetricsEndpoints,
  unknownFlagEndpoints,
  propagationEndpoints,
  playgroundEndpoints,
  advancedPlaygroundEndpoints,
  featuresBatchEndpoints,
  featureEndpoints,
  featureSearchEndpoints,
  dependencyEndpoints,
  featureArchiveEndpoints,
  featureEnvironmentEndpoints,
  featureLinkEndpoints,
  featureTagEndpoints,
  tagEndpoints,
  featureTypeEndpoints,
  favoriteEndpoints,
  lifecycleEndpoints,
  strategyEndpoints,
  strategyTypeEndpoints,
  variantEndpoints,
  apiTokenEndpoints,
  constraintEndpoints,
  changeRequestEndpoints,
  changeRequestListEndpoints,
  contextFieldEndpoints,
  projectContextFieldEndpoints,
  environmentEndpoints,
  environmentCloneEndpoints,
  eventEndpoints,
  eventSearchEndpoints,
  projectEnvironmentEndpoints,
  projectEndpoints,
  projectStatusEndpoints,
  personalDashboardEndpoints,
  segmentEndpoints,
  tagTypeEndpoints,
  currentUserEndpoints,
  feedbackEndpoints,
  uiConfigEndpoints,
  bannerEndpoints,
  maintenanceEndpoints,
  takeOverEndpoints,
  instanceAdminEndpoints,
  userEndpoints,
  roleEndpoints,
  groupEndpoints,
  projectAccessEndpoints,
  signOnSettingsEndpoints,
  samlEndpoints,
  oidcEndpoints,
]);
