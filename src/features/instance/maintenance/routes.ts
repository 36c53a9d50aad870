import Type from 'typebox';
import { done, ok } from '../../../http/answer.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { isInMaintenance, setMaintenance } from './commands.ts';

const Enabled = Type.Boolean({ description: 'Whether changes are refused' });

const getMaintenance = endpoint({
  operationId: 'getMaintenance',
  method: 'get',
  path: '/api/admin/maintenance',
  tag: 'Maintenance',
  access: { permission: 'READ' },
  summary: 'Whether the service is in maintenance',
  responses: {
    200: { description: 'Whether it is', schema: Type.Object({ enabled: Enabled }, { $id: 'maintenance' }) },
  },
  errors: [],
  handle: (_request, { state }) => ok({ enabled: isInMaintenance(state) }),
});

const toggleMaintenance = endpoint({
  operationId: 'toggleMaintenance',
  method: 'post',
  path: '/api/admin/maintenance',
  tag: 'Maintenance',
  access: { permission: 'ADMIN' },
  summary: 'Switches maintenance on or off',
  description:
    'In maintenance everything is read and evaluated as ever, people sign on and off, and changes over the admin API are told 503. On every replica, and after a ' +
    'restart.',
  body: Type.Object({ enabled: Enabled }, { $id: 'toggleMaintenance' }),
  responses: { 204: { description: 'Done' } },
  errors: [400],
  handle({ body: { enabled }, caller }, services) {
    return change(services, caller, setMaintenance, { enabled }, () => done(204));
  },
});

export const maintenanceEndpoints = [getMaintenance, toggleMaintenance];
