import type { Config } from '../config.ts';
import type { WhenRemoved } from '../engine/command.ts';
import type { Guard } from '../engine/guard.ts';
import type { DescribedRoutes } from '../http/openapi.ts';
import type { CollectionTable } from '../model/collection.ts';
import type { EventWords } from '../model/event.ts';
import type { Limit } from '../model/limits.ts';
import type { FeatureParts, Services } from './services.ts';
import type { EditedKinds } from './shared/entity-tags.ts';
import type { Gauge } from './shared/gauge.ts';
import type { LimitedCollections } from './shared/limit-checks.ts';
import type { RecordedTable } from './shared/recorded.ts';
import type { ShownTable } from './shared/shown-entity.ts';

/**
 * A feature as the rest of Burgee uses it: one value, listed in `modules.ts`. Every program loads the properties that are plain values; they are
 * small. A function loads its files only in the programs that call it: the writer loads the guards, the HTTP server loads the routes.
 */
export interface FeatureModule {
  /** The name of the feature's folder. */
  readonly name: string;
  /** Files of the feature's folder that other features may import, in addition to this module. A test enforces it. */
  readonly exports?: readonly string[];
  /** Name → collection, for the collections that the feature's commands store. Every collection belongs to one feature. */
  readonly collections?: Partial<CollectionTable>;
  /** Its collections with a recorded past. */
  readonly history?: Partial<RecordedTable>;
  /** How the stream of changes names the entities of its collections. */
  readonly shown?: Partial<ShownTable>;
  /** The kinds of entities with an ETag, which people edit. */
  readonly edited?: EditedKinds;
  /** The events that the feature records in the audit log, with their texts. */
  readonly events?: EventWords;
  readonly limits?: Readonly<Record<string, Limit>>;
  /** Loads how its collections are measured for limits, if a limit counts more than their entities. */
  readonly limited?: () => Promise<LimitedCollections>;
  /** Loads the check of the options of this feature. It throws a `ConfigError` for options with which `parts` would fail. */
  readonly optionsCheck?: () => Promise<(config: Config) => void>;
  /** Loads the rules of this feature for the commands of every feature. */
  readonly guards?: () => Promise<readonly Guard[]>;
  /** Loads what this feature does when another feature removes or archives something that it refers to. `guards.ts` states the order of features. */
  readonly whenRemoved?: () => Promise<WhenRemoved>;
  /**
   * Creates the long-lived parts of the feature, and adds the parts that must be started or closed to `components`. The parts of features that are
   * listed earlier exist already.
   */
  readonly parts?: () => Promise<(services: Services) => Partial<FeatureParts>>;
  /** Loads the metrics that the feature adds to the page for Prometheus. */
  readonly gauges?: () => Promise<readonly Gauge[]>;
  readonly http?: () => Promise<FeatureHttp>;
}

/** The routes that a feature adds to the HTTP interface, and their descriptions for the OpenAPI document. */
export type FeatureHttp = DescribedRoutes<Services>;

/** States a feature. */
export function feature<const M extends FeatureModule>(module: M): M {
  return module;
}
