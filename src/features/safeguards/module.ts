import { feature } from '../feature-module.ts';

/** What pauses a release plan, or switches a flag off in an environment, when a metric or a query of Prometheus passes a threshold. */
export const safeguardsFeature = feature({
  name: 'safeguards',
  events: {
    'feature-environment-safeguard-changed': ['Safeguard changed', 'changed a safeguard of the flag {flag}{on}'],
    'feature-environment-safeguard-removed': ['Safeguard removed', 'removed a safeguard of the flag {flag}{on}'],
    'feature-environment-safeguard-tripped': [
      'Safeguard tripped',
      'found that a safeguard of the flag {flag} tripped{on}',
    ],
  },
  optionsCheck: async () => (await import('./prometheus.ts')).prometheusOf,
  parts: async () => (await import('./parts.ts')).safeguardParts,
  http: async () => (await import('./http.ts')).http,
});
