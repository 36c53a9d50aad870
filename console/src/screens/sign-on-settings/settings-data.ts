import type { components } from '../../api/schema.d.ts';
import { api, read, stated, type Writing, write } from '../../data/client.ts';
import { ifSame } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import { fieldSentences } from '../../parts/differences.ts';
import { signOnSettings as words } from '../../words/en/admin/sign-on-settings.ts';
import { parts } from '../../words/en/parts.ts';
import type { Protocol } from './trial-data.ts';

export type OidcSettings = components['schemas']['oidcSettingsSchema'];
export type SamlSettings = components['schemas']['samlSettingsSchema'];
/** The settings of one provider: those of the other are not set. */
export type Settings = OidcSettings & SamlSettings;

const readOidc = () => read(api.GET('/api/admin/auth/oidc/settings', { cache: 'no-store' }));
const readSaml = () => read(api.GET('/api/admin/auth/saml/settings', { cache: 'no-store' }));

export const settingsQuery = (protocol: Protocol) =>
  ({
    queryKey: keys.signOn(protocol),
    queryFn: (): Promise<Settings> => (protocol === 'oidc' ? readOidc() : readSaml()),
    retry: false,
  }) as const;

export const passwordQuery = {
  queryKey: keys.signOn('password'),
  queryFn: () => read(api.GET('/api/admin/auth/simple/settings')),
  retry: false,
} as const;

export const waysQuery = {
  queryKey: keys.signOn('ways'),
  queryFn: async () => (await read(api.GET('/auth/options'))).ways,
} as const;

export const setPasswords = (disabled: boolean, reason: string) =>
  write(api.POST('/api/admin/auth/simple/settings', { headers: stated({ reason }), body: { disabled } }));

/** The server answers it instead of a secret, and takes it for "keep the stored value". */
export const MASK = '********';

const TEXTS = [
  ...(['discoverUrl', 'clientId', 'acrValues', 'idTokenSigningAlgorithm'] as const),
  ...(['entityId', 'signOnUrl', 'certificate', 'signOutUrl', 'emailDomains', 'groupJsonPath'] as const),
];
const SWITCHES = [
  ...(['enabled', 'enableSingleSignOut', 'addGroupsScope', 'autoCreate', 'enableGroupSyncing'] as const),
];
export type TextName = (typeof TEXTS)[number];
export type SwitchName = (typeof SWITCHES)[number];

/** The texts and switches of each way; the secret and the role are apart. */
const NAMES: Readonly<
  Record<Protocol, { readonly texts: readonly TextName[]; readonly switches: readonly SwitchName[] }>
> = {
  oidc: {
    texts: ['discoverUrl', 'clientId', 'acrValues', 'idTokenSigningAlgorithm', 'emailDomains', 'groupJsonPath'],
    switches: SWITCHES,
  },
  saml: {
    texts: ['entityId', 'signOnUrl', 'certificate', 'signOutUrl', 'emailDomains', 'groupJsonPath'],
    switches: ['enabled', 'autoCreate', 'enableGroupSyncing'],
  },
};
export const NEEDED: Readonly<Record<Protocol, readonly TextName[]>> = {
  oidc: ['discoverUrl', 'clientId'],
  saml: ['entityId', 'signOnUrl', 'certificate'],
};
export const SECRET = { oidc: 'secret', saml: 'spCertificate' } as const;

export type FormValues = Readonly<Record<TextName, string>> &
  Readonly<Record<SwitchName, boolean>> & {
    /** `MASK`: the stored one is kept. */
    readonly secret: string;
    /** The name of a built-in role, or `#` and the id of another. */
    readonly role: string;
  };

const BUILT_IN: Readonly<Record<number, string>> = { 1: 'Admin', 2: 'Editor', 3: 'Viewer' };

function roleOf({ defaultRootRoleId: id, defaultRootRole }: Settings): string {
  return id ? (BUILT_IN[id] ?? `#${id}`) : (defaultRootRole ?? 'Viewer');
}

export function valuesOf(protocol: Protocol, settings: Settings): FormValues {
  const texts = TEXTS.map((name) => [name, settings[name] ?? '']);
  const switches = SWITCHES.map((name) => [name, settings[name] ?? false]);
  return {
    ...Object.fromEntries([...texts, ...switches]),
    secret: settings[SECRET[protocol]] ?? '',
    role: roleOf(settings),
  } as FormValues;
}

function bodyOf(protocol: Protocol, values: FormValues, before: Settings): Settings {
  const { texts, switches } = NAMES[protocol];
  const isNamed = !values.role.startsWith('#');
  return {
    // Tools of Unleash send it.
    ...(before.enablePkce !== undefined && { enablePkce: before.enablePkce }),
    ...Object.fromEntries(texts.flatMap((name) => (values[name].trim() ? [[name, values[name].trim()]] : []))),
    ...Object.fromEntries(switches.map((name) => [name, values[name]])),
    ...(values.secret && { [SECRET[protocol]]: values.secret }),
    ...(isNamed ? { defaultRootRole: values.role as 'Viewer' } : { defaultRootRoleId: Number(values.role.slice(1)) }),
  };
}

/** On condition that the settings are as they were when `base` was read. */
export function saveSettings(protocol: Protocol, base: Settings, values: FormValues, reason: string) {
  const sent = { headers: stated({ reason }), body: bodyOf(protocol, values, base) };
  const readNow: () => Promise<Settings> = protocol === 'oidc' ? readOidc : readSaml;
  return ifSame(
    readNow,
    base,
    (): Writing<unknown> =>
      protocol === 'oidc'
        ? write<unknown>(api.POST('/api/admin/auth/oidc/settings', sent))
        : write<unknown>(api.POST('/api/admin/auth/saml/settings', sent)),
  );
}

export const missingOf = (protocol: Protocol, values: Pick<FormValues, TextName>): string | undefined => {
  const missing = NEEDED[protocol].filter((name) => values[name].trim() === '');
  return missing.length > 0 ? words.missing(missing.map((name) => words.fields[name]).join(', ')) : undefined;
};

/** A way can be saved without them while it is disabled. */
export const problemOf = (protocol: Protocol, values: FormValues) =>
  values.enabled ? missingOf(protocol, values) : undefined;

export function sentencesOf(protocol: Protocol, before: FormValues, after: FormValues): string[] {
  const { texts, switches } = NAMES[protocol];
  const names = Object.fromEntries([...switches, ...texts, 'role' as const].map((name) => [name, words.fields[name]]));
  const secret = words.fields[SECRET[protocol]];
  const changed =
    after.secret === '' ? words.secretRemoved : before.secret === '' ? words.secretSet : words.secretChanged;
  return [
    ...fieldSentences(shortTexts(before), shortTexts(after), names as Partial<Record<keyof FormValues, string>>),
    ...(before.secret === after.secret ? [] : [changed(secret)]),
  ];
}

const SHOWN_MAX = 120;
/** A certificate is too long for a sentence. */
const shortTexts = (values: FormValues): FormValues => {
  const { certificate } = values;
  const isLong = certificate.length > SHOWN_MAX;
  return isLong ? { ...values, certificate: `…${certificate.replace(/\s|-+END.*/g, '').slice(-24)}` } : values;
};

export const stateText = (enabled: boolean | undefined) => (enabled ? words.enabled : words.disabled);
export const shownText = (text: string | undefined) => text || parts.empty;
