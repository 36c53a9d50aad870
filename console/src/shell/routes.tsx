import type { ComponentType, LazyExoticComponent } from 'react';
import { lazyScreen } from '../data/new-version.ts';
import type { Screen } from '../paths.ts';

type Loaded = LazyExoticComponent<ComponentType>;

const feature = lazyScreen(async () => ({ default: (await import('../screens/feature/FeatureScreen.tsx')).FeatureScreen }));

const requests = lazyScreen(async () => ({ default: (await import('../screens/change-requests/ChangeRequestsScreen.tsx')).ChangeRequestsScreen }));

const project = lazyScreen(async () => ({ default: (await import('../screens/project/ProjectScreen.tsx')).ProjectScreen }));

/** The screens that exist. A screen is loaded when it is shown for the first time. */
export const ROUTES: readonly { readonly screen: Screen; readonly component: Loaded }[] = [
  { screen: 'home', component: lazyScreen(async () => ({ default: (await import('../screens/home/HomeScreen.tsx')).HomeScreen })) },
  { screen: 'tokens', component: lazyScreen(async () => ({ default: (await import('../screens/tokens/TokensScreen.tsx')).TokensScreen })) },
  {
    screen: 'features',
    component: lazyScreen(async () => ({ default: (await import('../screens/features/FeaturesScreen.tsx')).FeaturesScreen })),
  },
  { screen: 'feature', component: feature },
  { screen: 'featureTab', component: feature },
  { screen: 'changeRequests', component: requests },
  { screen: 'projectChangeRequests', component: requests },
  {
    screen: 'changeRequest',
    component: lazyScreen(async () => ({ default: (await import('../screens/change-requests/ChangeRequestScreen.tsx')).ChangeRequestScreen })),
  },
  { screen: 'projects', component: lazyScreen(async () => ({ default: (await import('../screens/projects/ProjectsScreen.tsx')).ProjectsScreen })) },
  { screen: 'projectFeatures', component: project },
  { screen: 'projectSettings', component: project },
  { screen: 'projectSettingsTab', component: project },
  { screen: 'kit', component: lazyScreen(async () => ({ default: (await import('../screens/kit/KitPage.tsx')).KitPage })) },
];

export const isRegistered = (screen: Screen) => ROUTES.some((route) => route.screen === screen);
