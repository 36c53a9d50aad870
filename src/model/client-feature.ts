import { type Feature, type FeatureEnvironment, featureEnvironment } from './feature.ts';
import type { Project } from './project.ts';
import type { Strategy } from './strategy.ts';
import type { Variant } from './variant.ts';

/**
 * Whether SDKs of `environment` are told of the flag at all: it is not archived and its project has the environment. A mirrored one is where its
 * source told it, even if the source was asked of this environment a moment later than of another.
 */
export function isServed(feature: Feature, project: Project | undefined, environment: string): boolean {
  if (feature.archived || project === undefined || !project.environments.includes(environment)) return false;
  return feature.isMirrored === undefined || feature.environments.some((place) => place.environment === environment);
}

/** An enabled strategy, as SDKs are told of it. */
type ClientStrategy = Pick<Strategy, 'name' | 'constraints' | 'parameters'> &
  Partial<Pick<Strategy, 'segments' | 'variants'>>;

/** A flag in one environment, as SDKs are told of it. Enough to evaluate it. */
export interface ClientFeature
  extends Pick<Feature, 'name' | 'type' | 'project' | 'stale' | 'description' | 'impressionData'> {
  readonly enabled: boolean;
  readonly strategies: readonly ClientStrategy[];
  readonly variants: readonly Variant[];
  readonly dependencies?: Feature['dependencies'];
}

/** What SDKs are told as `enabled`. A flag that has strategies but only disabled ones is told as off: to them "no strategies" means on. */
export function isToldAsOn({ enabled, strategies }: FeatureEnvironment): boolean {
  return enabled && (strategies.length === 0 || strategies.some((strategy) => !strategy.disabled));
}

/**
 * The flag as version 2 of the client API tells it: strategies refer to segments by id. Key order is part of the bytes. Disabled
 * strategies are not told.
 */
export function clientFeature(feature: Feature, environment: string): ClientFeature {
  const config = featureEnvironment(feature, environment);
  const { strategies, variants } = config;
  const active = strategies.filter((strategy) => !strategy.disabled);
  return {
    name: feature.name,
    type: feature.type,
    enabled: isToldAsOn(config),
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
