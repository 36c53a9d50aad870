import type { FeatureHttp } from '../feature-module.ts';
import { contextSetEndpoints } from './contexts/routes.ts';
import { currentUserEndpoints } from './current-user-routes.ts';
import { preferenceEndpoints } from './preferences/routes.ts';
import { viewEndpoints } from './views/routes.ts';

export const http: FeatureHttp = {
  endpoints: [...currentUserEndpoints, ...preferenceEndpoints, ...viewEndpoints, ...contextSetEndpoints],
  glossary: {
    'me.user': 'The caller',
    'me.permissions': 'Permissions of the caller, with their projects and environments',
    'profile.projects': 'Ids of the projects in which the caller has a role',
    'profile.features': 'Deprecated: always empty',
    'userRoles.roles': 'Ids and names of the roles',
    'contextSets.contextSets': 'The sets, without their contexts',
    'preference.key': 'Key of the preference, which the page chose',
    'preferences.preferences': 'The preferences',
    'savedViews.views': 'The views',
  },
  examples: {
    'getOwnPreference.key': 'theme',
    'changeOwnPreference.key': 'theme',
    'deleteOwnPreference.key': 'theme',
    changeOwnPreference: { value: { colors: 'dark', rows: 'compact' } },
    createOwnSavedView: { name: 'Stale in shop', screen: 'flags', query: 'project=IS:shop&state=IS:stale' },
    changeOwnSavedView: { name: 'Stale', screen: 'flags', query: 'state=IS:stale' },
    createOwnContextSet: {
      name: 'Staff',
      contexts: [
        { userId: '7', properties: { country: 'NO' } },
        { userId: '8', properties: { country: 'SE' } },
      ],
    },
    changeOwnContextSet: { project: 'default' },
  },
};
