import type { FeatureHttp } from '../feature-module.ts';
import { examples, glossary } from './described.ts';
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
  glossary,
  examples,
};
