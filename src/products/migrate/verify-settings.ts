import { isDeepStrictEqual } from 'node:util';
import { readFavorites } from './favorites-reader.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { readPeople } from './people-reader.ts';
import { protectionDifferences } from './protections.ts';
import { readSettings } from './settings-reader.ts';

/**
 * Differences of the instance settings, the reviews and the favourites between source and target. Also counts the compared items.
 */
export async function settingDifferences(
  target: InstanceClient,
  there: Holdings,
  count: { settings: number },
): Promise<string[]> {
  // Flags and projects are those of the source: an object that is missing here has no favourites.
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

/** Without the creation time: favourites keep their time, but the flag was created here by the import. */
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
