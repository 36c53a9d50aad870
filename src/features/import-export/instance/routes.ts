import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { takeOver } from './commands.ts';
import { TAKEN_MAX, TakeOverInput } from './input.ts';

const route = routesOf('Import/Export');

const TakenOver = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'The list of the request that it is of' }),
        name: Type.String({ description: 'Its name, or id; of a token never the secret' }),
        outcome: Type.Enum(['created', 'changed', 'refused'], { description: 'What became of it' }),
        changed: Type.Optional(Type.Array(Type.String(), { description: 'Names of the properties that differed' })),
        reason: Type.Optional(Type.String({ description: 'The rule that it breaks' })),
      }),
      { description: 'What was not so before' },
    ),
    unchanged: Type.Integer({ description: 'How many things were so before' }),
  },
  { $id: 'takenOver' },
);

const takeOverPart = route('POST /api/admin/take-over', {
  operationId: 'takeOver',
  access: { permission: 'ADMIN' },
  summary: 'Takes over what another instance holds',
  description:
    'Makes projects, environments, context fields, tag types, custom strategies, segments, flags, API tokens, lifetimes of flag types, frontend origins, ' +
    'banners and favourites be as they are told, with their ids, times and secrets, archived flags included; what is so already is left alone, and so is what is here and not in the request. What breaks a rule is told with the rule, and the others are ' +
    `taken. At most ${TAKEN_MAX} things at once, of all kinds together. ` +
    '`burgee migrate` calls it (docs/from-unleash.md).',
  body: TakeOverInput,
  bodyLimit: 'import',
  responses: { 200: { description: 'What became of it', schema: TakenOver } },
  handle({ body, caller }, services) {
    return change(services, caller, takeOver, body, (outcome) => ok(outcome));
  },
});

export const takeOverEndpoints = [takeOverPart];
