import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { takeOver } from './commands.ts';
import { IMPORTED_MAX, TakeOverInput } from './input.ts';

const route = routesOf('Import/Export');

const ImportedInstance = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'The list of the request that contains it' }),
        name: Type.String({ description: 'Its name or id; for a token, never the secret' }),
        outcome: Type.Enum(['created', 'changed', 'refused'], { description: 'The result' }),
        changed: Type.Optional(Type.Array(Type.String(), { description: 'Names of the properties that differed' })),
        reason: Type.Optional(Type.String({ description: 'The rule that it breaks' })),
      }),
      { description: 'Things that were created, changed or refused' },
    ),
    unchanged: Type.Integer({ description: 'How many things did not change' }),
  },
  { $id: 'takenOver' },
);

const takeOverPart = route('POST /api/admin/take-over', 'takeOver', {
  access: { permission: 'ADMIN' },
  summary: 'Imports the content of another instance',
  description:
    'Creates or replaces projects, environments, context fields, tag types, custom strategies, segments, flags (also archived ones), API tokens, ' +
    'lifetimes of flag types, frontend origins, banners and favourites, with their ids, times and secrets. Things that are not in the request stay as ' +
    'they are. A thing that breaks a rule is not imported and is reported with the rule; the others are imported. ' +
    `At most ${IMPORTED_MAX} things at once, of all kinds together. ` +
    '`burgee migrate` calls it (docs/from-unleash.md).',
  body: TakeOverInput,
  bodyLimit: 'import',
  responses: { 200: { description: 'The result', schema: ImportedInstance } },
  handle: ({ body, caller }, services) => change(services, caller, takeOver, body, (outcome) => ok(outcome)),
});

export const takeOverEndpoints = [takeOverPart];
