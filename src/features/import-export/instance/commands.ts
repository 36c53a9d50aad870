import { invalid, type Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { longCommand } from '../../../engine/command.ts';
import { importAddon, nameOfAddon } from './addons.ts';
import { importApiToken } from './api-tokens.ts';
import { importFeatures } from './flags.ts';
import { ImportRun } from './import-run.ts';
import {
  IMPORTED_MAX,
  type Imported,
  type ImportedKind,
  InstanceImportInput,
  type ItemResult,
  itemCount,
} from './input.ts';
import {
  importContextField,
  importEnvironment,
  importProject,
  importStrategyType,
  importTag,
  importTagType,
} from './projects-and-types.ts';
import { importBanner, importFavorite, importFeatureType, importFrontendOrigins } from './settings.ts';
import { importDefaultStrategy, importSegment } from './strategies.ts';

/** The result of an import. Items of the input that are not in `items` did not change. */
interface InstanceImportResult {
  readonly items: readonly ItemResult[];
  readonly unchanged: number;
}

/**
 * Imports items (projects, flags, tokens and so on) of another instance. Missing items are created, and items that differ are replaced. The input
 * contains ids, times, secrets and whether an item is archived: no other command accepts these from its caller. Items that are not in the input stay.
 * An item that breaks a rule is not imported and is reported with the rule; all other items are imported. Only for admins.
 */
export const takeOver = longCommand({
  name: 'take-over',
  input: InstanceImportInput,
  *decide(context, input) {
    const count = itemCount(input);
    if (count > IMPORTED_MAX)
      return invalid(
        `A request may contain at most ${IMPORTED_MAX} items, but this one contains ${count}: send several requests.`,
      );
    const run = new ImportRun(context);
    for (const kind of FIRST_KINDS) {
      for (const item of input[kind] ?? []) {
        yield* run.importItem(kind, nameOfItem(kind, item), () => IMPORTERS[kind](run, item as never, input));
        yield;
      }
    }
    yield* importFeatures(run, input);
    for (const token of input.apiTokens ?? []) {
      yield* run.importItem('apiTokens', nameOfItem('apiTokens', token), () => importApiToken(run, token));
      yield;
    }
    for (const kind of LAST_KINDS) {
      for (const item of input[kind] ?? []) {
        yield* run.importItem(kind, nameOfItem(kind, item), () => IMPORTERS[kind](run, item as never, input));
        yield;
      }
    }
    return { items: run.items, unchanged: run.unchanged } satisfies InstanceImportResult;
  },
});

/** The kinds that are imported before flags and tokens, because flags and tokens refer to them. */
const FIRST_KINDS = [
  'environments',
  'projects',
  'contextFields',
  'tagTypes',
  'tags',
  'strategyTypes',
  'segments',
  'defaultStrategies',
] as const satisfies readonly ImportedKind[];

/** The kinds that are imported last: settings of the whole instance, and favourites, which refer to flags and projects. */
const LAST_KINDS = [
  'featureTypes',
  'frontendOrigins',
  'banners',
  'addons',
  'favorites',
] as const satisfies readonly ImportedKind[];

type Importer<K extends ImportedKind> = (
  run: ImportRun,
  item: Imported<K>,
  input: InstanceImportInput,
) => Rejection | undefined | Steps<Rejection | undefined>;

const IMPORTERS: { readonly [K in (typeof FIRST_KINDS)[number] | (typeof LAST_KINDS)[number]]: Importer<K> } = {
  environments: importEnvironment,
  projects: importProject,
  contextFields: importContextField,
  tagTypes: importTagType,
  tags: importTag,
  strategyTypes: importStrategyType,
  segments: importSegment,
  defaultStrategies: importDefaultStrategy,
  featureTypes: importFeatureType,
  frontendOrigins: importFrontendOrigins,
  banners: importBanner,
  addons: importAddon,
  favorites: importFavorite,
};

/** The name of an item in the result, for people. */
function nameOfItem<K extends ImportedKind>(kind: K, item: Imported<K>): string {
  const { id, name, tokenName, type, value, environment, project, message, origins, email, username } =
    item as Readonly<Record<string, string>>;
  if (kind === 'projects' || kind === 'featureTypes') return id ?? '';
  if (kind === 'tags') return `${type}:${value}`;
  if (kind === 'apiTokens') return `${tokenName} (${type}, ${environment})`;
  if (kind === 'addons') return nameOfAddon(item as Imported<'addons'>);
  if (kind === 'banners') return (message ?? '').slice(0, 60);
  if (kind === 'frontendOrigins') return String(origins);
  if (kind === 'favorites') return `${name} of ${email ?? username}`;
  return kind === 'defaultStrategies' ? `${project}/${environment}` : (name ?? '');
}
