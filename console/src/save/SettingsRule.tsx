import { useMemo } from 'react';
import { useSegments } from '../data/settings.ts';
import type { EnvironmentSettings } from '../domain/model.ts';
import { RuleList } from '../kit/changes/RuleSentence.tsx';
import { rulesOf, type SegmentNames } from '../words/en/rule-sentences.ts';

export function useSegmentNames(): SegmentNames {
  const { data } = useSegments();
  return useMemo(() => new Map((data ?? []).map(({ id, name }) => [id, name])), [data]);
}

/** The rule of an environment in words. */
export function SettingsRule({ settings }: { readonly settings: EnvironmentSettings }) {
  const segments = useSegmentNames();
  return <RuleList enabled={settings.enabled} strategies={rulesOf(settings, segments)} />;
}
