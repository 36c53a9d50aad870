import Type from 'typebox';
import { VERSION } from '../../base/version.ts';
import { done, ok } from '../../http/answer.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { isInMaintenance } from '../shared/maintenance.ts';
import { publicUrl } from '../shared/public-url.ts';
import { isOidcFromEnvironment, isSamlFromEnvironment } from '../sign-on/providers/settings.ts';
import { isPasswordSignOnDisabled } from '../sign-on/settings-commands.ts';
import { Origins, setFrontendOrigins } from './frontend-origins.ts';
import { presentResourceLimits, ResourceLimitsSchema } from './resource-limits.ts';
import { instanceIdOf } from './setting.ts';

const route = routesOf('Admin UI');

const RevisionsSchema = Type.Object({
  oss: Type.Optional(Type.String()),
  enterprise: Type.Optional(Type.String()),
});

const VersionInfoSchema = Type.Object(
  {
    current: Type.Object({
      oss: Type.String(),
      enterprise: Type.String({ description: 'Always empty: there is no other edition' }),
    }),
    latest: Type.Intersect([RevisionsSchema], { description: 'Always empty: the service does not check for updates' }),
    isLatest: Type.Boolean(),
    instanceId: Type.String({ description: 'Id of the instance. It stays the same as long as its store exists' }),
  },
  { $id: 'versionInfo' },
);

const LinkSchema = Type.Object({
  value: Type.String(),
  icon: Type.String(),
  href: Type.String(),
  title: Type.String(),
});

/** Contract: UI configuration. */
const UiConfigSchema = Type.Object(
  {
    name: Type.String(),
    slogan: Type.String(),
    version: Type.String(),
    environment: Type.String({ description: 'Kind of instance' }),
    serviceUrl: Type.String({ description: 'The public URL of the instance' }),
    unleashUrl: Type.String({ description: 'The same URL, under the name that tools of Unleash read' }),
    baseUriPath: Type.String(),
    feedbackUriPath: Type.String({ description: 'Always empty: there is no separate path for feedback' }),
    disablePasswordAuth: Type.Boolean({ description: 'Whether sign-on with a password is off' }),
    emailEnabled: Type.Boolean(),
    maintenanceMode: Type.Boolean({ description: 'Whether changes are refused' }),
    segmentValuesLimit: Type.Integer({ description: 'Deprecated: see resourceLimits' }),
    strategySegmentsLimit: Type.Integer({ description: 'Deprecated: see resourceLimits' }),
    resourceLimits: ResourceLimitsSchema,
    networkViewEnabled: Type.Boolean(),
    frontendApiOrigins: Type.Array(Type.String(), { description: 'Origins whose pages may call the frontend API' }),
    flags: Type.Object({}, { additionalProperties: true, description: 'Experiments that are on; always empty' }),
    links: Type.Array(LinkSchema),
    authenticationType: Type.String(),
    versionInfo: VersionInfoSchema,
    oidcConfiguredThroughEnv: Type.Boolean(),
    samlConfiguredThroughEnv: Type.Boolean(),
  },
  { $id: 'uiConfig' },
);

const getUiConfig = route('GET /api/admin/ui-config', 'getUiConfig', {
  access: { permission: 'READ' },
  summary: 'The configuration of the instance, for pages',
  responses: { 200: { description: 'The configuration', schema: UiConfigSchema } },
  handle: (_request, services) => ok(presentUiConfig(services)),
});

function presentUiConfig({ config, state, frontendOrigins }: Services) {
  const { basePath, limits } = config;
  const address = publicUrl(config);
  return {
    name: 'Burgee',
    slogan: 'Feature flags from memory',
    version: VERSION,
    environment: 'Open source',
    serviceUrl: address,
    unleashUrl: address,
    baseUriPath: basePath,
    feedbackUriPath: '',
    disablePasswordAuth: isPasswordSignOnDisabled(state),
    emailEnabled: false,
    maintenanceMode: isInMaintenance(state),
    segmentValuesLimit: limits.segmentValues,
    strategySegmentsLimit: limits.strategySegments,
    resourceLimits: presentResourceLimits(limits),
    networkViewEnabled: false,
    frontendApiOrigins: frontendOrigins.current,
    flags: {},
    links: [
      {
        value: 'API',
        icon: 'library_books',
        href: `${address}/docs/openapi.json`,
        title: 'The API of this instance, as OpenAPI',
      },
    ],
    authenticationType: config.authType,
    versionInfo: {
      current: { oss: VERSION, enterprise: '' },
      latest: {},
      isLatest: true,
      instanceId: instanceIdOf(state),
    },
    oidcConfiguredThroughEnv: isOidcFromEnvironment(config),
    samlConfiguredThroughEnv: isSamlFromEnvironment(config),
  };
}

const setCors = route('POST /api/admin/ui-config/cors', 'setCors', {
  access: { permission: 'ADMIN' },
  summary: 'Sets the origins whose pages may call the frontend API',
  description:
    'The list applies immediately, on every replica, and overrides `UNLEASH_FRONTEND_API_ORIGINS`. Empty: no pages may call the frontend API.',
  body: Type.Object({ frontendApiOrigins: Origins }, { $id: 'setCors' }),
  responses: { 204: { description: 'Done' } },
  handle: ({ body: { frontendApiOrigins: origins }, caller }, services) =>
    change(services, caller, setFrontendOrigins, { origins }, () => done(204)),
});

export const uiConfigEndpoints = [getUiConfig, setCors];
