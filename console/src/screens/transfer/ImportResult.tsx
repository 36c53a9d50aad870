import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Button, buttonClass } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { transfer as words } from '../../words/en/admin/transfer.ts';
import { type Compared, compare, type ImportData, type Target } from './transfer-data.ts';

interface ImportResultProps {
  readonly target: Target;
  readonly data: ImportData;
  readonly onAgain: () => void;
}

function Numbers({
  compared: { file, now },
  environment,
}: {
  readonly compared: Compared;
  readonly environment: string;
}) {
  const isSame = (Object.keys(file) as (keyof typeof file)[]).every((key) => file[key] === now[key]);
  return (
    <>
      <dl className={styles.facts}>
        <dt>{words.present}</dt>
        <dd>{words.ofFile(now.flags, file.flags)}</dd>
        <dt>{words.strategies(environment)}</dt>
        <dd>{words.ofFile(now.strategies, file.strategies)}</dd>
        <dt>{words.on(environment)}</dt>
        <dd>{words.ofFile(now.on, file.on)}</dd>
      </dl>
      {!isSame && <Banner tone="warn">{words.differs}</Banner>}
    </>
  );
}

/** What was imported, and the same numbers as the API now answers them. */
export function ImportResult({ target, data, onAgain }: ImportResultProps) {
  const { project, environment } = target;
  const query = useQuery({
    queryKey: ['project', project, 'compared', environment, data],
    queryKeyHashFn: ([, id, , where]) => `compared ${id} ${where}`,
    queryFn: () => compare(target, data),
    gcTime: 0,
    retry: false,
  });
  return (
    <div className={`${styles.stack} ${styles.narrow}`}>
      <Banner tone="good">{words.imported(data.features.length, project, environment)}</Banner>
      <section className={styles.card} aria-label={words.afterwards}>
        <h2 className={styles.heading}>{words.afterwards}</h2>
        <Loaded query={query} rows={3}>
          {(compared) => <Numbers compared={compared} environment={environment} />}
        </Loaded>
      </section>
      <div className={styles.row}>
        <Link href={path('projectFeatures', { projectId: project })} className={buttonClass()}>
          {words.openProject}
        </Link>
        <Button onClick={onAgain}>{words.another}</Button>
      </div>
    </div>
  );
}
