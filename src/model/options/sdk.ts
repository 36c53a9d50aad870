import { FETCH_MODES } from '../fetch-mode.ts';

/** The names under which metrics of applications are exported: those before Unleash 8, or those of Unleash 8. */
const IMPACT_NAMES = ['prefixed', 'unleash-8'] as const;
export type ImpactNames = (typeof IMPACT_NAMES)[number];

/** Options about SDKs. */
export const SDK_OPTIONS = {
  fetchMode: {
    env: ['FETCH_MODE'],
    kind: ['as-configured', ...FETCH_MODES],
    default: 'as-configured',
    description:
      'How SDKs of servers get changes, in environments without a setting of their own. `streaming`: polling SDKs are asked to open streams. ' +
      '`polling`: SDKs with streams are asked to poll. `as-configured`: each SDK does what it is configured for (docs/reach/sdk-modes.md).',
  },
  impactNames: {
    env: ['IMPACT_METRIC_NAMES'],
    kind: IMPACT_NAMES,
    default: 'prefixed',
    description:
      'Names of exported impact metrics. `prefixed`: `unleash_<type>_<name>`. `unleash-8`: `<name>`, with the labels `origin` and `metric_type`, and ' +
      'only at `/internal-backstage/impact/metrics` (docs/reach/metrics.md).',
  },
} as const;
