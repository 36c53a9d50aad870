import type { Api } from './api.ts';
import { FLAVOURS, STRATEGY_VALUES } from './expensive-constraints.ts';
import type { Shape } from './largest-value.ts';

/** The templates of the instance, and those of a project. */
const TEMPLATES = ['/api/admin/release-plan-templates', '/api/admin/projects/default/release-plan-templates'] as const;
const FLAGS = '/api/admin/projects/default/features';

/** The numbers of a template by default. */
const [MILESTONES, STRATEGIES] = [10, 10];
/** Bytes of all constraints of a template, which may have 100,000 bytes as JSON. */
const CONSTRAINTS_BYTES = 60_000;

type Own = Readonly<Record<string, string>>;

interface Listed {
  readonly id: string;
  readonly milestones: readonly { readonly id: string; readonly strategies: readonly { readonly id: string }[] }[];
}

async function posted<T>(api: Api, path: string, body: object): Promise<T> {
  return (await api.accepted({ method: 'POST', path, body })) as T;
}

const strategyOf = (title: string, rest: object = {}) => ({
  strategyName: 'flexibleRollout',
  title,
  parameters: { rollout: '100', stickiness: 'default', groupId: title },
  ...rest,
});

/** As many milestones and strategies as a template may have. */
const manyMilestones = () =>
  Array.from({ length: MILESTONES }, (_, index) => ({
    name: `milestone ${index}`,
    transitionCondition: { intervalMinutes: 525_600 },
    strategies: Array.from({ length: STRATEGIES }, (_each, at) => strategyOf(`${index}-${at}`.padEnd(300, 't'))),
  }));

/** Templates of earlier attempts are deleted, so that no limit is reached. */
export async function noTemplates(api: Api): Promise<Own> {
  for (const path of TEMPLATES) {
    // A large answer is truncated: the id of the template comes first in it.
    const { text } = await api.send({ method: 'GET', path });
    for (const [, id] of text.matchAll(/"id":"(\w{26})",[^{}[\]]{0,200}"discriminator"/g))
      await api.accepted({ method: 'DELETE', path: `${path}/${id}` });
  }
  return {};
}

async function made(api: Api, milestones: readonly object[], path: string = TEMPLATES[0]): Promise<Own> {
  await noTemplates(api);
  const { id, milestones: stored } = await posted<Listed>(api, path, { name: 'own', milestones });
  const [first] = stored;
  return { templateId: id, milestoneId: first?.id ?? '', strategyId: first?.strategies[0]?.id ?? '' };
}

/** A template of the maximum size. */
export const ownTemplate = (api: Api): Promise<Own> => made(api, manyMilestones());

/** A template to which a milestone and a strategy can be added. */
const smallMilestones = () => [{ name: 'own', strategies: [strategyOf('own'), strategyOf('other')] }];
export const smallTemplate = (api: Api): Promise<Own> => made(api, smallMilestones());

/** The same, of a project. */
export const ownTemplateOfProject = (api: Api): Promise<Own> => made(api, manyMilestones(), TEMPLATES[1]);
export const smallTemplateOfProject = (api: Api): Promise<Own> => made(api, smallMilestones(), TEMPLATES[1]);

/** A flag that is on, with a safeguard of its own. */
export async function guardedFlag(api: Api, attempt: string): Promise<Own> {
  const featureName = `own-${attempt}`;
  await posted(api, FLAGS, { name: featureName });
  const environment = `${FLAGS}/${featureName}/environments/development`;
  await api.accepted({ method: 'POST', path: `${environment}/on` });
  const body = { ...safeguard(), action: 'disable' };
  const { id } = (await api.accepted({ method: 'PUT', path: `${environment}/safeguards`, body })) as { id: string };
  return { featureName, safeguardId: id };
}

/** A flag that is off, and the largest template. */
export async function flagWithTemplate(api: Api, attempt: string): Promise<Own> {
  const featureName = `own-${attempt}`;
  await posted(api, FLAGS, { name: featureName });
  return { ...(await ownTemplate(api)), featureName };
}

/** A flag that is on, with the largest plan and a safeguard. */
export async function ownPlan(api: Api, attempt: string): Promise<Own> {
  const { featureName = '', templateId } = await flagWithTemplate(api, attempt);
  const environment = `${FLAGS}/${featureName}/environments/development`;
  await api.accepted({ method: 'POST', path: `${environment}/on` });
  const { id: planId, milestones } = await posted<Listed>(api, `${environment}/release-plans`, { templateId });
  const path = `${environment}/release-plans/${planId}/safeguards`;
  const { id: safeguardId } = (await api.accepted({ method: 'PUT', path, body: safeguard() })) as { id: string };
  const [, next] = milestones;
  const [milestoneId = '', strategyId = ''] = [next?.id, next?.strategies[0]?.id];
  return { featureName, planId, safeguardId, milestoneId, id: milestoneId, strategyId };
}

const safeguard = () => ({
  metricName: 'm'.repeat(150),
  aggregation: 'p99',
  operator: '>',
  threshold: 1,
  windowMinutes: 1_440,
  labels: Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [
      `label_${index}`,
      Array.from({ length: 20 }, (_value, at) => `${at}`.padEnd(200, 'v')),
    ]),
  ),
});

/** The largest body of the operation; undefined if it is not about release plans. */
export function largestPlanBody(operationId: string, { flavour, scale, mode }: Shape, own: Own): object | undefined {
  const constraints = FLAVOURS[flavour]?.(CONSTRAINTS_BYTES, scale, STRATEGY_VALUES) ?? [];
  const expensive = strategyOf('expensive', { constraints });
  switch (operationId.replace(/OfProject$/, '')) {
    case 'createReleasePlanTemplate':
    case 'updateReleasePlanTemplate':
      return mode === 'many'
        ? { name: 'own', milestones: manyMilestones() }
        : { name: 'own', milestones: [{ name: 'own', strategies: [expensive] }] };
    case 'addMilestoneToReleasePlanTemplate':
    case 'updateReleasePlanTemplateMilestone':
      return { name: 'own', strategies: [expensive] };
    case 'addStrategyToMilestone':
    case 'updateMilestoneStrategy':
      return expensive;
    case 'updateProjectMilestoneStrategy':
      return strategyOf('t'.repeat(500));
    case 'addReleasePlan':
    case 'addReleasePlanDeprecated':
      return { templateId: own.templateId };
    case 'pauseReleasePlan':
      return { reason: 'r'.repeat(500) };
    case 'changeMilestoneProgression':
      return { transitionCondition: { intervalMinutes: 1 } };
    case 'changeSafeguard':
      return safeguard();
    case 'changeFeatureEnvironmentSafeguard':
      return { ...safeguard(), action: 'disable' };
    default:
      return undefined;
  }
}
