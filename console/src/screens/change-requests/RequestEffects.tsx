import { useQuery } from '@tanstack/react-query';
import type { ChangeRequest } from '../../domain/model.ts';
import { isClosed } from '../../domain/requested.ts';
import { Banner } from '../../kit/Banner.tsx';
import { numberText } from '../../kit/number-text.ts';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { Numbers } from '../../save/WhoChanges.tsx';
import { requests as words } from '../../words/en/change-requests.ts';
import styles from '../parts/parts.module.css';
import { effectsQuery } from './request-data.ts';

/** The stored request is tried on made-up contexts: reviewers see what its author saw. */
export function RequestEffects({ request }: { readonly request: ChangeRequest }) {
  const { data, error } = useQuery({ ...effectsQuery(request), enabled: !isClosed(request) && request.features.length > 0 });
  if (isClosed(request) || request.features.length === 0) return null;
  return (
    <section className={styles.stack}>
      <h2 className={styles.heading}>{words.effects}</h2>
      {error && (
        <Banner tone="warn">
          {words.effectsFailed} {error.message}
        </Banner>
      )}
      {!data && !error && <Skeleton rows={2} />}
      {data && (
        <div className={styles.card} role="status">
          <p className={styles.quiet}>{words.effectsOf(numberText(data.contexts))}</p>
          {data.flags.length === 0 && <p>{words.effectsNone}</p>}
          {data.flags.map(({ name, counts }) => (
            <div key={name} className={styles.stack}>
              <h3 className={styles.mono}>{name}</h3>
              <Numbers counts={counts} total={data.contexts} />
            </div>
          ))}
          <p className={styles.quiet}>{words.effectsHint}</p>
        </div>
      )}
    </section>
  );
}
