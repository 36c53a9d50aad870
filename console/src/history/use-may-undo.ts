import { type MayNot, useMe } from '../data/may.ts';
import { undo as words } from '../words/en/undo.ts';

/**
 * Which permissions an undo needs depends on all that the commit changed, and only the server knows it: its refusal names the missing permission.
 * A person without any permission can undo nothing.
 */
export function useMayUndo(): MayNot {
  const { data } = useMe();
  return data === undefined || data.permissions.length > 0 ? undefined : words.noPermission;
}
