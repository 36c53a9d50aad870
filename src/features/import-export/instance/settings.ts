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
import type { Imported, InstanceImportInput } from './input.ts';

/** Imports the expected lifetime of flags of a type. */
export function importFeatureType(run: ImportRun, { id, lifetimeDays: imported }: Imported<'featureTypes'>): undefined {
  const before = { id, lifetimeDays: lifetimeDaysOf(run.context.draft, id) };
  const after = { id, lifetimeDays: imported === 0 ? null : imported };
  const change = { kind: 'featureTypes', name: id, collection: 'featureTypes', before, after } as const;
  run.put(change, { type: 'feature-type-updated' });
}

/**
 * Imports the origins whose pages may call the frontend API. `*` is the default of the source, so probably no admin chose it. Therefore `*` does not
 * override the environment variable of this instance.
 */
export function importFrontendOrigins(
  run: ImportRun,
  { origins: imported }: Imported<'frontendOrigins'>,
): Rejection | undefined {
  const origins = plainOrigins(imported);
  if (origins instanceof Rejection) return origins;
  const before = run.context.draft.get('settings', FRONTEND_ORIGINS);
  if (before === undefined && origins.join() === '*') return undefined;
  const after = { name: FRONTEND_ORIGINS, value: JSON.stringify(origins) };
  const name = origins.join(', ') || 'none';
  run.put(
    { kind: 'frontendOrigins', name, collection: 'settings', before, after },
    {
      type: before ? 'setting-updated' : 'setting-created',
      toEventData: ({ value }: Setting) => ({ name: FRONTEND_ORIGINS, frontendApiOrigins: JSON.parse(value) }),
    },
  );
  return undefined;
}

/** Imports a banner: a message to all users. */
export function importBanner(
  run: ImportRun,
  imported: Imported<'banners'>,
  { banners = [] }: Pick<InstanceImportInput, 'banners'>,
): Rejection | undefined {
  const { draft, now } = run.context;
  const { message, enabled = true, variant = 'info', sticky = false, createdAt } = imported;
  const { icon = null, link = null, linkText = null, dialogTitle = null, dialog = null } = imported;
  const problem = linkProblem(link);
  if (problem) return problem;
  const before = bannerOf(draft, imported, banners);
  const after: Banner = {
    id: before?.id ?? draft.next('banners'),
    message,
    enabled,
    variant,
    sticky,
    icon,
    link,
    linkText,
    dialogTitle,
    dialog,
    createdAt: createdAt ?? before?.createdAt ?? now,
  };
  const name = message.slice(0, NAME_LENGTH);
  const type = before ? 'banner-updated' : 'banner-created';
  run.put({ kind: 'banners', name, collection: 'banners', before, after }, { type });
  return undefined;
}

/** Length of the beginning of a banner's message that is shown as its name. */
const NAME_LENGTH = 60;

/**
 * The existing banner with the same message. If there are several, the banner with the same creation time or, if there is none, a banner that is not
 * itself in the input, with its own creation time.
 */
function bannerOf(
  reader: StateReader,
  imported: Imported<'banners'>,
  inputBanners: readonly Imported<'banners'>[],
): Banner | undefined {
  let other: Banner | undefined;
  for (const banner of reader.values('banners')) {
    if (banner.message !== imported.message) continue;
    if (banner.createdAt === imported.createdAt) return banner;
    const isInInput = inputBanners.some(
      ({ message, createdAt }) => message === banner.message && createdAt === banner.createdAt,
    );
    if (!isInInput) other ??= banner;
  }
  return other;
}

/** Imports a favorite that a user of this instance has at the source. */
export function importFavorite(run: ImportRun, imported: Imported<'favorites'>): Rejection | undefined {
  const { draft, now } = run.context;
  const { email, username, kind, name, createdAt } = imported;
  const who = email ?? username ?? '';
  const [user] = [
    ...(email ? draft.lookup('usersByEmail', comparable(email)) : []),
    ...(username ? draft.lookup('usersByUsername', comparable(username)) : []),
  ];
  if (!user) return invalid(`There is no user ${JSON.stringify(who)} in this instance.`);
  const feature = kind === 'feature' ? draft.get('features', name) : undefined;
  const project = kind === 'feature' ? feature?.project : draft.get('projects', name)?.id;
  if (project === undefined)
    return invalid(`There is no ${kind === 'feature' ? 'flag' : 'project'} ${name} in this instance.`);
  const before = draft.get('favorites', favoriteKey(user.id, kind, name));
  const after: Favorite = before ?? { userId: user.id, kind, name, createdAt: createdAt ?? now };
  run.put(
    { kind: 'favorites', name: `${name} of ${who}`, collection: 'favorites', before, after },
    {
      type: `${kind}-favorited`,
      project,
      ...(feature && { featureName: name }),
      toEventData: ({ userId }: Favorite) => ({ userId, [kind]: name }),
    },
  );
  return undefined;
}
