import Type, { type Static } from 'typebox';
import { conflict, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import type { StateReader } from '../../../state/collections.ts';
import { deletedUserProblem } from '../../people/own-user.ts';
import { UserId } from '../../people/users/commands.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { jsonBytes, personalBytesProblem } from '../personal-bytes.ts';
import { SavedView } from './saved-view.ts';

export const ViewFields = writtenFields(SavedView, 'name', 'screen', 'query');
type ViewFields = Static<ReturnType<typeof Type.Object<typeof ViewFields>>>;

const ViewReference = { userId: UserId, id: SavedView.properties.id };

export const createSavedView = command({
  name: 'create-saved-view',
  input: Type.Object({ userId: UserId, ...ViewFields }),
  decide(context, { userId, name, screen, query }): SavedView | Rejection {
    const { draft, now } = context;
    const problem = deletedUserProblem(draft, userId);
    if (problem) return problem;
    const id = draft.next('savedViews');
    return putView(context, undefined, { id, userId, createdAt: now }, { name, screen, query });
  },
});

/** Replaces the name, the screen and the query of a view of the user. */
export const updateSavedView = command({
  name: 'update-saved-view',
  input: Type.Object({ ...ViewReference, ...ViewFields }),
  decide(context, { userId, id, name, screen, query }): SavedView | Rejection {
    const before = findView(context.draft, userId, id);
    return before instanceof Rejection ? before : putView(context, before, before, { name, screen, query });
  },
});

export const deleteSavedView = command({
  name: 'delete-saved-view',
  input: Type.Object(ViewReference),
  decide({ draft }, { userId, id }) {
    const found = findView(draft, userId, id);
    if (found instanceof Rejection) return found;
    draft.remove('savedViews', String(id));
    return undefined;
  },
});

/** The view, if it belongs to the user. */
export function findView(reader: StateReader, userId: number, id: number): SavedView | Rejection {
  const view = reader.get('savedViews', String(id));
  return view?.userId === userId ? view : notFound(`You have no saved view with the id ${id}.`);
}

/** The views of a user, in the order of creation. */
export function viewsOf(reader: StateReader, userId: number): SavedView[] {
  return [...reader.lookup('savedViewsByUser', String(userId))].sort((left, right) => left.id - right.id);
}

function putView(
  context: CommandContext,
  before: SavedView | undefined,
  { id, userId, createdAt }: Pick<SavedView, 'id' | 'userId' | 'createdAt'>,
  fields: ViewFields,
): SavedView | Rejection {
  const { draft, now } = context;
  const name = fields.name.trim();
  const { screen, query } = fields;
  const isTaken = viewsOf(draft, userId).some((view) => view.name === name && view.screen === screen && view.id !== id);
  if (isTaken) return conflict(`You have a view named ${name} of the screen ${screen} already.`);
  const bytes = jsonBytes({ name, screen, query });
  const problem = personalBytesProblem(context, bytes - (before?.bytes ?? 0));
  if (problem) return problem;
  const view: SavedView = { id, userId, name, screen, query, bytes, createdAt, updatedAt: now };
  draft.put('savedViews', view);
  return view;
}
