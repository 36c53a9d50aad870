import type { ComponentType, LazyExoticComponent } from 'react';
import { lazyScreen } from '../data/new-version.ts';
import type { Screen } from '../paths.ts';
import { FeaturesScreen } from '../screens/features/FeaturesScreen.tsx';

type Loaded = ComponentType | LazyExoticComponent<ComponentType>;

const feature = lazyScreen(() => import('../screens/feature/FeatureScreen.tsx'), 'FeatureScreen');
const segments = lazyScreen(() => import('../screens/segments/SegmentsPage.tsx'), 'SegmentsPage');
const requests = lazyScreen(() => import('../screens/change-requests/RequestsPage.tsx'), 'RequestsPage');
const context = lazyScreen(() => import('../screens/context/ContextPage.tsx'), 'ContextPage');
const projectSettings = lazyScreen(() => import('../screens/projects/ProjectSettingsPage.tsx'), 'ProjectSettingsPage');
const groups = lazyScreen(() => import('../screens/groups/GroupsPage.tsx'), 'GroupsPage');
const roles = lazyScreen(() => import('../screens/roles/RolesPage.tsx'), 'RolesPage');
const profile = lazyScreen(() => import('../screens/profile/ProfilePage.tsx'), 'ProfilePage');
const releaseTemplates = lazyScreen(() => import('../screens/release-templates/TemplatesPage.tsx'), 'TemplatesPage');
const releaseTemplate = lazyScreen(() => import('../screens/release-templates/TemplatePage.tsx'), 'TemplatePage');
const signOnSettings = lazyScreen(
  () => import('../screens/sign-on-settings/SignOnSettingsPage.tsx'),
  'SignOnSettingsPage',
);

/** The screens. One is loaded when it is shown for the first time. */
export const ROUTES: Readonly<Record<Screen, Loaded>> = {
  home: lazyScreen(() => import('../screens/home/HomeScreen.tsx'), 'HomeScreen'),
  features: FeaturesScreen,
  feature,
  featureTab: feature,
  changeRequests: requests,
  projectChangeRequests: requests,
  applications: lazyScreen(() => import('../screens/applications/ApplicationsPage.tsx'), 'ApplicationsPage'),
  application: lazyScreen(() => import('../screens/applications/ApplicationPage.tsx'), 'ApplicationPage'),
  unknownFlags: lazyScreen(() => import('../screens/unknown-flags/UnknownFlagsPage.tsx'), 'UnknownFlagsPage'),
  cleanUp: lazyScreen(() => import('../screens/clean-up/CleanUpPage.tsx'), 'CleanUpPage'),
  projectHealth: lazyScreen(() => import('../screens/clean-up/HealthPage.tsx'), 'HealthPage'),
  drift: lazyScreen(() => import('../screens/drift/DriftPage.tsx'), 'DriftPage'),
  segments,
  segment: segments,
  createSegment: segments,
  context,
  contextField: context,
  createContextField: context,
  archive: lazyScreen(() => import('../screens/archive/ArchiveScreen.tsx'), 'ArchiveScreen'),
  kit: lazyScreen(() => import('../screens/kit/KitPage.tsx'), 'KitPage'),
  tokens: lazyScreen(() => import('../screens/tokens/TokensPage.tsx'), 'TokensPage'),
  projects: lazyScreen(() => import('../screens/projects/ProjectsPage.tsx'), 'ProjectsPage'),
  projectFeatures: lazyScreen(() => import('../screens/projects/ProjectPage.tsx'), 'ProjectPage'),
  projectSettings,
  projectSettingsTab: projectSettings,
  environments: lazyScreen(() => import('../screens/environments/EnvironmentsPage.tsx'), 'EnvironmentsPage'),
  environmentHistory: lazyScreen(() => import('../screens/environments/EnvironmentHistory.tsx'), 'EnvironmentHistory'),
  recent: lazyScreen(() => import('../screens/recent/RecentPage.tsx'), 'RecentPage'),
  transfer: lazyScreen(() => import('../screens/transfer/TransferPage.tsx'), 'TransferPage'),
  changeRequest: lazyScreen(() => import('../screens/change-requests/RequestPage.tsx'), 'RequestPage'),
  events: lazyScreen(() => import('../screens/audit/AuditPage.tsx'), 'AuditPage'),
  playground: lazyScreen(() => import('../screens/playground/PlaygroundPage.tsx'), 'PlaygroundPage'),
  users: lazyScreen(() => import('../screens/users/UsersPage.tsx'), 'UsersPage'),
  groups,
  group: groups,
  roles,
  role: roles,
  serviceAccounts: lazyScreen(
    () => import('../screens/service-accounts/ServiceAccountsPage.tsx'),
    'ServiceAccountsPage',
  ),
  signOnSettings,
  signOnSettingsTab: signOnSettings,
  signupLinks: lazyScreen(() => import('../screens/signup-links/SignupLinksPage.tsx'), 'SignupLinksPage'),
  banners: lazyScreen(() => import('../screens/banners/BannersPage.tsx'), 'BannersPage'),
  maintenance: lazyScreen(() => import('../screens/maintenance/MaintenancePage.tsx'), 'MaintenancePage'),
  origins: lazyScreen(() => import('../screens/origins/OriginsPage.tsx'), 'OriginsPage'),
  releaseTemplates,
  projectReleaseTemplates: releaseTemplates,
  projectReleaseTemplate: releaseTemplate,
  createProjectReleaseTemplate: releaseTemplate,
  releaseTemplate,
  createReleaseTemplate: releaseTemplate,
  integrations: lazyScreen(() => import('../screens/integrations/IntegrationsPage.tsx'), 'IntegrationsPage'),
  integration: lazyScreen(() => import('../screens/integrations/IntegrationPage.tsx'), 'IntegrationPage'),
  signals: lazyScreen(() => import('../screens/signals/SignalsPage.tsx'), 'SignalsPage'),
  signal: lazyScreen(() => import('../screens/signals/SignalPage.tsx'), 'SignalPage'),
  actionSet: lazyScreen(() => import('../screens/signals/actions/ActionSetPage.tsx'), 'ActionSetPage'),
  instance: lazyScreen(() => import('../screens/instance/InstancePage.tsx'), 'InstancePage'),
  tagTypes: lazyScreen(() => import('../screens/tags/TagTypesPage.tsx'), 'TagTypesPage'),
  featureTypes: lazyScreen(() => import('../screens/flag-types/FlagTypesPage.tsx'), 'FlagTypesPage'),
  strategyTypes: lazyScreen(() => import('../screens/strategy-types/StrategyTypesPage.tsx'), 'StrategyTypesPage'),
  profile,
  profileTab: profile,
};
