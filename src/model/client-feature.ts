import { type Feature, type FeatureEnvironment, featureEnvironment } from './feature.ts';
import type { Project } from './project.ts';
import type { Strategy } from './strategy.ts';
import type { Variant } from './variant.ts';

/**
 * Whether SDKs of `environment` receive the flag: it is not archived and its project has the environment. A mirrored flag is served only in the
 * environments in which its source reported it, because each environment is requested at a different time.
 */
export function isServed(feature: Feature, project: Project | undefined, environment: string): boolean {
  if (feature.archived || project === undefined || !project.environments.includes(environment)) return false;
  return feature.isMirrored === undefined || feature.environments.some((entry) => entry.environment === environment);
}

/** An enabled strategy, in the format for SDKs. */
type ClientStrategy = Pick<Strategy, 'name' | 'constraints' | 'parameters'> &
  Partial<Pick<Strategy, 'segments' | 'variants'>>;

/** A flag in one environment, in the format for SDKs: complete for evaluation. */
export interface ClientFeature
  extends Pick<Feature, 'name' | 'type' | 'project' | 'stale' | 'description' | 'impressionData'> {
  readonly enabled: boolean;
  readonly strategies: readonly ClientStrategy[];
  readonly variants: readonly Variant[];
  readonly dependencies?: Feature['dependencies'];
}

/** The value of `enabled` for SDKs. A flag whose strategies are all disabled is sent as off: for SDKs "no strategies" means on. */
export function isSentAsOn({ enabled, strategies }: FeatureEnvironment): boolean {
  return enabled && (strategies.length === 0 || strategies.some((strategy) => !strategy.disabled));
}

/**
 * The flag in version 2 of the client API: strategies refer to segments by id. The order of the keys is part of the format. Disabled
 * strategies are left out.
 */
export function clientFeature(feature: Feature, environment: string): ClientFeature {
  const config = featureEnvironment(feature, environment);
  const { strategies, variants } = config;
  const active = strategies.filter((strategy) => !strategy.disabled);
  return {
    name: feature.name,
    type: feature.type,
    enabled: isSentAsOn(config),
    project: feature.project,
    stale: feature.stale,
    strategies: active.map(clientStrategy),
    variants,
    description: feature.description,
    impressionData: feature.impressionData,
    ...(feature.dependencies.length > 0 && { dependencies: feature.dependencies }),
  };
}

function clientStrategy({ name, constraints, parameters, segments, variants }: Strategy): ClientStrategy {
  return {
    name,
    constraints,
    parameters,
    ...(segments.length > 0 && { segments }),
    ...(variants.length > 0 && { variants }),
  };
}

/** The version 2 bytes of one flag, as text. Two flags look the same to clients if and only if these are equal. */
export function clientFeatureJson(feature: Feature, environment: string): string {
  return JSON.stringify(clientFeature(feature, environment));
}
