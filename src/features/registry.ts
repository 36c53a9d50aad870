import type { AnyEndpoint } from '../http/endpoint.ts';
import { createRegistry } from '../http/registry.ts';
import { evaluateEndpoints } from './bulk/routes.ts';
import { changeRequestListEndpoints } from './change-requests/list-routes.ts';
import { changeRequestEndpoints } from './change-requests/routes.ts';
import { deltaEndpoints } from './client/delta-routes.ts';
import { clientFeatureEndpoints } from './client/list-routes.ts';
import { streamingEndpoints } from './client/streaming-routes.ts';
import { projectContextFieldEndpoints } from './context-fields/project-routes.ts';
import { contextFieldEndpoints } from './context-fields/routes.ts';
import { documentationEndpoints } from './documentation/document.ts';
import { documentationPageEndpoints } from './documentation/page.ts';
import { environmentCloneEndpoints } from './environments/clone-routes.ts';
import { environmentEndpoints } from './environments/routes.ts';
import { eventEndpoints } from './events/routes.ts';
import { eventSearchEndpoints } from './events/search-routes.ts';
import { featureArchiveEndpoints } from './flags/archive/routes.ts';
import { featuresBatchEndpoints } from './flags/batch-routes.ts';
import { constraintEndpoints } from './flags/constraints/routes.ts';
import { dependencyEndpoints } from './flags/dependencies/routes.ts';
import { featureEnvironmentEndpoints } from './flags/environments/routes.ts';
import { favoriteEndpoints } from './flags/favorites/routes.ts';
import { featureLinkEndpoints } from './flags/links/routes.ts';
import { featureEndpoints } from './flags/routes.ts';
import { featureSearchEndpoints } from './flags/search/routes.ts';
import { strategyEndpoints } from './flags/strategies/routes.ts';
import { strategyTypeEndpoints } from './flags/strategies/type-routes.ts';
import { featureTagEndpoints } from './flags/tags/routes.ts';
import { tagEndpoints } from './flags/tags/tag-routes.ts';
import { tagTypeEndpoints } from './flags/tags/tag-types.ts';
import { featureTypeEndpoints } from './flags/types/routes.ts';
import { variantEndpoints } from './flags/variants/routes.ts';
import { frontendFeatureEndpoints } from './frontend/routes.ts';
import { frontendStreamingEndpoints } from './frontend/streaming-routes.ts';
import { takeOverEndpoints } from './import-export/instance/routes.ts';
import { instanceAdminEndpoints } from './instance/admin-routes.ts';
import { backupEndpoints } from './instance/backups/routes.ts';
import { bannerEndpoints } from './instance/banners/routes.ts';
import { feedbackEndpoints } from './instance/feedback/routes.ts';
import { maintenanceEndpoints } from './instance/maintenance/routes.ts';
import { edgeEndpoints } from './instance/operations/edge.ts';
import { gaugeEndpoints } from './instance/operations/gauges.ts';
import { operationalEndpoints } from './instance/operations/routes.ts';
import { uiConfigEndpoints } from './instance/ui-config-routes.ts';
import { ofrepConfigurationEndpoints } from './ofrep/configuration-routes.ts';
import { ofrepEvaluationEndpoints } from './ofrep/routes.ts';
import { currentUserEndpoints } from './people/current-user-routes.ts';
import { groupEndpoints } from './people/groups/routes.ts';
import { personalTokenEndpoints } from './people/personal-tokens/routes.ts';
import { roleEndpoints } from './people/roles/routes.ts';
import { serviceAccountEndpoints } from './people/service-accounts/routes.ts';
import { userIdentityEndpoints } from './people/users/identity-routes.ts';
import { userEndpoints } from './people/users/routes.ts';
import { advancedPlaygroundEndpoints } from './playground/advanced-routes.ts';
import { playgroundEndpoints } from './playground/routes.ts';
import { projectAccessEndpoints } from './projects/access-routes.ts';
import { personalDashboardEndpoints } from './projects/dashboard-routes.ts';
import { projectEnvironmentEndpoints } from './projects/environment-routes.ts';
import { projectEndpoints } from './projects/routes.ts';
import { projectStatusEndpoints } from './projects/status-routes.ts';
import { segmentEndpoints } from './segments/routes.ts';
import type { Services } from './services.ts';
import { logoutEndpoints } from './sign-on/logout-routes.ts';
import { oidcEndpoints } from './sign-on/oidc/routes.ts';
import { linkPageEndpoints } from './sign-on/pages/routes.ts';
import { resetPasswordEndpoints } from './sign-on/passwords/reset-routes.ts';
import { passwordEndpoints } from './sign-on/passwords/routes.ts';
import { samlEndpoints } from './sign-on/saml/routes.ts';
import { ownSessionEndpoints } from './sign-on/sessions/routes.ts';
import { signOnSettingsEndpoints } from './sign-on/settings-routes.ts';
import { signupEndpoints } from './sign-on/signup/routes.ts';
import { signupTokenEndpoints } from './sign-on/signup/token-routes.ts';
import { simpleLoginEndpoints } from './sign-on/simple-routes.ts';
import { apiTokenEndpoints } from './tokens/routes.ts';
import { applicationEndpoints } from './usage/applications/routes.ts';
import { lifecycleEndpoints } from './usage/lifecycle-routes.ts';
import { clientMetricsEndpoints } from './usage/metrics-routes.ts';
import { propagationEndpoints } from './usage/propagation/routes.ts';
import { frontendReportEndpoints } from './usage/reports/frontend-routes.ts';
import { reportEndpoints } from './usage/reports/routes.ts';
import { unknownFlagEndpoints } from './usage/unknown-flag-routes.ts';

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
  userIdentityEndpoints,
  roleEndpoints,
  groupEndpoints,
  projectAccessEndpoints,
  signOnSettingsEndpoints,
  samlEndpoints,
  oidcEndpoints,
]);
