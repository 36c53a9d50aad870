import { describe, expect, it } from 'vitest';
import { FEATURES, RECORDED } from '../../src/features/modules.ts';
import { endpoints } from '../../src/features/registry.ts';
import { type EditedKind, editedKind } from '../../src/features/shared/entity-tags.ts';
import { whyNeverUndone } from '../../src/features/shared/never-undone.ts';
import { allRecorded } from '../../src/features/shared/recorded.ts';
import { EVENT_TYPES, type EventType } from '../../src/model/event.ts';
import { limitEntries } from '../../src/model/limits.ts';
import { type CollectionName, collectionNames } from '../../src/state/collections.ts';
import { operationsOf } from '../support/resource-calls.ts';
import { RESOURCES } from '../support/resources.ts';

/** What no limit counts. */
const UNCOUNTED: Readonly<Record<string, readonly CollectionName[]>> = {
  'has limits of its own': ['features'],
  'is bounded by what it belongs to': [
    ...(['featureTypes', 'staleMarks', 'lifecycles', 'changeRequestConfigs', 'passwordLinks', 'sessions'] as const),
    ...(['addonDeliveries', 'addonAttempts', 'signals', 'actionRuns'] as const),
  ],
  'has few entities, with fixed keys': ['settings', 'signOnSettings', 'scimSettings', 'scimTokens', 'counters'],
  'is written by the service, which deletes old ones': ['surplusMarks', 'mirroredScopes', 'spentAttempts'],
};

/** The file that states what a resource is. */
function moduleOf(collection: CollectionName): string {
  const feature = FEATURES.find(({ collections = {} }) => collection in collections);
  return `src/features/${feature?.name}/module.ts`;
}

const routeOf = (operationId: string | undefined) => endpoints.find((route) => route.operationId === operationId);

/** A new resource that forgets one of these is half made: the test names the file where it is missing. */
describe('the module of a resource', () => {
  it('states a limit for the number of its entities', () => {
    const known = new Set([...Object.values(UNCOUNTED).flat(), ...limitEntries().map(([, { counts }]) => counts)]);
    const missing = collectionNames().filter((name) => !known.has(name));
    expect(missing.map((name) => `${moduleOf(name)}: no limit counts ${name}`)).toEqual([]);
  });

  it('states why changes are not undone if and only if their past is not recorded', () => {
    const wrong = RESOURCES.flatMap(({ collection, event }) =>
      ['created', 'updated', 'deleted']
        .filter(
          (verb) => event && (whyNeverUndone(`${event}-${verb}` as EventType) === null) !== collection in RECORDED,
        )
        .map((verb) => `${moduleOf(collection)}: ${event}-${verb}`),
    );
    expect(wrong).toEqual([]);
  });

  it('states the kind of its ETag if its past is recorded, and the routes that read, change and remove one have it', () => {
    const missing = RESOURCES.filter(({ collection }) => collection in RECORDED).flatMap((resource) => {
      const { read, update, remove } = operationsOf(resource);
      return [read, update, remove]
        .filter((id) => read && !(routeOf(id) as { readonly edits?: string }).edits)
        .map((id) => `${id} has no \`edits\` (${moduleOf(resource.collection)})`);
    });
    expect(missing).toEqual([]);
  });

  it('states only events that exist for an ETag', () => {
    const kinds = FEATURES.flatMap(({ name, edited = {} }) => Object.keys(edited).map((kind) => ({ name, kind })));
    expect(kinds.length).toBeGreaterThan(10);
    const params = new Proxy({}, { get: () => 'a' });
    const unknown = kinds.flatMap(({ name, kind }) =>
      (editedKind(kind as EditedKind).events?.(params).types ?? [])
        .filter((type) => !EVENT_TYPES.includes(type))
        .map((type) => `src/features/${name}/module.ts: ${type}`),
    );
    expect(unknown).toEqual([]);
  });

  it('states types of histories that differ', () => {
    const types = Object.values(allRecorded()).map(({ type }) => type);
    expect(types).toEqual([...new Set(types)]);
  });
});
