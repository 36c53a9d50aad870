import type { ComponentType, LazyExoticComponent } from 'react';
import { lazyScreen } from '../data/new-version.ts';
import type { Screen } from '../paths.ts';
import { FeaturesScreen } from '../screens/features/FeaturesScreen.tsx';

type Loaded = ComponentType | LazyExoticComponent<ComponentType>;

const feature = lazyScreen(async () => ({
  default: (await import('../screens/feature/FeatureScreen.tsx')).FeatureScreen,
}));
const segments = lazyScreen(async () => ({
  default: (await import('../screens/segments/SegmentsPage.tsx')).SegmentsPage,
}));
const applications = lazyScreen(async () => ({
  default: (await import('../screens/applications/ApplicationsPage.tsx')).ApplicationsPage,
}));
const unknownFlags = lazyScreen(async () => ({
  default: (await import('../screens/unknown-flags/UnknownFlagsPage.tsx')).UnknownFlagsPage,
}));
const cleanUp = lazyScreen(async () => ({
  default: (await import('../screens/clean-up/CleanUpPage.tsx')).CleanUpPage,
}));
const health = lazyScreen(async () => ({ default: (await import('../screens/clean-up/HealthPage.tsx')).HealthPage }));
const drift = lazyScreen(async () => ({ default: (await import('../screens/drift/DriftPage.tsx')).DriftPage }));
const application = lazyScreen(async () => ({
  default: (await import('../screens/applications/ApplicationPage.tsx')).ApplicationPage,
}));
const requests = lazyScreen(async () => ({
  default: (await import('../screens/change-requests/RequestsPage.tsx')).RequestsPage,
}));
const context = lazyScreen(async () => ({ default: (await import('../screens/context/ContextPage.tsx')).ContextPage }));
const projectSettings = lazyScreen(async () => ({
  default: (await import('../screens/projects/ProjectSettingsPage.tsx')).ProjectSettingsPage,
}));
const groups = lazyScreen(async () => ({ default: (await import('../screens/groups/GroupsPage.tsx')).GroupsPage }));
const roles = lazyScreen(async () => ({ default: (await import('../screens/roles/RolesPage.tsx')).RolesPage }));
const profile = lazyScreen(async () => ({ default: (await import('../screens/profile/ProfilePage.tsx')).ProfilePage }));
const releaseTemplates = lazyScreen(async () => ({
  default: (await import('../screens/release-templates/TemplatesPage.tsx')).TemplatesPage,
}));
const releaseTemplate = lazyScreen(async () => ({
  default: (await import('../screens/release-templates/TemplatePage.tsx')).TemplatePage,
}));

const signOnSettings = lazyScreen(async () => ({
  default: (await import('../screens/sign-on-settings/SignOnSettingsPage.tsx')).SignOnSettingsPage,
}));

