import { invalid, type Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { longCommand } from '../../../engine/command.ts';
import { takeApiToken } from './api-tokens.ts';
import { takeFeatures } from './flags.ts';
import { ImportRun } from './import-run.ts';
import {
  IMPORTED_MAX,
  type Imported,
  type ImportedInstance,
  type ImportedKind,
  TakeOverInput,
  thingsIn,
} from './input.ts';
import { takeBanner, takeFavorite, takeFeatureType, takeFrontendOrigins } from './settings.ts';
import { takeDefaultStrategy, takeSegment } from './strategies.ts';
import { takeContextField, takeEnvironment, takeProject, takeStrategyType, takeTag, takeTagType } from './things.ts';

/** The result of an import. Things that are not in `items` did not change. */
interface TakeOverOutcome {
  readonly items: readonly ImportedInstance[];
  readonly unchanged: number;
}

/**
 * Imports things of another instance. Missing things are created, and things that differ are replaced. The input contains ids, times, secrets and
 * whether a thing is archived: no other command accepts these from its caller. Things that are not in the input stay. A thing that breaks a rule is
 * not imported and is reported with the rule; the other things are imported. Only for admins.
 */
export const takeOver = longCommand({
  name: 'take-over',
  input: TakeOverInput,
  *decide(context, input) {
    const count = thingsIn(input);
    if (count > IMPORTED_MAX)
      return invalid(
        `At most ${IMPORTED_MAX} things can be imported at once, and these are ${count}: send them in parts.`,
      );
    const run = new ImportRun(context);
    for (const kind of ORDER) {
      for (const thing of input[kind] ?? []) {
        yield* run.take(kind, nameOf(kind, thing), () => TAKE[kind](run, thing as never, input));
        yield;
      }
    }
    yield* takeFeatures(run, input);
    for (const token of input.apiTokens ?? []) {
      yield* run.take('apiTokens', nameOf('apiTokens', token), () => takeApiToken(run, token));
      yield;
    }
    for (const kind of LAST) {
      for (const thing of input[kind] ?? []) {
        yield* run.take(kind, nameOf(kind, thing), () => TAKE[kind](run, thing as never, input));
        yield;
      }
    }
    return { items: run.items, unchanged: run.unchanged } satisfies TakeOverOutcome;
  },
});

/** The kinds that are imported before flags and tokens, because flags and tokens refer to them. */
const ORDER = [
  'environments',
  'projects',
  'contextFields',
  'tagTypes',
  'tags',
  'strategyTypes',
  'segments',
  'defaultStrategies',
] as const satisfies readonly ImportedKind[];

/** The kinds that are imported last: settings of the whole instance, and things that refer to other things. */
const LAST = ['featureTypes', 'frontendOrigins', 'banners', 'favorites'] as const satisfies readonly ImportedKind[];

type Take<K extends ImportedKind> = (
  run: ImportRun,
  thing: Imported<K>,
  input: TakeOverInput,
) => Rejection | undefined | Steps<Rejection | undefined>;

const TAKE: { readonly [K in (typeof ORDER)[number] | (typeof LAST)[number]]: Take<K> } = {
  environments: takeEnvironment,
  projects: takeProject,
  contextFields: takeContextField,
  tagTypes: takeTagType,
  tags: takeTag,
  strategyTypes: takeStrategyType,
  segments: takeSegment,
  defaultStrategies: takeDefaultStrategy,
  featureTypes: takeFeatureType,
  frontendOrigins: takeFrontendOrigins,
  banners: takeBanner,
  favorites: takeFavorite,
};

/** The name of a thing, as the result shows it to people. */
function nameOf<K extends ImportedKind>(kind: K, thing: Imported<K>): string {
  const { id, name, tokenName, type, value, environment, project, message, origins, email, username } =
    thing as Readonly<Record<string, string>>;
  if (kind === 'projects' || kind === 'featureTypes') return id ?? '';
  if (kind === 'tags') return `${type}:${value}`;
  if (kind === 'apiTokens') return `${tokenName} (${type}, ${environment})`;
  if (kind === 'banners') return (message ?? '').slice(0, 60);
  if (kind === 'frontendOrigins') return String(origins);
  if (kind === 'favorites') return `${name} of ${email ?? username}`;
  return kind === 'defaultStrategies' ? `${project}/${environment}` : (name ?? '');
}
