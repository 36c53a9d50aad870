import { isDeepStrictEqual } from 'node:util';
import { readFavorites } from './favorites-reader.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { readPeople } from './people-reader.ts';
import { protectionDifferences } from './protections.ts';
import { readSettings } from './settings-reader.ts';

/**
 * The differences between source and target in the instance settings, the reviews and the favourites. Adds the number of compared items to `count`.
 */
export async function settingDifferences(
  target: InstanceClient,
  there: Holdings,
  count: { settings: number },
): Promise<string[]> {
  // The flags and projects of the source are used for the target too. An object that is missing in the target has no favourites.
  const here: Holdings = { ...noHoldings(), features: there.features.map(withoutTime) };
  await readSettings(target, here);
  const differences = [
    ...unlike(there.featureTypes, here.featureTypes, ({ id }) => `lifetime of ${id} flags`),
    ...unlike(there.frontendOrigins, here.frontendOrigins, () => 'frontend origins'),
    ...unlike(
      there.banners,
      here.banners,
      ({ message }) => `banner ${JSON.stringify(message)}`,
      ({ message, createdAt }) => JSON.stringify([message, createdAt]),
    ),
    ...(await protectionDifferences(target, there.protections)),
  ];
  count.settings += there.featureTypes.length + there.frontendOrigins.length + there.banners.length;
  count.settings += there.protections.length;
  if (there.favorites.length === 0) return differences;
  count.settings += there.favorites.length;
  await readPeople(target, here);
  here.projects.push(...there.projects.map(withoutTime));
  await readFavorites(target, here, { features: [], projects: [] });
  const marked = new Set(here.favorites.map(favoriteText));
  for (const favorite of there.favorites)
    if (!marked.has(favoriteText(favorite))) differences.push(`${favoriteText(favorite)} is no favourite here`);
  return differences;
}

/** Removes the creation time. The import created the object later than its favourites, which would therefore be ignored. */
function withoutTime<T extends { readonly createdAt?: string }>({ createdAt: _then, ...rest }: T): T {
  return rest as T;
}

function favoriteText({ kind, name, email, username }: Holdings['favorites'][number]): string {
  return `${kind} ${name} of ${(email ?? username ?? '').toLowerCase()}`;
}

function unlike<T>(
  there: readonly T[],
  here: readonly T[],
  nameOf: (item: T) => string,
  keyOf: (item: T) => string = nameOf,
): string[] {
  const known = new Map(here.map((item) => [keyOf(item), item]));
  return there
    .map((item) => [item, known.get(keyOf(item))] as const)
    .filter(([item, own]) => !isDeepStrictEqual(item, own))
    .map(([item, own]) => `${nameOf(item)}: ${JSON.stringify(item)} there, ${JSON.stringify(own)} here`);
}
