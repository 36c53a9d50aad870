import type { ComponentType, LazyExoticComponent } from 'react';
import { lazyScreen } from '../data/new-version.ts';
import type { Screen } from '../paths.ts';
import { FeaturesScreen } from '../screens/features/FeaturesScreen.tsx';

type Loaded = ComponentType | LazyExoticComponent<ComponentType>;

const feature = lazyScreen(async () => ({
  default: (await import('../screens/feature/FeatureScreen.tsx')).FeatureScreen,
}));

const requests = lazyScreen(async () => ({
  default: (await import('../screens/change-requests/ChangeRequestsScreen.tsx')).ChangeRequestsScreen,
}));

const project = lazyScreen(async () => ({
  default: (await import('../screens/project/ProjectScreen.tsx')).ProjectScreen,
}));

const segments = lazyScreen(async () => ({
  default: (await import('../screens/segments/SegmentsScreen.tsx')).SegmentsScreen,
}));
const context = lazyScreen(async () => ({
  default: (await import('../screens/context/ContextScreen.tsx')).ContextScreen,
}));

/** The screens that exist. A screen is loaded when it is shown for the first time. */
export const ROUTES: readonly { readonly screen: Screen; readonly component: Loaded }[] = [
  {
    screen: 'home',
    component: lazyScreen(async () => ({ default: (await import('../screens/home/HomeScreen.tsx')).HomeScreen })),
  },
  {
    screen: 'tokens',
    component: lazyScreen(async () => ({ default: (await import('../screens/tokens/TokensScreen.tsx')).TokensScreen })),
  },
  {
    screen: 'features',
    component: FeaturesScreen,
  },
  { screen: 'feature', component: feature },
  { screen: 'featureTab', component: feature },
  { screen: 'changeRequests', component: requests },
  { screen: 'projectChangeRequests', component: requests },
  {
    screen: 'changeRequest',
    component: lazyScreen(async () => ({
      default: (await import('../screens/change-requests/ChangeRequestScreen.tsx')).ChangeRequestScreen,
    })),
  },
  {
    screen: 'projects',
    component: lazyScreen(async () => ({
      default: (await import('../screens/projects/ProjectsScreen.tsx')).ProjectsScreen,
    })),
  },
  { screen: 'projectFeatures', component: project },
  { screen: 'projectSettings', component: project },
  { screen: 'projectSettingsTab', component: project },
  {
    screen: 'environments',
    component: lazyScreen(async () => ({
      default: (await import('../screens/environments/EnvironmentsScreen.tsx')).EnvironmentsScreen,
    })),
  },
  { screen: 'segments', component: segments },
  { screen: 'segment', component: segments },
  { screen: 'createSegment', component: segments },
  { screen: 'context', component: context },
  { screen: 'contextField', component: context },
  { screen: 'createContextField', component: context },
  {
    screen: 'events',
    component: lazyScreen(async () => ({ default: (await import('../screens/events/EventsScreen.tsx')).EventsScreen })),
  },
  {
    screen: 'archive',
    component: lazyScreen(async () => ({
      default: (await import('../screens/archive/ArchiveScreen.tsx')).ArchiveScreen,
    })),
  },
  {
    screen: 'playground',
    component: lazyScreen(async () => ({
      default: (await import('../screens/playground/PlaygroundScreen.tsx')).PlaygroundScreen,
    })),
  },
  {
    screen: 'profile',
    component: lazyScreen(async () => ({
      default: (await import('../screens/profile/ProfileScreen.tsx')).ProfileScreen,
    })),
  },
  {
    screen: 'users',
    component: lazyScreen(async () => ({ default: (await import('../screens/users/UsersScreen.tsx')).UsersScreen })),
  },
  {
    screen: 'kit',
    component: lazyScreen(async () => ({ default: (await import('../screens/kit/KitPage.tsx')).KitPage })),
  },
];

export const isRegistered = (screen: Screen) => ROUTES.some((route) => route.screen === screen);
