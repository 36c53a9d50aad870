import type { EventWords } from '../../model/event.ts';
import { limit } from '../../model/limits.ts';
import { feature } from '../feature-module.ts';
import { teams } from './team.ts';

const TEAM_LIMITS = { teams: limit('teams', 100, 1_000, 'TEAMS_LIMIT', { counts: 'teams' }) };

const TEAM_EVENTS = {
  'team-created': ['Team created', 'created the team {what}'],
  'team-updated': ['Team changed', 'changed the team {what}'],
  'team-deleted': ['Team deleted', 'deleted the team {what}'],
} as const satisfies EventWords;

type TeamLimits = typeof TEAM_LIMITS;
type TeamEvents = typeof TEAM_EVENTS;

declare module '../../model/limits.ts' {
  interface LimitTable extends TeamLimits {}
}

declare module '../../model/event.ts' {
  interface EventTable extends TeamEvents {}
}

export const teamsFeature = feature({
  name: 'teams',
  collections: { teams },
  events: TEAM_EVENTS,
  limits: TEAM_LIMITS,
  http: async () => (await import('./http.ts')).http,
});
