import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { Draft } from '../../../state/draft.ts';
import { deletedUserProblem } from '../../people/own-user.ts';
import { UserId } from '../../people/users/commands.ts';
import { findFeature, findProject } from '../../shared/lookup.ts';
import { type Favorite, type FavoriteKind, favoriteKey, favoritesOfKey } from './favorite.ts';

/** Marks a flag as a favourite of the user, or removes the mark. Does nothing when the mark is already set, or already removed. */
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
    const location = { project, featureName };
    return setMark(context, { userId, kind: 'feature', name: featureName }, isFavorite, location);
  },
});

/** Like `favorFeature`, for a project. */
export const favorProject = command({
  name: 'favor-project',
  input: Type.Object({ userId: UserId, project: NameReference, isFavorite: Type.Boolean() }),
  decide(context, { userId, project, isFavorite }) {
    const found = findProject(context.draft, project);
    if (found instanceof Rejection) return found;
    return setMark(context, { userId, kind: 'project', name: project }, isFavorite, { project });
  },
});

function setMark(
  { draft, now, emit }: CommandContext,
  mark: Omit<Favorite, 'createdAt'>,
  isFavorite: boolean,
  location: { readonly project: string; readonly featureName?: string },
): Rejection | undefined {
  const { userId, kind, name } = mark;
  const problem = deletedUserProblem(draft, userId);
  if (problem) return problem;
  const key = favoriteKey(userId, kind, name);
  if ((draft.get('favorites', key) !== undefined) === isFavorite) return undefined;
  if (isFavorite) draft.put('favorites', { ...mark, createdAt: now });
  else draft.remove('favorites', key);
  const target = kind === 'feature' ? { feature: name } : { project: name };
  emit({ ...location, type: isFavorite ? `${kind}-favorited` : `${kind}-unfavorited`, data: { userId, ...target } });
  return undefined;
}

/** Removes the marks on a deleted flag or project: a new flag or project with the same name must not inherit them. */
export function* forgetFavoritesOf(draft: Draft, kind: FavoriteKind, name: string): Steps<void> {
  for (const { userId } of [...draft.lookup('favoritesOf', favoritesOfKey(kind, name))]) {
    draft.remove('favorites', favoriteKey(userId, kind, name));
    yield;
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Returns the names of the flags or projects that the user marked as favourites. A caller that lists flags builds this set once per answer. Then each
 * flag of the answer costs one lookup in the set.
 */
export function favoriteNames(reader: StateReader, user: string | null, kind: FavoriteKind): ReadonlySet<string> {
  if (user === null || reader.count('favoritesByUser', user) === 0) return NO_NAMES;
  const names = new Set<string>();
  for (const favorite of reader.lookup('favoritesByUser', user)) if (favorite.kind === kind) names.add(favorite.name);
  return names;
}
