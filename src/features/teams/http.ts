import type { FeatureHttp } from '../feature-module.ts';
import { resource } from '../shared/resource.ts';
import { Team } from './team.ts';

const teams = resource({
  collection: 'teams',
  noun: 'team',
  event: 'team',
  tag: 'Teams',
  path: '/api/admin/teams',
  key: 'name',
  entity: Team,
  defaults: { description: null },
  operations: {
    list: { permission: 'READ', summary: 'Every team', as: 'teams', version: true },
    get: { permission: 'READ', summary: 'One team', as: 'team' },
    create: { permission: 'ADMIN', summary: 'Creates a team' },
    update: { permission: 'ADMIN', summary: 'Changes the given properties of a team' },
    remove: { permission: 'ADMIN', summary: 'Deletes a team' },
  },
});

export const http: FeatureHttp = { endpoints: teams.endpoints };
