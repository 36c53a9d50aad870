import Type from 'typebox';
import { byText } from '../../../base/lists/sorted.ts';
import { notFound, Rejection } from '../../../base/rejection.ts';
import { isSameJson } from '../../../base/same-json.ts';
import { command } from '../../../engine/command.ts';
import { UrlSafeName } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { deletedUserProblem } from '../../people/own-user.ts';
import { UserId } from '../../people/users/commands.ts';
import { limitRejection } from '../../shared/limit-checks.ts';
import { jsonBytes, personalBytesProblem } from '../personal-bytes.ts';
import { type Preference, preferenceKey } from './preference.ts';

/** Stores the value. Does nothing if the value is stored already. */
export const setPreference = command({
  name: 'set-preference',
  input: Type.Object({ userId: UserId, key: UrlSafeName, value: Type.Unknown() }),
  decide(context, { userId, key, value }): Preference | Rejection {
    const { draft, now, limits } = context;
    const problem = deletedUserProblem(draft, userId);
    if (problem) return problem;
    const before = draft.get('preferences', preferenceKey(userId, key));
    if (before && isSameJson(before.value, value)) return before;
    const bytes = jsonBytes(value);
    if (bytes > limits.preferenceBytes)
      return limitRejection(`The preference ${key}`, 'preferenceBytes', bytes, limits);
    const sizeProblem = personalBytesProblem(context, bytes - (before?.bytes ?? 0));
    if (sizeProblem) return sizeProblem;
    const preference: Preference = { userId, key, value, bytes, updatedAt: now };
    draft.put('preferences', preference);
    return preference;
  },
});

export const deletePreference = command({
  name: 'delete-preference',
  input: Type.Object({ userId: UserId, key: UrlSafeName }),
  decide({ draft }, { userId, key }) {
    const found = findPreference(draft, userId, key);
    if (found instanceof Rejection) return found;
    draft.remove('preferences', preferenceKey(userId, key));
    return undefined;
  },
});

export function findPreference(reader: StateReader, userId: number, key: string): Preference | Rejection {
  return reader.get('preferences', preferenceKey(userId, key)) ?? notFound(`You have no preference ${key}.`);
}

/** The preferences of a user, sorted by key. */
export function preferencesOf(reader: StateReader, userId: number): Preference[] {
  return [...reader.lookup('preferencesByUser', String(userId))].sort((left, right) => byText(left.key, right.key));
}
