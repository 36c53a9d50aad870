import { History } from 'lucide-react';
import { Link, useParams } from 'wouter';
import { api, read } from '../../data/client.ts';
import { Failure } from '../../data/failure.ts';
import { isProduction, useEnvironments } from '../../data/settings.ts';
import { HistoryList } from '../../history/HistoryList.tsx';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { useMoment } from '../../past/moment.ts';
import { usePast } from '../../past/past-data.ts';
import { TimeMachine } from '../../past/TimeMachine.tsx';
import { path } from '../../paths.ts';
import { environments as words } from '../../words/en/environments.ts';
import { past as pastWords } from '../../words/en/past.ts';

const COMMITS = 30;

function Then({
  name,
  at,
  onMove,
}: {
  readonly name: string;
  readonly at: string;
  readonly onMove: (at: string) => void;
}) {
  const { data, error } = usePast(at, ['environment', name], () =>
    read(api.GET('/api/admin/environments/{name}', { params: { path: { name }, query: { at } } })),
  );
  const isAbsent = error instanceof Failure && error.status === 404;
  return (
    <TimeMachine scope={{ of: 'environment', id: name }} at={at} onMove={onMove}>
      {isAbsent && <EmptyState sentence={`${pastWords.absentEnvironment} ${error.message}`} />}
      {error && !isAbsent && <Banner tone="bad">{error.message}</Banner>}
      {!data && !error && <Skeleton shape="card" />}
      {data && (
        <p className={styles.row}>
          <EnvironmentMark name={data.name} production={isProduction(data.type)} />
          <span className={styles.quiet}>{words.types[data.type] ?? data.type}</span>
          {pastWords.wasEnabled(data.enabled)}
        </p>
      )}
    </TimeMachine>
  );
}

/** What happened in an environment: its own fields, and the settings of flags in it; and how it was at a moment. */
export function EnvironmentHistory() {
  const { name = '' } = useParams<{ name: string }>();
  const { at, setAt, open } = useMoment();
  const { data: environments } = useEnvironments();
  const type = environments?.find((one) => one.name === name)?.type;
  return (
    <Page
      name={pastWords.historyOf(name)}
      title={<EnvironmentMark name={name} production={isProduction(type)} />}
      above={
        <Link href={path('environments')} className={styles.crumb}>
          {words.title}
        </Link>
      }
      actions={
        at === '' && (
          <Button icon={<History aria-hidden />} onClick={open}>
            {pastWords.open}
          </Button>
        )
      }
    >
      {at === '' ? (
        <HistoryList
          isInBody
          queryKey={['history', 'environment', name]}
          stateAt={(revision) => path('environmentHistory', { name }, { at: revision })}
          read={(before) =>
            read(
              api.GET('/api/admin/environments/{name}/history', {
                params: { path: { name }, query: { limit: COMMITS, ...(before !== undefined && { before }) } },
              }),
            )
          }
        />
      ) : (
        <Then name={name} at={at} onMove={setAt} />
      )}
    </Page>
  );
}
