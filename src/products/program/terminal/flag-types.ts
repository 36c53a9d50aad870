import type { Constraint } from '../../../model/constraint.ts';
import type { StrategyParameters } from '../../../model/strategy.ts';
import type { VariantPayload } from '../../../model/variant.ts';

/** The fields of the admin API's answers that the commands show. Older and newer services may leave out some of them. */
export interface FoundFlag {
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly stale: boolean;
  readonly potentiallyStale?: boolean;
  readonly archivedAt: string | null;
  readonly environments: readonly { readonly name: string; readonly enabled: boolean }[];
}

export interface Flag {
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly description: string | null;
  readonly stale: boolean;
  readonly createdAt: string;
  readonly createdBy?: { readonly name: string };
  readonly lastSeenAt: string | null;
  readonly impressionData: boolean;
  readonly environments: readonly FlagEnvironment[];
  readonly tags?: readonly { readonly type: string; readonly value: string }[];
  readonly children?: readonly string[];
  readonly dependencies?: readonly Dependency[];
}

export interface FlagEnvironment {
  readonly name: string;
  readonly enabled: boolean;
  readonly strategies: readonly FlagStrategy[];
  readonly variants?: readonly FlagVariant[];
}

export interface FlagStrategy {
  readonly name: string;
  readonly featureName?: string;
  readonly title?: string | null;
  readonly disabled?: boolean;
  readonly parameters: StrategyParameters;
  readonly constraints: readonly Constraint[];
  readonly segments?: readonly number[];
  readonly variants?: readonly FlagVariant[];
}

export interface FlagVariant {
  readonly name: string;
  /** In thousandths. */
  readonly weight: number;
  readonly stickiness?: string;
  readonly payload?: VariantPayload;
  readonly overrides?: readonly { readonly contextName: string; readonly values: readonly string[] }[];
}

export interface Dependency {
  readonly feature: string;
  readonly enabled?: boolean;
  readonly variants?: readonly string[];
}

export interface Segment {
  readonly id: number;
  readonly name: string;
  readonly constraints: readonly Constraint[];
}
