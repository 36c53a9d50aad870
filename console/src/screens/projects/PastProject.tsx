import { useMemo } from 'react';
import { Link } from 'wouter';
import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import { Failure } from '../../data/failure.ts';
import { isProduction, useEnvironments } from '../../data/settings.ts';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { NotFound } from '../../page/NotFound.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { useMoment } from '../../past/moment.ts';
import { useCommits, usePast } from '../../past/past-data.ts';
import { TimeMachine } from '../../past/TimeMachine.tsx';
import { path } from '../../paths.ts';
import { features } from '../../words/en/flags/features.ts';
import { past as words } from '../../words/en/past.ts';
import { projects } from '../../words/en/projects.ts';
import own from './Projects.module.css';

type PastFlag = components['schemas']['featurePage']['features'][number];

const stateIn = (flag: PastFlag, environment: string) =>
  flag.environments?.find(({ name }) => name === environment)?.enabled;

function useColumns(flags: readonly PastFlag[], at: string): readonly Column<PastFlag>[] {
  const { data: environments } = useEnvironments();
  return useMemo(() => {
    const used = new Set(flags.flatMap((flag) => flag.environments?.map(({ name }) => name) ?? []));
    const shown = (environments ?? []).filter(({ name }) => used.has(name));
    // An environment that was deleted since then comes last.
    const gone = [...used]
      .filter((name) => !shown.some((one) => one.name === name))
      .map((name) => ({ name, type: '' }));
    return [
      {
        key: 'name',
        header: features.columns.name,
        width: 'minmax(140px, 1fr)',
        cell: ({ name, project = '', stale }, controls) => (
          <span className={styles.row}>
            <Link
              {...controls}
              className={`${styles.mono} ${styles.link}`}
              href={path('feature', { projectId: project, featureId: name }, { at })}
            >
              {name}
            </Link>
            {stale && <Badge tone="warn">{features.states.stale}</Badge>}
          </span>
        ),
      },
      ...[...shown, ...gone].map(
        ({ name, type }): Column<PastFlag> => ({
          key: name,
          header: name,
          width: '112px',
          from: 'medium',
          production: isProduction(type),
          cell: (flag) => {
            const enabled = stateIn(flag, name);
            if (enabled === undefined) return null;
            return <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? words.on : words.off}</Badge>;
          },
        }),
      ),
    ];
  }, [flags, environments, at]);
}

function Flags({ flags, at }: { readonly flags: readonly PastFlag[]; readonly at: string }) {
  const columns = useColumns(flags, at);
  if (flags.length === 0) return <EmptyState sentence={words.noFlags} />;
  return (
    <section className={styles.stack} aria-label={words.flags}>
      <h2 className={styles.heading}>
        {words.flags}{' '}
        <span className={styles.quiet}>
          <NumberText value={flags.length} />
        </span>
      </h2>
      <div className={`${styles.list} ${own.pastFlags}`}>
        <Table<PastFlag> main virtual label={words.flags} columns={columns} rows={flags} rowKey={({ name }) => name} />
      </div>
    </section>
  );
}

/** The flags of a project as they were. The project need not exist now. */
export function PastProject({ projectId }: { readonly projectId: string }) {
  const { at, setAt } = useMoment();
  const commits = useCommits({ of: 'project', id: projectId });
  const { data: flags, error } = usePast(at, ['project', projectId], async () => {
    const params = { path: { projectId }, query: { at } };
    return (await read(api.GET('/api/admin/projects/{projectId}/features', { params }))).features;
  });
  const isAbsent = error instanceof Failure && error.status === 404;
  // The list of flags of a project that does not exist, or that the person may not see, is empty.
  const isUnknown = commits.error instanceof Failure && commits.error.status === 404 && flags?.length === 0;
  if (isUnknown || (error instanceof Failure && error.status === 403)) return <NotFound />;
  return (
    <Page
      name={projectId}
      above={
        <Link href={path('projects')} className={styles.crumb}>
          {projects.title}
        </Link>
      }
    >
      <TimeMachine scope={{ of: 'project', id: projectId }} at={at} onMove={setAt}>
        {isAbsent && <EmptyState sentence={`${words.absentProject} ${error.message}`} />}
        {error && !isAbsent && <Banner tone="bad">{error.message}</Banner>}
        {!flags && !error && <Skeleton shape="rows" rows={6} />}
        {flags && <Flags flags={flags} at={at} />}
      </TimeMachine>
    </Page>
  );
}
