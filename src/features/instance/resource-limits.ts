import Type from 'typebox';
import type { Limits } from '../../model/limits.ts';

const Count = Type.Integer({ minimum: 0 });
const PositiveCount = Type.Integer({ minimum: 1 });

/** The limits of the contract, under its names, which are those of the options. */
const SHOWN = {
  segmentValues: Count,
  strategySegments: Count,
  actionSetActions: Count,
  actionSetsPerProject: Count,
  actionSetFilters: Count,
  actionSetFilterValues: Count,
  signalEndpoints: Count,
  signalTokensPerEndpoint: Count,
  featureEnvironmentStrategies: Count,
  constraintValues: Count,
  constraints: Count,
  environments: PositiveCount,
  apiTokens: Count,
  projects: PositiveCount,
  segments: Count,
  featureFlags: PositiveCount,
};

/** Contract: Limits. */
export const ResourceLimitsSchema = Type.Object(SHOWN, { $id: 'resourceLimits' });

/** The effective limits. */
export function presentResourceLimits(limits: Limits): object {
  return Object.fromEntries(Object.keys(SHOWN).map((name) => [name, limits[name as keyof typeof SHOWN]]));
}
