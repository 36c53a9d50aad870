import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { Draft } from '../../../state/draft.ts';
import { goneProblem } from '../../people/own-user.ts';
import { UserId } from '../../people/users/commands.ts';
import { findFeature, findProject } from '../../shared/lookup.ts';
import { type Favorite, type FavoriteKind, favoredKey, favoriteKey } from './favorite.ts';

/** Marks a flag as a favourite of the user, or takes the mark off. A mark that is there already, or gone already, stays so. */
export const favorFeature = command({
  name: 'favor-feature',
  input: Type.Object({
    userId: UserId,
    project: NameReference,
    featureName: NameReference,
    isFavorite: Type.Boolean(),
  }),
  decide(context, { userId, project, featureName, isFavorite }) {
    const feature = findFeature(context.draft, project, featureName, 'any');
    if (feature instanceof Rejection) return feature;
    const where = { project, featureName };
    return mark(context, { userId, kind: 'feature', name: featureName }, isFavorite, where);
  },
});

/** As `favorFeature`, of a project. */
export const favorProject = command({
  name: 'favor-project',
  input: Type.Object({ userId: UserId, project: NameReference, isFavorite: Type.Boolean() }),
  decide(context, { userId, project, isFavorite }) {
    const found = findProject(context.draft, project);
    if (found instanceof Rejection) return found;
    return mark(context, { userId, kind: 'project', name: project }, isFavorite, { project });
  },
});

function mark(
  { draft, now, emit }: CommandContext,
  which: Omit<Favorite, 'createdAt'>,
  isFavorite: boolean,
  where: { readonly project: string; readonly featureName?: string },
): Rejection | undefined {
  const { userId, kind, name } = which;
  const gone = goneProblem(draft, userId);
  if (gone) return gone;
  const key = favoriteKey(userId, kind, name);
  if ((draft.get('favorites', key) !== undefined) === isFavorite) return undefined;
  if (isFavorite) draft.put('favorites', { ...which, createdAt: now });
  else draft.remove('favorites', key);
  const told = kind === 'feature' ? { feature: name } : { project: name };
  emit({ ...where, type: isFavorite ? `${kind}-favorited` : `${kind}-unfavorited`, data: { userId, ...told } });
  return undefined;
}

/** What is gone is nobody's favourite: something new of its name would be taken for it. */
export function* forgetFavoritesOf(draft: Draft, kind: FavoriteKind, name: string): Steps<void> {
  for (const { userId } of [...draft.lookup('favoritesOf', favoredKey(kind, name))]) {
    draft.remove('favorites', favoriteKey(userId, kind, name));
    yield;
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * The names of what the user marked. Gathered once for an answer, however many flags it tells of: they are bounded, and so each of the flags costs
 * one look into a set.
 */
export function favoriteNames(reader: StateReader, user: string | null, kind: FavoriteKind): ReadonlySet<string> {
  if (user === null || reader.count('favoritesByUser', user) === 0) return NOTHING;
  const names = new Set<string>();
  for (const favorite of reader.lookup('favoritesByUser', user)) if (favorite.kind === kind) names.add(favorite.name);
  return names;
}
