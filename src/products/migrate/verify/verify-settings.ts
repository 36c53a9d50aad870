import { isDeepStrictEqual } from 'node:util';
import { pushAll } from '../../../base/lists/push-all.ts';
import { readFavorites } from '../favorites-reader.ts';
import { type Holdings, noHoldings } from '../holdings.ts';
import type { InstanceClient } from '../instance-client.ts';
import { readPeople } from '../people-reader.ts';
import { protectionDifferences } from '../protections.ts';
import { readSettings } from '../settings-reader.ts';

/**
 * The differences between source and target in the instance settings, the reviews and the favourites. Adds the number of compared items to `count`.
 */
export async function settingDifferences(
  target: InstanceClient,
  sourceData: Holdings,
  count: { settings: number },
): Promise<string[]> {
  // The target's favourites are read with the source's list of flags and projects. An object that the target does not have has no favourites there.
  const targetData: Holdings = { ...noHoldings(), features: sourceData.features.map(withoutTime) };
  await readSettings(target, targetData);
  const differences = [
    ...differencesBetween(sourceData.featureTypes, targetData.featureTypes, ({ id }) => `lifetime of ${id} flags`),
    ...differencesBetween(sourceData.frontendOrigins, targetData.frontendOrigins, () => 'frontend origins'),
    ...differencesBetween(
      sourceData.banners,
      targetData.banners,
      ({ message }) => `banner ${JSON.stringify(message)}`,
      ({ message, createdAt }) => JSON.stringify([message, createdAt]),
    ),
    ...(await protectionDifferences(target, sourceData.protections)),
  ];
  count.settings += sourceData.featureTypes.length + sourceData.frontendOrigins.length + sourceData.banners.length;
  count.settings += sourceData.protections.length;
  if (sourceData.favorites.length === 0) return differences;
  count.settings += sourceData.favorites.length;
  await readPeople(target, targetData);
  pushAll(targetData.projects, sourceData.projects.map(withoutTime));
  await readFavorites(target, targetData, { features: [], projects: [] });
  const targetFavorites = new Set(targetData.favorites.map(favoriteText));
  for (const favorite of sourceData.favorites)
    if (!targetFavorites.has(favoriteText(favorite)))
      differences.push(`${favoriteText(favorite)} is not a favourite in the target`);
  return differences;
}

/** Removes the creation time. The import created the object after its favourites were set, so with this time the favourites would be ignored. */
function withoutTime<T extends { readonly createdAt?: string }>({ createdAt: _createdAt, ...rest }: T): T {
  return rest as T;
}

function favoriteText({ kind, name, email, username }: Holdings['favorites'][number]): string {
  return `${kind} ${name} of ${(email ?? username ?? '').toLowerCase()}`;
}

function differencesBetween<T>(
  sourceData: readonly T[],
  targetData: readonly T[],
  nameOf: (item: T) => string,
  keyOf: (item: T) => string = nameOf,
): string[] {
  const targetByKey = new Map(targetData.map((item) => [keyOf(item), item]));
  return sourceData
    .map((item) => [item, targetByKey.get(keyOf(item))] as const)
    .filter(([item, counterpart]) => !isDeepStrictEqual(item, counterpart))
    .map(
      ([item, counterpart]) =>
        `${nameOf(item)}: ${JSON.stringify(item)} in the source, ${JSON.stringify(counterpart)} in the target`,
    );
}
