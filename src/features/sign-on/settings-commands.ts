import Type from 'typebox';
import { invalid, type Rejection } from '../../base/rejection.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import { ROLE_ID } from '../../model/role.ts';
import {
  OIDC_FIELDS,
  type OidcSettings,
  SAML_FIELDS,
  type SamlSettings,
  type SignOnSettings,
  StoredText,
} from '../../model/sign-on.ts';
import type { StateReader } from '../../state/collections.ts';
import { suppliedFields } from '../shared/supplied-fields.ts';

/** The root role of accounts that a sign-on creates, if the settings name none. */
export const ROOT_ROLE_DEFAULT = ROLE_ID.viewer;

/** Replaces the SAML settings. A setting that is left out is not set. */
export const setSamlSettings = command({
  name: 'set-saml-settings',
  input: Type.Object({ ...SAML_FIELDS, spCertificate: Type.Optional(StoredText) }),
  decide(context, input) {
    const { spCertificate, ...rest } = input;
    const fields = withoutRoleZero(suppliedFields(SAML_FIELDS, rest));
    const problem = missingProblem(fields, ['entityId', 'signOnUrl', 'certificate']);
    if (problem) return problem;
    const key = spCertificate && { spCertificate: keptText(spCertificate) };
    const settings: SamlSettings = { enabled: false, ...fields, ...key, protocol: 'saml' };
    store(context, settings);
    return settings;
  },
});

/** Replaces the OpenID Connect settings. */
export const setOidcSettings = command({
  name: 'set-oidc-settings',
  input: Type.Object({ ...OIDC_FIELDS, secret: Type.Optional(StoredText) }),
  decide(context, input) {
    const { secret, ...rest } = input;
    const fields = withoutRoleZero(suppliedFields(OIDC_FIELDS, rest));
    const problem = missingProblem(fields, ['discoverUrl', 'clientId']);
    if (problem) return problem;
    const settings: OidcSettings = {
      enabled: false,
      ...fields,
      ...(secret && { secret: keptText(secret) }),
      protocol: 'oidc',
    };
    store(context, settings);
    return settings;
  },
});

/** Sets whether users may sign on with a password. */
export const setPasswordSettings = command({
  name: 'set-password-settings',
  input: Type.Object({ disabled: Type.Boolean() }),
  decide(context, { disabled }) {
    store(context, { protocol: 'simple', disabled });
    return { disabled };
  },
});

/** Whether sign-on with a password is off. Call this before you compare a password. */
export function isPasswordSignOnDisabled(reader: StateReader): boolean {
  const settings = reader.get('signOnSettings', 'simple');
  return settings?.protocol === 'simple' && settings.disabled;
}

/** Removes the role with the id 0: tools of Unleash send 0 if no role is set. */
function withoutRoleZero<Fields extends { readonly defaultRootRoleId?: number }>(fields: Fields): Fields {
  if (fields.defaultRootRoleId !== 0) return fields;
  const { defaultRootRoleId: _none, ...rest } = fields;
  return rest as Fields;
}

/** A rejection that names the missing fields, if sign-on is enabled without them. */
function missingProblem(fields: { readonly enabled?: boolean }, needed: readonly string[]): Rejection | undefined {
  if (!fields.enabled) return undefined;
  const values = fields as Readonly<Record<string, unknown>>;
  const missing = needed.filter((name) => (values[name] ?? '') === '');
  if (missing.length === 0) return undefined;
  return invalid(`To enable this sign-on, also send ${missing.join(', ')}.`, `/${missing[0]}`);
}

function keptText(kept: StoredText): StoredText {
  return 'sealed' in kept ? { sealed: kept.sealed } : { plain: kept.plain };
}

function store({ draft, emit }: CommandContext, settings: SignOnSettings): void {
  const before = draft.get('signOnSettings', settings.protocol);
  draft.put('signOnSettings', settings);
  emit({
    type: before ? 'setting-updated' : 'setting-created',
    data: withoutSecrets(settings),
    ...(before && { preData: withoutSecrets(before) }),
  });
}

/** The settings for the audit log, without plain and sealed secrets. */
function withoutSecrets(settings: SignOnSettings): Readonly<Record<string, unknown>> {
  const {
    spCertificate: _spCertificate,
    secret: _secret,
    ...rest
  } = settings as Record<string, unknown> & SignOnSettings;
  return { name: `auth.${settings.protocol}`, ...rest };
}
