import Type from 'typebox';
import { done, ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { isInMaintenance } from '../../shared/maintenance.ts';
import { setMaintenance } from './commands.ts';

const route = routesOf('Maintenance');

const Enabled = Type.Boolean({ description: 'Whether changes are refused' });

const getMaintenance = route('GET /api/admin/maintenance', 'getMaintenance', {
  access: { permission: 'READ' },
  summary: 'Whether the service is in maintenance',
  responses: {
    200: { description: 'The state of maintenance', schema: Type.Object({ enabled: Enabled }, { $id: 'maintenance' }) },
  },
  handle: (_request, { state }) => ok({ enabled: isInMaintenance(state) }),
});

const toggleMaintenance = route('POST /api/admin/maintenance', 'toggleMaintenance', {
  access: { permission: 'ADMIN' },
  summary: 'Switches maintenance on or off',
  description:
    'In maintenance, reads and evaluations work as usual, users can sign on and off, and changes over the admin API get 503. It applies ' +
    'to every replica, and stays on after a restart.',
  body: Type.Object({ enabled: Enabled }, { $id: 'toggleMaintenance' }),
  responses: { 204: { description: 'Done' } },
  handle: ({ body: { enabled }, caller }, services) =>
    change(services, caller, setMaintenance, { enabled }, () => done(204)),
});

export const maintenanceEndpoints = [getMaintenance, toggleMaintenance];
