import { changeRequests as words } from '../words/en/change-requests.ts';
import { strategySentences } from '../words/en/differences.ts';
import { type SegmentNames, strategyName, strategyWords } from '../words/en/rule-sentences.ts';
import type { EnvironmentSettings, StrategyDraft } from './model.ts';

interface Requested {
  readonly action: string;
  readonly payload?: unknown;
}

const EMPTY: StrategyDraft = {
  id: '',
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  parameters: {},
  constraints: [],
  segments: [],
  variants: [],
};

/** The sentences about a requested change, compared with the settings as they are now. */
export function requestedWords(
  change: Requested,
  now: EnvironmentSettings | undefined,
  segments: SegmentNames,
): string[] {
  const payload = (change.payload ?? {}) as Record<string, unknown>;
  const current = now?.strategies.find(({ id }) => id === payload.id);
  switch (change.action) {
    case 'updateEnabled':
      return [words.actions.updateEnabled(payload.enabled === true)];
    case 'addStrategy':
      return [words.actions.addStrategy(strategyWords({ ...EMPTY, ...payload } as StrategyDraft, segments))];
    case 'updateStrategy': {
      const after = { ...(current ?? EMPTY), ...payload } as StrategyDraft;
      const sentences = current ? strategySentences(current, after, segments) : [];
      if (!current || sentences.length === 0) return [words.actions.updateStrategy(strategyWords(after, segments))];
      return sentences.map(({ text }) => `${strategyName(current, segments)} — ${text}`);
    }
    case 'deleteStrategy':
      return [words.actions.deleteStrategy(current ? strategyName(current, segments) : String(payload.id))];
    case 'addDependency':
      return [words.actions.addDependency(String(payload.feature))];
    case 'updateSegment':
      return [words.actions.updateSegment(String(payload.name ?? payload.id))];
    default: {
      const text = words.actions[change.action as 'reorderStrategy'];
      return [typeof text === 'string' ? text : change.action];
    }
  }
}
