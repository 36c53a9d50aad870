import { invalid, Rejection } from '../../../base/rejection.ts';
import { comparable } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { type Favorite, favoriteKey } from '../../flags/favorites/favorite.ts';
import { lifetimeDaysOf } from '../../flags/types/commands.ts';
import type { Banner } from '../../instance/banners/banner.ts';
import { linkProblem } from '../../instance/banners/banners.ts';
import { FRONTEND_ORIGINS, plainOrigins } from '../../instance/frontend-origins.ts';
import type { Setting } from '../../instance/setting.ts';
import type { ImportRun } from './import-run.ts';
import type { Imported, TakeOverInput } from './input.ts';

/** Imports the expected lifetime of flags of a type. */
export function takeFeatureType(run: ImportRun, { id, lifetimeDays: taken }: Imported<'featureTypes'>): undefined {
  const before = { id, lifetimeDays: lifetimeDaysOf(run.context.draft, id) };
  const after = { id, lifetimeDays: taken === 0 ? null : taken };
  const putting = { kind: 'featureTypes', name: id, collection: 'featureTypes', before, after } as const;
  run.put(putting, { type: 'feature-type-updated' });
}

/**
 * Imports the origins whose pages may call the frontend API. `*` does not override the list of the environment variable of this instance: `*` is the
 * default at the source, so probably no admin chose it.
 */
export function takeFrontendOrigins(
  run: ImportRun,
  { origins: taken }: Imported<'frontendOrigins'>,
): Rejection | undefined {
  const origins = plainOrigins(taken);
  if (origins instanceof Rejection) return origins;
  const before = run.context.draft.get('settings', FRONTEND_ORIGINS);
  if (before === undefined && origins.join() === '*') return undefined;
  const after = { name: FRONTEND_ORIGINS, value: JSON.stringify(origins) };
  const name = origins.join(', ') || 'none';
  run.put(
    { kind: 'frontendOrigins', name, collection: 'settings', before, after },
    {
      type: before ? 'setting-updated' : 'setting-created',
      presented: ({ value }: Setting) => ({ name: FRONTEND_ORIGINS, frontendApiOrigins: JSON.parse(value) }),
    },
  );
  return undefined;
}

/** Imports a banner: a message to all users. */
export function takeBanner(
  run: ImportRun,
  taken: Imported<'banners'>,
  { banners = [] }: Pick<TakeOverInput, 'banners'>,
): Rejection | undefined {
  const { draft, now } = run.context;
  const { message, enabled = true, variant = 'info', sticky = false, createdAt } = taken;
  const { icon = null, link = null, linkText = null, dialogTitle = null, dialog = null } = taken;
  const problem = linkProblem(link);
  if (problem) return problem;
  const before = bannerOf(draft, taken, banners);
  const after: Banner = {
    ...{ id: before?.id ?? draft.next('banners'), message, enabled, variant, sticky },
    ...{ icon, link, linkText, dialogTitle, dialog, createdAt: createdAt ?? before?.createdAt ?? now },
  };
  const name = message.slice(0, NAME_CHARACTERS);
  const type = before ? 'banner-updated' : 'banner-created';
  run.put({ kind: 'banners', name, collection: 'banners', before, after }, { type });
  return undefined;
}

/** The length of the part of a banner's message that names the banner. */
const NAME_CHARACTERS = 60;

/**
 * The existing banner with the same message. If there are several, the banner with the same time or, if none has it, a banner that is not in the
 * input with its own time.
 */
function bannerOf(
  reader: StateReader,
  taken: Imported<'banners'>,
  presented: readonly Imported<'banners'>[],
): Banner | undefined {
  let other: Banner | undefined;
  for (const banner of reader.values('banners')) {
    if (banner.message !== taken.message) continue;
    if (banner.createdAt === taken.createdAt) return banner;
    const isLogged = presented.some(
      ({ message, createdAt }) => message === banner.message && createdAt === banner.createdAt,
    );
    if (!isLogged) other ??= banner;
  }
  return other;
}

/** Imports a favorite that a user of this instance has at the source. */
export function takeFavorite(run: ImportRun, taken: Imported<'favorites'>): Rejection | undefined {
  const { draft, now } = run.context;
  const { email, username, kind, name, createdAt } = taken;
  const who = email ?? username ?? '';
  const [user] = [
    ...(email ? draft.lookup('usersByEmail', comparable(email)) : []),
    ...(username ? draft.lookup('usersByUsername', comparable(username)) : []),
  ];
  if (!user) return invalid(`There is no user ${JSON.stringify(who)} here.`);
  const feature = kind === 'feature' ? draft.get('features', name) : undefined;
  const project = kind === 'feature' ? feature?.project : draft.get('projects', name)?.id;
  if (project === undefined) return invalid(`There is no ${kind === 'feature' ? 'flag' : 'project'} ${name} here.`);
  const before = draft.get('favorites', favoriteKey(user.id, kind, name));
  const after: Favorite = before ?? { userId: user.id, kind, name, createdAt: createdAt ?? now };
  run.put(
    { kind: 'favorites', name: `${name} of ${who}`, collection: 'favorites', before, after },
    {
      ...{ type: `${kind}-favorited`, project, ...(feature && { featureName: name }) },
      presented: ({ userId }: Favorite) => ({ userId, [kind]: name }),
    },
  );
  return undefined;
}
