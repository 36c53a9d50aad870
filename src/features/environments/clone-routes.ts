import Type from 'typebox';
import { ok } from '../../http/answer.ts';
import { routesOf } from '../endpoint.ts';
import { change } from '../shared/change.ts';
import { CloneFields, cloneEnvironment as cloneCommand } from './clone.ts';
import { environmentFields } from './present.ts';
import { EnvironmentSchema } from './schemas.ts';

const route = routesOf('Environments');

const cloneEnvironment = route('POST /api/admin/environments/:name/clone', 'cloneEnvironment', {
  access: { permission: 'CREATE_ENVIRONMENT' },
  summary: 'Creates a copy of an environment, with the configuration that flags of the projects have in it',
  description: 'Requires UPDATE_PROJECT in every project that gets the environment. Everything is copied, or nothing.',
  body: Type.Object(CloneFields, { $id: 'cloneEnvironment' }),
  responses: { 200: { description: 'The new environment', schema: EnvironmentSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const { name, type, projects, clonePermissions } = body;
    const input = { source: params.name, name, type, projects, clonePermissions };
    return change(services, caller, cloneCommand, input, (environment) => ok(environmentFields(environment)));
  },
});

export const environmentCloneEndpoints = [cloneEnvironment];
