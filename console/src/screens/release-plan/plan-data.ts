import type { components } from '../../api/schema.d.ts';
import { api, stated, type Writing, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import type { Target } from '../../data/save.ts';

type Schemas = components['schemas'];
export type Plan = Schemas['releasePlanSchema'];
export type PlanMilestone = Schemas['releasePlanMilestoneSchema'];
export type Safeguard = Schemas['safeguardSchema'];
export type SafeguardBody = Schemas['createSafeguardSchema'];

const ENVIRONMENT = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
const PLAN = `${ENVIRONMENT}/release-plans/{planId}` as const;

const pathOf = ({ project, feature, environment }: Target) => ({
  projectId: project,
  featureName: feature,
  environment,
});

/** What a change of a plan shows differently. */
export const refreshed = ({ project, feature }: Target) => [keys.feature(project, feature)];

export const addPlan = (target: Target, templateId: string, reason: string): Writing<unknown> =>
  write<unknown>(
    api.POST(`${ENVIRONMENT}/release-plans`, {
      params: { path: pathOf(target) },
      headers: stated({ reason }),
      body: { templateId },
    }),
  );

const of = (target: Target, { id }: Plan, reason: string) => ({
  params: { path: { ...pathOf(target), planId: id } },
  headers: stated({ reason }),
});

export const removePlan = (target: Target, plan: Plan, reason: string): Writing<unknown> =>
  write<unknown>(api.DELETE(PLAN, of(target, plan, reason)));

export const startMilestone = (target: Target, plan: Plan, milestoneId: string, reason: string): Writing<unknown> => {
  const { params, headers } = of(target, plan, reason);
  const path = { ...params.path, milestoneId };
  return write<unknown>(api.POST(`${PLAN}/milestones/{milestoneId}/start`, { params: { path }, headers }));
};

/** The reason is also that of the pause, which the plan shows. */
export const pausePlan = (target: Target, plan: Plan, reason: string): Writing<unknown> =>
  write<unknown>(api.POST(`${PLAN}/pause`, { ...of(target, plan, reason), body: { reason: reason.trim() } }));

export const resumePlan = (target: Target, plan: Plan, reason: string): Writing<unknown> =>
  write<unknown>(api.POST(`${PLAN}/resume`, of(target, plan, reason)));

/** `minutes`: null if the next milestone shall not start by itself. */
export function setTime(target: Target, id: string, minutes: number | null, reason: string): Writing<unknown> {
  const options = { params: { path: { ...pathOf(target), id } }, headers: stated({ reason }) };
  if (minutes === null) return write<unknown>(api.DELETE(`${ENVIRONMENT}/progressions/{id}`, options));
  const body = { transitionCondition: { intervalMinutes: minutes } };
  return write<unknown>(api.PUT(`${ENVIRONMENT}/progressions/{id}`, { ...options, body }));
}

export const saveSafeguard = (target: Target, plan: Plan, body: SafeguardBody, reason: string): Writing<unknown> =>
  write<unknown>(api.PUT(`${PLAN}/safeguards`, { ...of(target, plan, reason), body }));

export const removeSafeguard = (target: Target, plan: Plan, safeguardId: string, reason: string): Writing<unknown> => {
  const { params, headers } = of(target, plan, reason);
  const path = { ...params.path, safeguardId };
  return write<unknown>(api.DELETE(`${PLAN}/safeguards/{safeguardId}`, { params: { path }, headers }));
};

export type MilestoneState = 'done' | 'active' | 'next' | 'later';

export const activeIndex = ({ milestones, activeMilestoneId }: Plan) =>
  milestones.findIndex(({ id }) => id === activeMilestoneId);

/** By its place beside the active milestone. */
export function stateOf(plan: Plan, index: number): MilestoneState {
  const active = activeIndex(plan);
  if (index < active) return 'done';
  if (index === active) return 'active';
  return index === active + 1 ? 'next' : 'later';
}

/** What the dialog of the plan is about: the address has it, as `environment~act~id`. */
export interface PlanAsk {
  readonly environment: string;
  readonly act: string;
  readonly id: string;
}

export function askOf(text: string): PlanAsk | null {
  const match = /^(.*)~([a-z]+)~([^~]*)$/.exec(text);
  return match ? { environment: match[1] ?? '', act: match[2] ?? '', id: match[3] ?? '' } : null;
}

export const askText = (environment: string, act: string, id = '') => `${environment}~${act}~${id}`;
