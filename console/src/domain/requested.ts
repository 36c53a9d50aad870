import type { ChangeRequest, EnvironmentSettings, StrategyDraft } from './model.ts';

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

const ENDED = new Set(['Applied', 'Cancelled', 'Rejected']);
export const isClosed = ({ state }: Pick<ChangeRequest, 'state'>) => ENDED.has(state);
