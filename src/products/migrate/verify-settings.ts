import { isDeepStrictEqual } from 'node:util';
import { readFavorites } from './favorites-reader.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { readPeople } from './people-reader.ts';
import { protectionDifferences } from './protections.ts';
import { readSettings } from './settings-reader.ts';

/**
 * What is said of the whole instance, where changes are reviewed, and what people marked: what of it is not here as it is there. Beside it this counts what was compared.
 */
export async function settingDifferences(
  target: InstanceClient,
  there: Holdings,
  count: { settings: number },
): Promise<string[]> {
  // Flags and projects are those of the source: what is not here has no favourites to be found.
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

/** A favourite is as old here as there; the flag that is marked is here since it was taken. */
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
