import Type from 'typebox';
import type { Limits } from '../../model/limits.ts';

const Count = Type.Integer({ minimum: 0 });
const PositiveCount = Type.Integer({ minimum: 1 });
const NotSupported = Type.Integer({ minimum: 0, description: 'Always 0: Burgee does not have this feature' });

/** Contract: Limits. */
export const ResourceLimitsSchema = Type.Object(
  {
    segmentValues: Count,
    strategySegments: Count,
    actionSetActions: NotSupported,
    actionSetsPerProject: NotSupported,
    actionSetFilters: NotSupported,
    actionSetFilterValues: NotSupported,
    signalEndpoints: NotSupported,
    signalTokensPerEndpoint: NotSupported,
    featureEnvironmentStrategies: Count,
    constraintValues: Count,
    constraints: Count,
    environments: PositiveCount,
    apiTokens: Count,
    projects: PositiveCount,
    segments: Count,
    featureFlags: PositiveCount,
  },
  { $id: 'resourceLimits' },
);

/** The effective limits, under the names of the contract. */
export function presentResourceLimits(limits: Limits) {
  return {
    segmentValues: limits.segmentValues,
    strategySegments: limits.strategySegments,
    actionSetActions: 0,
    actionSetsPerProject: 0,
    actionSetFilters: 0,
    actionSetFilterValues: 0,
    signalEndpoints: 0,
    signalTokensPerEndpoint: 0,
    featureEnvironmentStrategies: limits.featureEnvironmentStrategies,
    constraintValues: limits.constraintValues,
    constraints: limits.constraints,
    environments: limits.environments,
    apiTokens: limits.apiTokens,
    projects: limits.projects,
    segments: limits.segments,
    featureFlags: limits.featureFlags,
  };
}
