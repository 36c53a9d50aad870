import Type from 'typebox';
import type { Limits } from '../../model/limits.ts';

const Count = Type.Integer({ minimum: 0 });
const PositiveCount = Type.Integer({ minimum: 1 });

/** Contract: Limits. */
export const ResourceLimitsSchema = Type.Object(
  {
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
  },
  { $id: 'resourceLimits' },
);

/** The effective limits, under the names of the contract. */
export function presentResourceLimits(limits: Limits) {
  return {
    segmentValues: limits.segmentValues,
    strategySegments: limits.strategySegments,
    actionSetActions: limits.actionSetActions,
    actionSetsPerProject: limits.actionSetsPerProject,
    actionSetFilters: limits.actionSetFilters,
    actionSetFilterValues: limits.actionSetFilterValues,
    signalEndpoints: limits.signalEndpoints,
    signalTokensPerEndpoint: limits.signalTokensPerEndpoint,
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
