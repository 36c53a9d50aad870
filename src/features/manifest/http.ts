import type { FeatureHttp } from '../feature-module.ts';
import { manifestEndpoints } from './routes.ts';

const DECLARED = { type: 'string', description: 'Text of the banner', defaultValue: 'Welcome' };

export const http: FeatureHttp = {
  endpoints: manifestEndpoints,
  glossary: { 'writtenManifestFlag.flag': 'The flag as it is now' },
  examples: {
    'updateManifestFlag.key': 'checkout.banner',
    'updateProjectManifestFlag.key': 'checkout.banner',
    'archiveManifestFlag.key': 'checkout.banner',
    'archiveProjectManifestFlag.key': 'checkout.banner',
    createManifestFlag: { key: 'banner.text', ...DECLARED },
    createProjectManifestFlag: { key: 'banner.title', ...DECLARED },
    updateManifestFlag: { key: 'checkout.banner', type: 'boolean', description: 'Greets users', defaultValue: false },
    updateProjectManifestFlag: {
      key: 'checkout.banner',
      type: 'boolean',
      description: 'Greets users',
      defaultValue: false,
    },
  },
};
