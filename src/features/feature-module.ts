import type { Guard } from '../engine/guard.ts';
import type { DescribedRoutes } from '../http/openapi.ts';
import type { CollectionTable } from '../model/collection.ts';
import type { EventWords } from '../model/event.ts';
import type { Limit } from '../model/limits.ts';
import type { FeatureParts, Services } from './services.ts';

/**
 * What a feature is to the rest of Burgee: one value, listed in `modules.ts`. What is stated at once is small and needed by every program; what
 * is loaded by a function is loaded by the programs that need it: guards with the writer, routes with the HTTP server.
 */
export interface FeatureModule {
  /** As its folder is named. */
  readonly name: string;
  /** Files of its folder that other features may import, beside this module. A test holds it. */
  readonly exports?: readonly string[];
  /** What its commands store, by name. Every collection belongs to one feature. */
  readonly collections?: Partial<CollectionTable>;
  /** What it records in the audit log, with the words for it. */
  readonly events?: EventWords;
  /** What it bounds. */
  readonly limits?: Readonly<Record<string, Limit>>;
  /** Rules of it that hold for the commands of every feature. */
  readonly guards?: () => Promise<readonly Guard[]>;
  /** Makes its long-lived parts, and adds those that are started or closed to `components`. Parts of features listed before it are there. */
  readonly parts?: () => Promise<(services: Services) => Partial<FeatureParts>>;
  readonly http?: () => Promise<FeatureHttp>;
}

/** What a feature adds to the HTTP interface, and to the document that describes it. */
export type FeatureHttp = DescribedRoutes<Services>;

/** States a feature. */
export function feature<const M extends FeatureModule>(module: M): M {
  return module;
}
