import type { Config } from '../config.ts';
import { ENGINE } from '../engine/engine-module.ts';
import type { CollectionTable } from '../model/collection.ts';
import { defineEvents, type EventTable, UNUSED_EVENTS } from '../model/event.ts';
import { defaultLimits, defineLimits, type Limits, type LimitTable, MODEL_LIMITS } from '../model/limits.ts';
import { defineCollections } from '../state/collections.ts';
import { addonsFeature } from './addons/module.ts';
import { bulkFeature } from './bulk/module.ts';
import { changeRequestsFeature } from './change-requests/module.ts';
import { changeStreamFeature } from './change-stream/module.ts';
import { clientFeature } from './client/module.ts';
import { codeReferencesFeature } from './code-references/module.ts';
import { consoleFeature } from './console/module.ts';
import { contextFieldsFeature } from './context-fields/module.ts';
import { documentationFeature } from './documentation/module.ts';
import { environmentsFeature } from './environments/module.ts';
import { eventsFeature } from './events/module.ts';
import type { FeatureModule } from './feature-module.ts';
import { flagIndexFeature } from './flag-index/module.ts';
import { flagsFeature } from './flags/module.ts';
import { frontendFeature } from './frontend/module.ts';
import { historyFeature } from './history/module.ts';
import { impactMetricsFeature } from './impact-metrics/module.ts';
import { importExportFeature } from './import-export/module.ts';
import { instanceFeature } from './instance/module.ts';
import { limitsFeature } from './limits/module.ts';
import { manifestFeature } from './manifest/module.ts';
import { mcpFeature } from './mcp/module.ts';
import { ofrepFeature } from './ofrep/module.ts';
import { pastFeature } from './past/module.ts';
import { peopleFeature } from './people/module.ts';
import { personalFeature } from './personal/module.ts';
import { playgroundFeature } from './playground/module.ts';
import { previewFeature } from './preview/module.ts';
import { projectsFeature } from './projects/module.ts';
import { propagationFeature } from './propagation/module.ts';
import { releasePlansFeature } from './release-plans/module.ts';
import { safeguardsFeature } from './safeguards/module.ts';
import { scimFeature } from './scim/module.ts';
import { segmentsFeature } from './segments/module.ts';
import type { FeatureParts, Services } from './services.ts';
import { defineEdited, type EditedTable } from './shared/entity-tags.ts';
import { defineRecorded, type RecordedTable } from './shared/recorded.ts';
import { defineShown, type ShownTable } from './shared/shown-entity.ts';
import { signOnFeature } from './sign-on/module.ts';
import { signalsFeature } from './signals/module.ts';
import { telemetryFeature } from './telemetry/module.ts';
import { tokensFeature } from './tokens/module.ts';
import { usageFeature } from './usage/module.ts';

/** Every feature. A new feature needs a folder and a line in this list. A feature whose parts use another feature is listed after that feature. */
const LISTED = [
  bulkFeature,
  flagsFeature,
  flagIndexFeature,
  segmentsFeature,
  contextFieldsFeature,
  environmentsFeature,
  usageFeature,
  propagationFeature,
  impactMetricsFeature,
  codeReferencesFeature,
  eventsFeature,
  pastFeature,
  historyFeature,
  projectsFeature,
  peopleFeature,
  personalFeature,
  signOnFeature,
  scimFeature,
  tokensFeature,
  changeRequestsFeature,
  changeStreamFeature,
  addonsFeature,
  releasePlansFeature,
  safeguardsFeature,
  signalsFeature,
  limitsFeature,
  instanceFeature,
  telemetryFeature,
  importExportFeature,
  playgroundFeature,
  previewFeature,
  clientFeature,
  frontendFeature,
  ofrepFeature,
  manifestFeature,
  mcpFeature,
  documentationFeature,
  consoleFeature,
] as const;

export const FEATURES: readonly FeatureModule[] = LISTED;

type Listed = (typeof LISTED)[number];

/** The tables that the features and the engine have in their property `Property`, as a union. */
type Tables<Property extends string, M = Listed | typeof ENGINE> = M extends { readonly [P in Property]: infer T }
  ? T
  : never;
/** The intersection of the members of a union. */
type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void ? All : never;

interface FeatureEvents extends Intersection<Tables<'events'>> {}
interface FeatureLimits extends Intersection<Tables<'limits'>> {}
interface FeatureEdited extends Intersection<Tables<'edited'>> {}

declare module '../model/event.ts' {
  interface EventTable extends FeatureEvents {}
}

declare module '../model/limits.ts' {
  interface LimitTable extends FeatureLimits {}
}

declare module './shared/entity-tags.ts' {
  interface EditedTable extends FeatureEdited {}
}

/**
 * The type `Table` if `Names` contains all of its names. Otherwise the union of the missing names. No user of the table accepts that type, so the
 * code does not compile, and the error shows the names.
 */
type Complete<Table, Names extends PropertyKey> = [Exclude<keyof Table, Names>] extends [never]
  ? Table
  : Exclude<keyof Table, Names>;

/** Every collection, in the order in which a snapshot stores them. */
const COLLECTIONS = rowsOf('collections', ENGINE.collections) as Complete<
  CollectionTable,
  keyof Intersection<Tables<'collections'>>
>;

/** Every collection with a recorded past. */
export const RECORDED = rowsOf('history') as Complete<RecordedTable, keyof Intersection<Tables<'history'>>>;

/** Every limit, with its documentation. */
export const LIMITS = rowsOf('limits', MODEL_LIMITS) as LimitTable;

/** Every type of event. */
const EVENTS = rowsOf('events', { ...UNUSED_EVENTS, ...ENGINE.events }) as EventTable;

function rowsOf(
  property: 'collections' | 'edited' | 'events' | 'history' | 'limits' | 'shown',
  otherRows: object = {},
): unknown {
  return Object.assign({}, otherRows, ...FEATURES.map((feature) => feature[property]));
}

/** The names of the long-lived parts that the feature `M` creates. */
type PartsOf<M> = M extends { readonly parts: () => Promise<(services: never) => infer P> } ? keyof P : never;

type Parts = Complete<FeatureParts, PartsOf<Listed> | 'gauges'>;

/** Creates the parts of all features and adds them to `services`, with their metrics. */
export async function makeParts(services: Services): Promise<Parts> {
  for (const { parts } of FEATURES) if (parts) Object.assign(services, (await parts())(services));
  const gauges = await Promise.all(FEATURES.map((feature) => feature.gauges?.() ?? []));
  return Object.assign(services, { gauges: gauges.flat() }) as Parts;
}

/** Checks the options of all features. @throws ConfigError */
export async function checkFeatureOptions(config: Config): Promise<void> {
  for (const { optionsCheck } of FEATURES) if (optionsCheck) (await optionsCheck())(config);
}

defineCollections(COLLECTIONS);
defineEvents(EVENTS);
defineLimits(LIMITS);
defineEdited(rowsOf('edited') as EditedTable);
defineRecorded(RECORDED);
defineShown(rowsOf('shown') as Complete<ShownTable, keyof Intersection<Tables<'shown'>>>);

/** The limits of an instance whose environment variables set no limits. */
export const DEFAULT_LIMITS: Limits = defaultLimits();
