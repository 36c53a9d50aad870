import type { FeatureHttp } from '../feature-module.ts';
import { logoutEndpoints } from './logout-routes.ts';
import { oidcEndpoints } from './oidc/routes.ts';
import { linkPageEndpoints } from './pages/routes.ts';
import { resetPasswordEndpoints } from './passwords/reset-routes.ts';
import { passwordEndpoints } from './passwords/routes.ts';
import { samlEndpoints } from './saml/routes.ts';
import { ownSessionEndpoints } from './sessions/routes.ts';
import { signOnSettingsEndpoints } from './settings-routes.ts';
import { signupEndpoints } from './signup/routes.ts';
import { signupTokenEndpoints } from './signup/token-routes.ts';
import { simpleLoginEndpoints } from './simple-routes.ts';

export const http: FeatureHttp = {
  endpoints: [
    ...logoutEndpoints,
    ...oidcEndpoints,
    ...linkPageEndpoints,
    ...resetPasswordEndpoints,
    ...passwordEndpoints,
    ...samlEndpoints,
    ...ownSessionEndpoints,
    ...signOnSettingsEndpoints,
    ...signupEndpoints,
    ...signupTokenEndpoints,
    ...simpleLoginEndpoints,
  ],
  glossary: {
    'changePasswordByLink.token': 'Text of the link that was sent',
    'login.password': 'The password',
    'password.password': 'A password to judge',
    'publicSignupToken.role': 'The root role of users who sign up with it',
    'publicSignupToken.enabled': 'Whether users can sign up with it',
    'resetPassword.resetPasswordUrl': 'Address where the user sets a new password',
    'tokenUser.token': 'Text of the link',
    'tokenUser.role': 'The role they have',
    'samlCallback.SAMLResponse': 'The signed response of the identity provider',
    'samlCallback.RelayState': 'The sign-on that it responds to',
  },
  examples: {
    'addPublicSignupTokenUser.email': 'ola@example.com',
    createPublicSignupToken: { name: 'Everybody at the summer school', expiresAt: '2099-01-01T00:00:00Z' },
    'changeUserPassword.id': 2,
    login: { username: 'kari', password: 'the Passphrase before, of 2025!' },
  },
};
