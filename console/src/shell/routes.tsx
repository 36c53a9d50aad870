import type { ComponentType, LazyExoticComponent } from 'react';
import { lazyScreen } from '../data/new-version.ts';
import type { Screen } from '../paths.ts';

type Loaded = LazyExoticComponent<ComponentType>;

const feature = lazyScreen(async () => ({ default: (await import('../screens/feature/FeatureScreen.tsx')).FeatureScreen }));

/** The screens that exist. A screen is loaded when it is shown for the first time. */
export const ROUTES: readonly { readonly screen: Screen; readonly component: Loaded }[] = [
  {
    screen: 'features',
    component: lazyScreen(async () => ({ default: (await import('../screens/features/FeaturesScreen.tsx')).FeaturesScreen })),
  },
  { screen: 'feature', component: feature },
  { screen: 'featureTab', component: feature },
  { screen: 'kit', component: lazyScreen(async () => ({ default: (await import('../screens/kit/KitPage.tsx')).KitPage })) },
  { screen: 'tokens', component: lazyScreen(async () => ({ default: (await import('../screens/tokens/TokensPage.tsx')).TokensPage })) },
  { screen: 'projects', component: lazyScreen(async () => ({ default: (await import('../screens/projects/ProjectsPage.tsx')).ProjectsPage })) },
  { screen: 'projectSettings', component: lazyScreen(async () => ({ default: (await import('../screens/projects/ProjectSettingsPage.tsx')).ProjectSettingsPage })) },
  { screen: 'projectSettingsTab', component: lazyScreen(async () => ({ default: (await import('../screens/projects/ProjectSettingsPage.tsx')).ProjectSettingsPage })) },
  { screen: 'environments', component: lazyScreen(async () => ({ default: (await import('../screens/environments/EnvironmentsPage.tsx')).EnvironmentsPage })) },
];

export const isRegistered = (screen: Screen) => ROUTES.some((route) => route.screen === screen);
