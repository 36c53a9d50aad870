import Type, { type Static } from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { ok } from '../../http/answer.ts';
import {
  CertificateText,
  OIDC_FIELDS,
  type OidcSettings,
  SAML_FIELDS,
  type SamlSettings,
  type SignOnPolicy,
} from '../../model/sign-on.ts';
import { routesOf } from '../endpoint.ts';
import { change } from '../shared/change.ts';
import { isOidcFromEnvironment, isSamlFromEnvironment, oidcSettings, samlSettings } from './providers/settings.ts';
import { MASK, maskedText, mayBeKey, storedForm } from './providers/stored-text.ts';
import {
  isPasswordSignOnDisabled,
  ROOT_ROLE_DEFAULT,
  setOidcSettings,
  setPasswordSettings,
  setSamlSettings,
} from './settings-commands.ts';

const route = routesOf('Auth');

const SECRET_NOTE = 'Returned as `********`; send `********` to keep the stored value.';

const SamlSettingsSchema = Type.Object(
  {
    ...SAML_FIELDS,
    spCertificate: Type.Optional({
      ...CertificateText,
      description: `Private key, as PEM, with which sign-out requests are signed; its certificate may follow it. ${SECRET_NOTE}`,
    }),
  },
  { $id: 'samlSettingsSchema' },
);

const OidcSettingsSchema = Type.Object(
  {
    ...OIDC_FIELDS,
    secret: Type.Optional(Type.String({ maxLength: 2_000, description: `The client's secret. ${SECRET_NOTE}` })),
  },
  { $id: 'oidcSettingsSchema' },
);

const PasswordSettingsSchema = Type.Object(
  { disabled: Type.Boolean({ description: 'Whether sign-on with a password is off' }) },
  { $id: 'passwordAuthSchema' },
);

const FROM_ENVIRONMENT = new Rejection(
  'NoAccessError',
  'Environment variables of the service configure this sign-on. Change them, and restart the service.',
);

const getSaml = route('GET /api/admin/auth/saml/settings', 'getSamlSettings', {
  access: { permission: 'ADMIN' },
  summary: 'The settings of sign-on with SAML 2.0',
  responses: { 200: { description: 'The effective settings', schema: SamlSettingsSchema } },
  handle: (_request, { config, state }) => ok(presentSaml(samlSettings(config, state))),
});

const setSaml = route('POST /api/admin/auth/saml/settings', 'setSamlSettings', {
  access: { permission: 'ADMIN' },
  summary: 'Replaces the settings of sign-on with SAML 2.0',
  description: 'Replaces all settings. 403 if environment variables configure this sign-on.',
  body: SamlSettingsSchema,
  responses: { 200: { description: 'The settings', schema: SamlSettingsSchema } },
  handle({ body: { spCertificate = '', ...rest }, caller }, services) {
    const { config, state, signOn } = services;
    if (isSamlFromEnvironment(config)) return FROM_ENVIRONMENT;
    const before = samlSettings(config, state).spCertificate;
    const stored = storedForm(spCertificate, mayBeKey(spCertificate), 'saml-sp-key', before, signOn.sealer);
    if (stored instanceof Rejection) return stored;
    const input = { ...rest, ...(stored && { spCertificate: stored }) };
    return change(services, caller, setSamlSettings, input, (settings) => ok(presentSaml(settings)));
  },
});

const getOidc = route('GET /api/admin/auth/oidc/settings', 'getOidcSettings', {
  access: { permission: 'ADMIN' },
  summary: 'The settings of sign-on with OpenID Connect',
  responses: { 200: { description: 'The effective settings', schema: OidcSettingsSchema } },
  handle: (_request, { config, state }) => ok(presentOidc(oidcSettings(config, state))),
});

const setOidc = route('POST /api/admin/auth/oidc/settings', 'setOidcSettings', {
  access: { permission: 'ADMIN' },
  summary: 'Replaces the settings of sign-on with OpenID Connect',
  description: 'Replaces all settings. 403 if environment variables configure this sign-on.',
  body: OidcSettingsSchema,
  responses: { 200: { description: 'The settings', schema: OidcSettingsSchema } },
  handle({ body: { secret = '', ...rest }, caller }, services) {
    const { config, state, signOn } = services;
    if (isOidcFromEnvironment(config)) return FROM_ENVIRONMENT;
    const before = oidcSettings(config, state).secret;
    const stored = storedForm(secret, true, 'oidc-client-secret', before, signOn.sealer);
    if (stored instanceof Rejection) return stored;
    const input = { ...rest, ...(stored && { secret: stored }) };
    return change(services, caller, setOidcSettings, input, (settings) => ok(presentOidc(settings)));
  },
});

const getPassword = route('GET /api/admin/auth/simple/settings', 'getPasswordAuthSettings', {
  access: { permission: 'ADMIN' },
  summary: 'Whether people may sign on with a password',
  responses: { 200: { description: 'The settings', schema: PasswordSettingsSchema } },
  handle: (_request, { state }) => ok({ disabled: isPasswordSignOnDisabled(state) }),
});

const setPassword = route('POST /api/admin/auth/simple/settings', 'setPasswordAuthSettings', {
  access: { permission: 'ADMIN' },
  summary: 'Sets whether people may sign on with a password',
  description: 'This setting does not affect admin tokens: a caller with one keeps access.',
  body: PasswordSettingsSchema,
  responses: { 200: { description: 'The settings', schema: PasswordSettingsSchema } },
  handle: ({ body: { disabled }, caller }, services) =>
    change(services, caller, setPasswordSettings, { disabled }, (settings) => ok(settings)),
});

function presentSaml({ protocol: _protocol, spCertificate, ...rest }: SamlSettings): Static<typeof SamlSettingsSchema> {
  const text = maskedText(spCertificate);
  return { ...withRootRole(rest), ...(text !== undefined && { spCertificate: text }) };
}

function presentOidc({ protocol: _protocol, secret, ...rest }: OidcSettings): Static<typeof OidcSettingsSchema> {
  return { ...withRootRole(rest), ...(secret !== undefined && { secret: MASK }) };
}

/** The settings with the root role that created accounts get, also if none is set. Terraform's provider for Unleash sends 0 and reads the role. */
function withRootRole<Settings extends SignOnPolicy>(settings: Settings): Settings {
  if (settings.defaultRootRoleId !== undefined || settings.defaultRootRole !== undefined) return settings;
  return { ...settings, defaultRootRoleId: ROOT_ROLE_DEFAULT };
}

export const signOnSettingsEndpoints = [getSaml, setSaml, getOidc, setOidc, getPassword, setPassword];
