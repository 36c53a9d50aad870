import type { components } from '../api/schema.d.ts';
import { api, stated, type Writing, write } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import type { Target } from '../data/save.ts';
import type { EnvironmentSettings, StrategyDraft } from '../domain/model.ts';

type Schemas = components['schemas'];
export type Plan = Schemas['releasePlanSchema'];
export type PlanMilestone = Schemas['releasePlanMilestoneSchema'];
export type Safeguard = Schemas['safeguardSchema'];
export type SafeguardBody = Schemas['createSafeguardSchema'];
export type SafeguardCheck = Schemas['safeguardCheckSchema'];

const ENVIRONMENT = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
const PLAN = `${ENVIRONMENT}/release-plans/{planId}` as const;

const pathOf = ({ project, feature, environment }: Target) => ({
  projectId: project,
  featureName: feature,
  environment,
});

/** What a change of a plan shows differently. */
export const refreshed = ({ project, feature }: Target) => [
  keys.feature(project, feature),
  keys.featureOf(feature, 'safeguards'),
];

export const addPlan = (target: Target, templateId: string, reason: string): Writing<unknown> =>
  write<unknown>(
    api.POST(`${ENVIRONMENT}/release-plans`, {
      params: { path: pathOf(target) },
      headers: stated({ reason }),
      body: { templateId },
    }),
  );

/** The strategies of the environment that do not belong to the plan. */
export function ownStrategies({ strategies }: EnvironmentSettings, plan: Plan | undefined): readonly StrategyDraft[] {
  const planned = new Set(plan?.milestones.flatMap((one) => one.strategies.map(({ id }) => id)));
  return strategies.filter(({ id }) => !planned.has(id));
}

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

/** A safeguard of the plan; without a plan, of the flag in the environment. */
export function saveSafeguard(
  target: Target,
  plan: Plan | undefined,
  body: SafeguardBody,
  reason: string,
): Writing<unknown> {
  if (plan) return write<unknown>(api.PUT(`${PLAN}/safeguards`, { ...of(target, plan, reason), body }));
  const params = { path: pathOf(target) };
  return write<unknown>(api.PUT(`${ENVIRONMENT}/safeguards`, { params, headers: stated({ reason }), body }));
}

export function removeSafeguard(
  target: Target,
  plan: Plan | undefined,
  safeguardId: string,
  reason: string,
): Writing<unknown> {
  const headers = stated({ reason });
  const path = { ...pathOf(target), safeguardId };
  if (!plan)
    return write<unknown>(api.DELETE(`${ENVIRONMENT}/safeguards/{safeguardId}`, { params: { path }, headers }));
  const ofPlan = { params: { path: { ...path, planId: plan.id } }, headers };
  return write<unknown>(api.DELETE(`${PLAN}/safeguards/{safeguardId}`, ofPlan));
}

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
