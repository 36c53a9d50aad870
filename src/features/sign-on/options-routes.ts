import Type from 'typebox';
import { isoTime } from '../../base/clock.ts';
import { ok } from '../../http/answer.ts';
import { routesOf } from '../endpoint.ts';
import { enabledWays, hasOpenSignupToken } from './ways-in.ts';

const route = routesOf('Auth');

/** The ways to sign on, in the order in which a page shows them. */
const WAYS = [
  { type: 'password', name: 'Password', method: 'POST', path: '/auth/simple/login' },
  { type: 'saml', name: 'SAML 2.0', method: 'GET', path: '/auth/saml/login' },
  { type: 'oidc', name: 'OpenID Connect', method: 'GET', path: '/auth/oidc/login' },
] as const;

const SignOnOptionsSchema = Type.Object(
  {
    ways: Type.Array(
      Type.Object(
        {
          type: Type.Enum(WAYS.map(({ type }) => type)),
          name: Type.String({ description: 'Name for people' }),
          method: Type.Enum(['GET', 'POST'], {
            description:
              '`GET`: open the path in the browser, with `?return=`. `POST`: send the password there, as JSON',
          }),
          path: Type.String({ description: 'Path of this service, with the base path' }),
        },
        { $id: 'signOnWay', description: 'A way to sign on' },
      ),
      { description: 'The ways that are enabled. If there is none, only tokens work' },
    ),
    passwordsEnabled: Type.Boolean({ description: 'Whether users can sign on with a password' }),
    signUpEnabled: Type.Boolean({
      description:
        'Whether people who have a public signup link can create an account now. The links themselves are known only to the people who got one',
    }),
  },
  { $id: 'signOnOptions', description: 'How people can sign on' },
);

const getOptions = route('GET /auth/options', 'getSignOnOptions', {
  access: { permission: 'NONE' },
  summary: 'The ways to sign on that are enabled',
  description:
    'Needs no credential, so that a sign-on page can call it. The answer is the same for everybody, and contains no settings, no addresses of ' +
    'identity providers and no users.',
  responses: { 200: { description: 'The ways to sign on', schema: SignOnOptionsSchema } },
  handle(_request, { state, config, clock }) {
    const isEnabled = enabledWays(state, config);
    const passwordsEnabled = isEnabled.password;
    return ok({
      ways: WAYS.filter(({ type }) => isEnabled[type]).map((way) => ({ ...way, path: config.basePath + way.path })),
      passwordsEnabled,
      // A new account signs on with its password.
      signUpEnabled: passwordsEnabled && hasOpenSignupToken(state, isoTime(clock.nowMs())),
    });
  },
});

export const signOnOptionsEndpoints = [getOptions];
