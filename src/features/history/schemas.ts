import Type from 'typebox';
import { ENVIRONMENT_LIMITS } from '../../model/limits/environments.ts';
import { DateTime, NameReference, Nullable } from '../../model/primitives.ts';
import { DraftChoice } from '../change-requests/commands.ts';
import { HISTORY_TYPES } from '../shared/recorded.ts';
import { UNDO_MAX } from './undo.ts';

const HistoryField = Type.Object({
  path: Type.String({
    description:
      'The field, as a JSON pointer. Strategies and links are named by their ids, variants by their names. `#order` is the order of a list. An empty ' +
      'path is the whole object',
  }),
  before: Type.Optional(Type.Unknown({ description: 'The value before the change; missing if there was none' })),
  after: Type.Optional(Type.Unknown({ description: 'The value after the change; missing if there is none' })),
});

const Change = {
  type: Type.Enum(HISTORY_TYPES, { description: 'What was changed' }),
  id: Type.String({ description: 'Its name or id' }),
  project: Nullable(Type.String({ description: 'The project that contains it; null if it belongs to none' })),
  environment: Nullable(
    Type.String({
      description: 'The environment whose settings were changed; null if the change concerns all or none',
    }),
  ),
};

const HistoryChangeSchema = Type.Object(
  {
    ...Change,
    name: Type.Optional(
      Nullable(
        Type.String({
          description:
            'The name by which people know it: of a role, a group, a segment, a project or a banner, of a member with the group, of the holder of ' +
            'access to a project. Null if it is known by its id, or gone',
        }),
      ),
    ),
    kind: Type.Enum(['created', 'changed', 'deleted'], { description: 'What happened' }),
    fields: Type.Array(HistoryField, { description: 'The fields that differ' }),
  },
  { $id: 'historyChange' },
);

const More = Type.Boolean({ description: 'Whether there are more changes than the answer lists' });

export const HistorySchema = Type.Object(
  {
    entries: Type.Array(
      Type.Object(
        {
          revision: Type.Integer({ description: 'The number of the commit' }),
          at: { ...DateTime, description: 'When it was made' },
          author: Type.Object(
            {
              id: Nullable(Type.Integer({ description: 'Id of the user; null if no user made the change' })),
              name: Type.String({ description: 'Name of the author at that time' }),
            },
            { description: 'Who made the commit' },
          ),
          reason: Nullable(Type.String({ description: 'The reason that the author stated; null if there is none' })),
          types: Type.Array(Type.String({ description: 'Types of the events of the commit' })),
          changes: Type.Array(HistoryChangeSchema, {
            description: 'What the commit changed, as far as it belongs to the history',
          }),
          more: More,
        },
        { $id: 'historyEntry' },
      ),
      { description: 'The commits, newest first' },
    ),
    next: Nullable(
      Type.Integer({ description: 'For the next page, set `before` to this revision; null on the last page' }),
    ),
  },
  { $id: 'history' },
);

export const DifferenceSchema = Type.Object(
  {
    from: Type.Integer({ description: 'The revision of the first moment' }),
    to: Type.Integer({ description: 'The revision of the second moment' }),
    changes: Type.Array(HistoryChangeSchema, { description: 'What differs, by type and id' }),
    more: More,
  },
  { $id: 'historyDifference' },
);

const UNDO_SELECTION = {
  entities: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Enum(HISTORY_TYPES, { description: 'Kind of the object' }),
        id: Type.String({ minLength: 1, maxLength: 250, description: 'Its name or id, as in histories' }),
      }),
      { minItems: 1, maxItems: UNDO_MAX, description: 'Undo only the changes of these. Default: of everything' },
    ),
  ),
  environments: Type.Optional(
    Type.Array(NameReference, {
      minItems: 1,
      maxItems: ENVIRONMENT_LIMITS.environments.max,
      description: 'Of flags, undo only the settings in these environments. Default: everything',
    }),
  ),
};

export const UndoRevision = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000_000,
  description: 'The number of the commit',
});

/** An undo that is tried, not made. */
export const TriedUndo = Type.Object({ revision: UndoRevision, ...UNDO_SELECTION });

export const UndoBody = Type.Object(
  {
    ...UNDO_SELECTION,
    changeRequest: Type.Optional(
      Type.Object(
        {
          environment: { ...NameReference, description: 'The environment whose settings are undone' },
          project: Type.Optional({
            ...NameReference,
            description: 'Id of the project of the change request. Needed if only segments are undone',
          }),
          draft: Type.Optional(DraftChoice),
        },
        { description: 'Adds the undo to a draft change request of the environment, instead of doing it' },
      ),
    ),
  },
  { $id: 'undo' },
);

export const UndoneSchema = Type.Object(
  {
    undone: Type.Integer({
      description: 'Number of objects that changed; 0 if they already were as before',
    }),
    changeRequest: Nullable(Type.Integer({ description: 'Id of the change request; null if there is none' })),
    left: Type.Array(
      Type.Object({
        event: Type.String({ description: 'Type of the event of the commit' }),
        reason: Type.String({ description: 'Why an undo does not restore this' }),
      }),
      { description: 'What stays as the commit left it, because it is never restored' },
    ),
  },
  { $id: 'undone' },
);
