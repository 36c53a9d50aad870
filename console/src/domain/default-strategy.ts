import type { components } from '../api/schema.d.ts';
import type { StrategyDraft } from './model.ts';

export type StoredDefault = components['schemas']['projectEnvironment']['defaultStrategy'];

/** The strategy of a flag that gets none of the project. An empty group is replaced with the name of the flag. */
const standard = (stickiness: string): Omit<StrategyDraft, 'id'> => ({
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  parameters: { rollout: '100', stickiness, groupId: '' },
  constraints: [],
  segments: [],
  variants: [],
});

/** What a flag gets when it is switched on and has no active strategy. */
export function defaultStrategyOf(stored: StoredDefault, stickiness: string): StrategyDraft {
  const { name, title, parameters, constraints, segments, variants } = stored ?? standard(stickiness);
  return { id: 'default', name, title, disabled: false, parameters, constraints, segments, variants };
}
