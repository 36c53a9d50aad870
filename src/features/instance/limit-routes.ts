import Type from 'typebox';
import type { Limits } from '../../model/limits.ts';

const Count = Type.Integer({ minimum: 0 });
const Some = Type.Integer({ minimum: 1 });
const NotThere = Type.Integer({ minimum: 0, description: 'Burgee does not have these: 0' });

/** Contract: Limits. */
export const ResourceLimitsSchema = Type.Object(
  {
    segmentValues: Count,
    strategySegments: Count,
    actionSetActions: NotThere,
    actionSetsPerProject: NotThere,
    actionSetFilters: NotThere,
    actionSetFilterValues: NotThere,
    signalEndpoints: NotThere,
    signalTokensPerEndpoint: NotThere,
    featureEnvironmentStrategies: Count,
    constraintValues: Count,
    constraints: Count,
    environments: Some,
    apiTokens: Count,
    projects: Some,
    segments: Count,
    featureFlags: Some,
  },
  { $id: 'resourceLimits' },
);

/** The effective limits, by the names of the contract. */
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
