import Type from 'typebox';
import { ok } from '../../http/answer.ts';
import { routesOf } from '../endpoint.ts';
import { change } from '../shared/change.ts';
import { CloneFields, cloneEnvironment as cloneEnvironmentCommand } from './clone.ts';
import { environmentFields } from './present.ts';
import { EnvironmentSchema } from './schemas.ts';

const route = routesOf('Environments');

const cloneEnvironment = route('POST /api/admin/environments/:name/clone', {
  operationId: 'cloneEnvironment',
  access: { permission: 'CREATE_ENVIRONMENT' },
  summary: 'Creates a copy of an environment, with the configuration of flags in it',
  description:
    'The caller needs the permission UPDATE_PROJECT in every project that gets the new environment. Everything is copied, or nothing.',
  body: Type.Object(CloneFields, { $id: 'cloneEnvironment' }),
  responses: { 200: { description: 'The new environment', schema: EnvironmentSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const { name, type, projects, clonePermissions } = body;
    const input = { source: params.name, name, type, projects, clonePermissions };
    return change(services, caller, cloneEnvironmentCommand, input, (environment) =>
      ok(environmentFields(environment)),
    );
  },
});

export const environmentCloneEndpoints = [cloneEnvironment];
