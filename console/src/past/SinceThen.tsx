import { useState } from 'react';
import { useProductionNames } from '../data/settings.ts';
import type { HistoryChange } from '../domain/model.ts';
import { changeGroups } from '../history/change-groups.tsx';
import { Diff } from '../kit/changes/Diff.tsx';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { past as words } from '../words/en/past.ts';
import { type Scope, useDifference } from './past-data.ts';
import styles from './TimeMachine.module.css';

/** What is below a long list must stay within reach. */
const GROUPS_SHOWN = 6;

/** What differs, in sentences. The exact values are there on demand. */
export function DifferenceView({
  changes,
  about,
}: {
  readonly changes: readonly HistoryChange[];
  readonly about?: string;
}) {
  const segments = useSegmentNames();
  const production = useProductionNames();
  const [isWhole, setWhole] = useState(false);
  if (changes.length === 0) return <p className={styles.quiet}>{words.same}</p>;
  const groups = changeGroups(changes, segments, { about, production, hasValues: false });
  const hidden = isWhole ? 0 : groups.length - GROUPS_SHOWN;
  return (
    <>
      <Diff groups={hidden > 0 ? groups.slice(0, GROUPS_SHOWN) : groups} json={valuesOf(changes)} />
      {hidden > 0 && (
        <div>
          <Button size="small" onClick={() => setWhole(true)}>
            {words.showOthers(hidden)}
          </Button>
        </div>
      )}
    </>
  );
}

/** The values of all fields that differ, by object and path. */
function valuesOf(changes: readonly HistoryChange[]) {
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const { type, id, environment, fields } of changes) {
    for (const field of fields) {
      const name = `${type} ${id}${environment === null ? '' : ` in ${environment}`}${field.path}`;
      if (field.before !== undefined) before[name] = field.before;
      if (field.after !== undefined) after[name] = field.after;
    }
  }
  return { before, after };
}

/** What differs between the moment and now: also the segments that the flag uses or used. */
export function SinceThen({ scope, at }: { readonly scope: Scope; readonly at: string }) {
  const { data, error } = useDifference(at, { [scope.of]: scope.id });
  return (
    <section className={styles.difference} aria-label={words.difference}>
      <h2 className={styles.heading}>{words.difference}</h2>
      {error && <Banner tone="bad">{error.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={3} />}
      {data && !error && <DifferenceView changes={data.changes} about={scope.id} />}
      {data?.more && <p className={styles.quiet}>{words.more}</p>}
    </section>
  );
}
