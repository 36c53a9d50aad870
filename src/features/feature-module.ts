import type { Guard } from '../engine/guard.ts';
import type { DescribedRoutes } from '../http/openapi.ts';
import type { CollectionTable } from '../model/collection.ts';
import type { EventWords } from '../model/event.ts';
import type { Limit } from '../model/limits.ts';
import type { FeatureParts, Services } from './services.ts';

/**
 * A feature as the rest of Burgee uses it: one value, listed in `modules.ts`. Values stated directly are small and needed by every program. Parts
 * behind a function are loaded only by the programs that need them: guards with the writer, routes with the HTTP server.
 */
export interface FeatureModule {
  /** The name of its folder. */
  readonly name: string;
  /** Files of its folder that other features may import, in addition to this module. A test enforces it. */
  readonly exports?: readonly string[];
  /** The collections that its commands store, by name. Every collection belongs to one feature. */
  readonly collections?: Partial<CollectionTable>;
  /** The events that it records in the audit log, with their texts. */
  readonly events?: EventWords;
  /** Its limits. */
  readonly limits?: Readonly<Record<string, Limit>>;
  /** Its rules for the commands of every feature. */
  readonly guards?: () => Promise<readonly Guard[]>;
  /**
   * Creates its long-lived parts, and adds those that are started or closed to `components`. The parts of features that are listed earlier exist
   * already.
   */
  readonly parts?: () => Promise<(services: Services) => Partial<FeatureParts>>;
  readonly http?: () => Promise<FeatureHttp>;
}

/** What a feature adds to the HTTP interface, and to the document that describes it. */
export type FeatureHttp = DescribedRoutes<Services>;

/** States a feature. */
export function feature<const M extends FeatureModule>(module: M): M {
  return module;
}
