import { sessions } from '../../model/session.ts';
import { signOnSettings, spentAttempts } from '../../model/sign-on.ts';
import { feature } from '../feature-module.ts';
import { PEOPLE, TOKENS } from '../shared/never-undone.ts';
import { SIGN_ON_LIMITS } from './limits.ts';
import { signupTokens } from './signup/signup-token.ts';

export const signOnFeature = feature({
  name: 'sign-on',
  exports: ['commands.ts', 'providers/settings.ts', 'settings-commands.ts'],
  collections: { signOnSettings, spentAttempts, sessions, signupTokens },
  shown: {
    signOnSettings: null,
    signupTokens: null,
    sessions: null,
    spentAttempts: null,
  },
  events: {
    'public-signup-token-created': ['Signup link created', 'created the public signup link {what}', TOKENS],
    'public-signup-token-user-added': ['User signed up', 'signed up with a public link', PEOPLE],
    'public-signup-token-updated': ['Signup link changed', 'changed the public signup link {what}', TOKENS],
  },
  limits: SIGN_ON_LIMITS,
  optionsCheck: async () => (await import('./providers/settings.ts')).checkEnvironment,
  parts: async () => (await import('./parts.ts')).signOnParts,
  http: async () => (await import('./http.ts')).http,
});
