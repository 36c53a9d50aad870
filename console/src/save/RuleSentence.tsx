import { useMemo } from 'react';
import { useSegments } from '../data/settings.ts';
import type { EnvironmentSettings } from '../domain/model.ts';
import { numberMark, ruleWords, type SegmentNames } from '../words/en/rules.ts';
import styles from './Save.module.css';
import { Words } from './Words.tsx';

export function useSegmentNames(): SegmentNames {
  const { data } = useSegments();
  return useMemo(() => new Map((data ?? []).map(({ id, name }) => [id, name])), [data]);
}

/** The rule of an environment in words. */
export function RuleSentence({ settings }: { readonly settings: EnvironmentSettings }) {
  const segments = useSegmentNames();
  const { lead, parts } = ruleWords(settings, segments);
  return (
    <div className={styles.rule} data-on={settings.enabled || undefined}>
      <p>
        <Words text={lead} />
      </p>
      {parts.length > 0 && (
        <ol className={styles.ruleParts}>
          {parts.map((part, index) => (
            <li key={`${index} ${part}`}>
              <span aria-hidden>{numberMark(index)}</span> <Words text={part} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
