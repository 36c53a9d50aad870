import { useProductionNames } from '../data/settings.ts';
import { changeGroups } from '../history/change-groups.tsx';
import { Diff } from '../kit/changes/Diff.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { past as words } from '../words/en/past.ts';
import { type Scope, useDifference } from './past-data.ts';
import styles from './TimeMachine.module.css';

/** What differs between the moment and now, in sentences: also the segments that the flag uses or used. */
export function SinceThen({ scope, at }: { readonly scope: Scope; readonly at: string }) {
  const { data, error, isPlaceholderData } = useDifference(at, scope);
  const segments = useSegmentNames();
  const production = useProductionNames();
  return (
    <section className={styles.difference} aria-label={words.difference} aria-busy={isPlaceholderData || undefined}>
      <h2 className={styles.heading}>{words.difference}</h2>
      {error && <Banner tone="bad">{error.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={3} />}
      {data && !error && data.changes.length === 0 && <p className={styles.quiet}>{words.same}</p>}
      {data && !error && data.changes.length > 0 && (
        <Diff groups={changeGroups(data.changes, segments, { about: scope.id, production })} />
      )}
      {data?.more && <p className={styles.quiet}>{words.more}</p>}
    </section>
  );
}
