import type { components } from '../api/schema.d.ts';
import type { ChangeRequest, Constraint, EnvironmentSettings, FeatureEnvironment, StrategyDraft } from './model.ts';
import { settingsOf } from './model.ts';
import { plannedStrategy } from './waiting-milestone.ts';

export type RequestedChange = ChangeRequest['features'][number]['changes'][number];

type Payload = Record<string, unknown>;

const payloadOf = (change: { readonly payload?: unknown }) => (change.payload ?? {}) as Payload;

/** A strategy as a change has it, with what it leaves out. */
export function strategyOf(payload: unknown, base?: StrategyDraft): StrategyDraft {
  const given = (payload ?? {}) as Partial<StrategyDraft>;
  const empty: StrategyDraft = {
    id: 'new-requested',
    name: '',
    title: null,
    disabled: false,
    parameters: {},
    constraints: [],
    segments: [],
    variants: [],
  };
  const whole = { ...empty, ...base, ...given };
  return {
    id: whole.id,
    name: whole.name,
    title: whole.title || null,
    disabled: whole.disabled ?? false,
    parameters: whole.parameters ?? {},
    constraints: whole.constraints ?? [],
    segments: whole.segments ?? [],
    variants: whole.variants ?? [],
  };
}

/** The settings that are there when the changes of one flag are applied to what is there now. */
export function applyRequested(base: EnvironmentSettings, changes: readonly RequestedChange[]): EnvironmentSettings {
  let { enabled, strategies, variants } = base;
  for (const change of changes) {
    const payload = payloadOf(change);
    if (change.action === 'updateEnabled') enabled = payload.enabled === true;
    else if (change.action === 'addStrategy')
      strategies = [...strategies, { ...strategyOf(payload), id: `new-${change.id}` }];
    else if (change.action === 'updateStrategy')
      strategies = strategies.map((one) => (one.id === payload.id ? strategyOf(payload, one) : one));
    else if (change.action === 'deleteStrategy') strategies = strategies.filter(({ id }) => id !== payload.id);
    else if (change.action === 'patchVariant') variants = (payload.variants as EnvironmentSettings['variants']) ?? [];
    else if (change.action === 'reorderStrategy') {
      const order = new Map(
        (change.payload as { id: string; sortOrder: number }[]).map(({ id, sortOrder }) => [id, sortOrder]),
      );
      strategies = [...strategies].sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
    }
  }
  return { enabled, strategies, variants };
}

type OfFlag = ChangeRequest['features'][number];

/** What a request makes of the settings of one flag. */
interface Trial {
  readonly before: EnvironmentSettings;
  /** With the default strategy that the request adds. */
  readonly after: EnvironmentSettings;
  /** All rules that may decide before or afterwards, with those of milestones: the contexts must meet them. */
  readonly rules: readonly EnvironmentSettings[];
}

const NOTHING: EnvironmentSettings = { enabled: false, strategies: [], variants: [] };

type Template = components['schemas']['releasePlanTemplateSchema'];

const strategiesOf = (plans: readonly Pick<Template, 'milestones'>[]) =>
  plans.flatMap(({ milestones }) => milestones.flatMap(({ strategies }) => strategies.map(plannedStrategy)));

/** `now`: the environment of the flag; undefined if the flag is not there. `templates`: those of plans that the request may add. */
export function trialOf(
  { changes, defaultChange }: OfFlag,
  now: FeatureEnvironment | undefined,
  templates: readonly Pick<Template, 'id' | 'milestones'>[] = [],
): Trial {
  const before = now ? settingsOf(now) : NOTHING;
  const changed = applyRequested(before, changes);
  const initial = defaultChange ? [strategyOf(defaultChange.payload)] : [];
  const after = { ...changed, strategies: [...changed.strategies, ...initial] };
  const added = new Set(
    changes.flatMap((change) => (change.action === 'addReleasePlan' ? [payloadOf(change).templateId] : [])),
  );
  const planned = strategiesOf([...(now?.releasePlans ?? []), ...templates.filter(({ id }) => added.has(id))]);
  const updated = changes
    .filter(({ action }) => action === 'updateMilestoneStrategy')
    .map(({ payload }) => strategyOf(payload));
  return { before, after, rules: [before, after, { ...NOTHING, strategies: [...planned, ...updated] }] };
}

/** The flags of the request use the segments that it changes, or other flags do: a rule of these segments alone. */
export const rulesOfSegments = (segments: readonly { readonly id: number }[]): EnvironmentSettings => ({
  ...NOTHING,
  strategies: [strategyOf({ segments: segments.map(({ id }) => id) })],
});

/** The rules of segments as the request sets them. */
export const requestedSegments = ({ segments }: Pick<ChangeRequest, 'segments'>) =>
  segments.flatMap(({ changes }) =>
    changes
      .filter(({ action }) => action === 'updateSegment')
      .map(({ payload }) => payload as { readonly id: number; readonly constraints?: readonly Constraint[] })
      .map(({ id, constraints = [] }) => ({ id, constraints: [...constraints] })),
  );

const ENDED = new Set(['Applied', 'Cancelled', 'Rejected']);
export const isClosed = ({ state }: Pick<ChangeRequest, 'state'>) => ENDED.has(state);
