import { useQuery } from '@tanstack/react-query';
import { useContextFields } from '../../data/settings.ts';
import type { ChangeRequest } from '../../domain/model.ts';
import { isClosed } from '../../domain/requested.ts';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { numberText } from '../../kit/texts/number-text.ts';
import { Numbers } from '../../save/WhoChanges.tsx';
import { requests as words } from '../../words/en/change-requests.ts';
import styles from '../parts/parts.module.css';
import { comparedFields, effectsQuery } from './request-data.ts';

/** The stored request is tried on made-up contexts: reviewers see what its author saw. */
export function RequestEffects({ request }: { readonly request: ChangeRequest }) {
  const { data: fields } = useContextFields();
  const isTried = !isClosed(request) && request.features.length > 0;
  const compared = comparedFields(request, fields ?? []);
  const { data, error } = useQuery({ ...effectsQuery(request, compared), enabled: isTried && fields !== undefined });
  if (!isTried) return null;
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
          <p className={styles.quiet}>{words.effectsOf(numberText(data.contexts), compared.join(', '))}</p>
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
