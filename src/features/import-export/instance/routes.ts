import Type from 'typebox';
import { convertedInSteps } from '../../../base/converted.ts';
import { ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { takeOver } from './commands.ts';
import { IMPORTED_MAX, InstanceImportInput } from './input.ts';

const route = routesOf('Import/Export', { mend: convertedInSteps });

const InstanceImportResult = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'Name of the list of the request that contains the item' }),
        name: Type.String({ description: 'Name or id of the item; for a token, never the secret' }),
        outcome: Type.Enum(['created', 'changed', 'refused'], { description: 'The result' }),
        changed: Type.Optional(Type.Array(Type.String(), { description: 'Names of the properties that differed' })),
        reason: Type.Optional(Type.String({ description: 'The rule that a refused item breaks' })),
      }),
      { description: 'Items that were created, changed or refused' },
    ),
    unchanged: Type.Integer({ description: 'Number of items that did not change' }),
  },
  { $id: 'takenOver' },
);

const importInstanceRoute = route('POST /api/admin/take-over', 'takeOver', {
  access: { permission: 'ADMIN' },
  summary: 'Imports the content of another instance',
  description:
    'Creates or replaces projects, environments, context fields, tag types, custom strategies, segments, flags (also archived ones), API tokens, ' +
    'lifetimes of flag types, frontend origins, banners and favourites, with their ids, times and secrets. Items that are not in the request ' +
    'do not change. An item that breaks a rule is not imported and is reported with the rule; all other items are imported. ' +
    `At most ${IMPORTED_MAX} items in one request, of all kinds together. ` +
    'Used by `burgee migrate` (docs/move-in/from-unleash.md).',
  body: InstanceImportInput,
  bodyLimit: 'import',
  responses: { 200: { description: 'The result', schema: InstanceImportResult } },
  handle: ({ body, caller }, services) => change(services, caller, takeOver, body, (outcome) => ok(outcome)),
});

export const instanceImportEndpoints = [importInstanceRoute];
