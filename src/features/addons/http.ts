import type { FeatureHttp } from '../feature-module.ts';
import { addonEndpoints } from './routes.ts';

const WEBHOOK = {
  provider: 'webhook',
  description: 'For the release calendar',
  enabled: true,
  parameters: { url: 'https://calendar.example.com/flags' },
  events: ['feature-environment-enabled', 'feature-environment-disabled'],
  projects: ['default'],
  environments: ['production'],
};

export const http: FeatureHttp = {
  endpoints: addonEndpoints,
  glossary: {
    'addonSchema.delivery': 'How far the events were sent',
  },
  examples: {
    createAddon: WEBHOOK,
    updateAddon: { ...WEBHOOK, parameters: { url: '*****' } },
  },
};