/** The screens that exist. A screen is loaded when it is shown for the first time. */
export const ROUTES: readonly { readonly screen: Screen; readonly component: Loaded }[] = [
  {
    screen: 'home',
    component: lazyScreen(async () => ({ default: (await import('../screens/home/HomeScreen.tsx')).HomeScreen })),
  },
  {
    screen: 'features',
    component: FeaturesScreen,
  },
  { screen: 'feature', component: feature },
  { screen: 'featureTab', component: feature },
  { screen: 'changeRequests', component: requests },
  { screen: 'projectChangeRequests', component: requests },
  { screen: 'applications', component: applications },
  { screen: 'application', component: application },
  { screen: 'unknownFlags', component: unknownFlags },
  { screen: 'cleanUp', component: cleanUp },
  { screen: 'projectHealth', component: health },
  { screen: 'drift', component: drift },
  { screen: 'segments', component: segments },
  { screen: 'segment', component: segments },
  { screen: 'createSegment', component: segments },
  { screen: 'context', component: context },
  { screen: 'contextField', component: context },
  { screen: 'createContextField', component: context },
  {
    screen: 'archive',
    component: lazyScreen(async () => ({
      default: (await import('../screens/archive/ArchiveScreen.tsx')).ArchiveScreen,
    })),
  },
  {
    screen: 'kit',
    component: lazyScreen(async () => ({ default: (await import('../screens/kit/KitPage.tsx')).KitPage })),
  },
  {
    screen: 'tokens',
    component: lazyScreen(async () => ({ default: (await import('../screens/tokens/TokensPage.tsx')).TokensPage })),
  },
  {
    screen: 'projects',
    component: lazyScreen(async () => ({
      default: (await import('../screens/projects/ProjectsPage.tsx')).ProjectsPage,
    })),
  },
  {
    screen: 'projectFeatures',
    component: lazyScreen(async () => ({ default: (await import('../screens/projects/ProjectPage.tsx')).ProjectPage })),
  },
  { screen: 'projectSettings', component: projectSettings },
  { screen: 'projectSettingsTab', component: projectSettings },
  {
    screen: 'environments',
    component: lazyScreen(async () => ({
      default: (await import('../screens/environments/EnvironmentsPage.tsx')).EnvironmentsPage,
    })),
  },
  {
    screen: 'environmentHistory',
    component: lazyScreen(async () => ({
      default: (await import('../screens/environments/EnvironmentHistory.tsx')).EnvironmentHistory,
    })),
  },
  {
    screen: 'recent',
    component: lazyScreen(async () => ({ default: (await import('../screens/recent/RecentPage.tsx')).RecentPage })),
  },
  {
    screen: 'transfer',
    component: lazyScreen(async () => ({
      default: (await import('../screens/transfer/TransferPage.tsx')).TransferPage,
    })),
  },
  {
    screen: 'changeRequest',
    component: lazyScreen(async () => ({
      default: (await import('../screens/change-requests/RequestPage.tsx')).RequestPage,
    })),
  },
  {
    screen: 'events',
    component: lazyScreen(async () => ({ default: (await import('../screens/audit/AuditPage.tsx')).AuditPage })),
  },
  {
    screen: 'playground',
    component: lazyScreen(async () => ({
      default: (await import('../screens/playground/PlaygroundPage.tsx')).PlaygroundPage,
    })),
  },
  {
    screen: 'users',
    component: lazyScreen(async () => ({ default: (await import('../screens/users/UsersPage.tsx')).UsersPage })),
  },
  { screen: 'groups', component: groups },
  { screen: 'group', component: groups },
  { screen: 'roles', component: roles },
  { screen: 'role', component: roles },
  {
    screen: 'serviceAccounts',
    component: lazyScreen(async () => ({
      default: (await import('../screens/service-accounts/ServiceAccountsPage.tsx')).ServiceAccountsPage,
    })),
  },
  { screen: 'signOnSettings', component: signOnSettings },
  { screen: 'signOnSettingsTab', component: signOnSettings },
  {
    screen: 'signupLinks',
    component: lazyScreen(async () => ({
      default: (await import('../screens/signup-links/SignupLinksPage.tsx')).SignupLinksPage,
    })),
  },
  {
    screen: 'banners',
    component: lazyScreen(async () => ({
      default: (await import('../screens/banners/BannersPage.tsx')).BannersPage,
    })),
  },
  {
    screen: 'maintenance',
    component: lazyScreen(async () => ({
      default: (await import('../screens/maintenance/MaintenancePage.tsx')).MaintenancePage,
    })),
  },
  {
    screen: 'origins',
    component: lazyScreen(async () => ({
      default: (await import('../screens/origins/OriginsPage.tsx')).OriginsPage,
    })),
  },
  { screen: 'releaseTemplates', component: releaseTemplates },
  { screen: 'projectReleaseTemplates', component: releaseTemplates },
  { screen: 'projectReleaseTemplate', component: releaseTemplate },
  { screen: 'createProjectReleaseTemplate', component: releaseTemplate },
  { screen: 'releaseTemplate', component: releaseTemplate },
  { screen: 'createReleaseTemplate', component: releaseTemplate },
  {
    screen: 'integrations',
    component: lazyScreen(async () => ({
      default: (await import('../screens/integrations/IntegrationsPage.tsx')).IntegrationsPage,
    })),
  },
  {
    screen: 'integration',
    component: lazyScreen(async () => ({
      default: (await import('../screens/integrations/IntegrationPage.tsx')).IntegrationPage,
    })),
  },
  {
    screen: 'signals',
    component: lazyScreen(async () => ({ default: (await import('../screens/signals/SignalsPage.tsx')).SignalsPage })),
  },
  {
    screen: 'signal',
    component: lazyScreen(async () => ({ default: (await import('../screens/signals/SignalPage.tsx')).SignalPage })),
  },
  {
    screen: 'actionSet',
    component: lazyScreen(async () => ({
      default: (await import('../screens/signals/actions/ActionSetPage.tsx')).ActionSetPage,
    })),
  },
  {
    screen: 'instance',
    component: lazyScreen(async () => ({
      default: (await import('../screens/instance/InstancePage.tsx')).InstancePage,
    })),
  },
  {
    screen: 'tagTypes',
    component: lazyScreen(async () => ({ default: (await import('../screens/tags/TagTypesPage.tsx')).TagTypesPage })),
  },
  {
    screen: 'featureTypes',
    component: lazyScreen(async () => ({
      default: (await import('../screens/flag-types/FlagTypesPage.tsx')).FlagTypesPage,
    })),
  },
  {
    screen: 'strategyTypes',
    component: lazyScreen(async () => ({
      default: (await import('../screens/strategy-types/StrategyTypesPage.tsx')).StrategyTypesPage,
    })),
  },
  { screen: 'profile', component: profile },
  { screen: 'profileTab', component: profile },
];

export const isRegistered = (screen: Screen) => ROUTES.some((route) => route.screen === screen);
