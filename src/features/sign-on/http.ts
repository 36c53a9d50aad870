import type { FeatureHttp } from '../feature-module.ts';
import { logoutEndpoints } from './logout-routes.ts';
import { oidcEndpoints } from './oidc/routes.ts';
import { signOnOptionsEndpoints } from './options-routes.ts';
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
    ...signOnOptionsEndpoints,
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
    'changePasswordByLink.token': 'Token in the link',
    'login.password': 'The password',
    'password.password': 'A password to judge',
    'publicSignupToken.role': 'The root role of users who sign up with the link',
    'publicSignupToken.enabled': 'Whether users can sign up with the link',
    'resetPassword.resetPasswordUrl': 'Address where the user sets a new password',
    'tokenUser.token': 'Token in the link',
    'tokenUser.role': 'The role of the user',
    'samlCallback.SAMLResponse': 'The signed response of the identity provider',
    'samlCallback.RelayState': 'Sent by the identity provider; not used',
  },
  examples: {
    'addPublicSignupTokenUser.email': 'ola@example.com',
    createPublicSignupToken: { name: 'Everybody at the summer school', expiresAt: '2099-01-01T00:00:00Z' },
    'changeUserPassword.id': 2,
    login: { username: 'kari', password: 'the Passphrase before, of 2025!' },
  },
};
