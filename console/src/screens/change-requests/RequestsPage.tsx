import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { GitPullRequest } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation, useParams } from 'wouter';
import { useMe } from '../../data/may.ts';
import { type ProductionNames, useProductionNames, useProjects } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { Pager } from '../../kit/lists/Pager.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import { ProjectTabs, ToProjects } from '../../parts/ProjectTabs.tsx';
import styles from '../../parts/parts.module.css';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { path } from '../../paths.ts';
import { hasNumber, requests as words } from '../../words/en/change-requests.ts';
import { type Found, PAGE, searchQuery } from './request-data.ts';

function columnsOf(production: ProductionNames, hasProject: boolean): Column<Found>[] {
  const { columns } = words;
  const all: Column<Found>[] = [
    {
      key: 'title',
      header: columns.title,
      width: 'minmax(0, 2.4fr)',
      cell: ({ id, title }) => (
        <span className={styles.cut}>
          {!hasNumber(title, id) && <span className={styles.quiet}>{words.number(id)}</span>} {title}
        </span>
      ),
    },
    { key: 'state', header: columns.state, width: '112px', cell: ({ state }) => <StateBadge state={state} /> },
    {
      key: 'environment',
      header: columns.environment,
      width: 'minmax(0, 1fr)',
      from: 'medium',
      cell: ({ environment }) => <EnvironmentMark name={environment} production={production.has(environment)} />,
    },
    {
      key: 'project',
      header: columns.project,
      width: 'minmax(0, 1fr)',
      from: 'wide',
      cell: ({ projectName }) => <span className={styles.cut}>{projectName}</span>,
    },
    {
      key: 'flags',
      header: columns.flags,
      width: 'minmax(0, 1.2fr)',
      from: 'wide',
      cell: ({ features, segments }) => <code className={styles.cut}>{[...features, ...segments].join(', ')}</code>,
    },
    {
      key: 'author',
      header: columns.author,
      width: '120px',
      from: 'wide',
      cell: ({ createdBy }) => (
        <>
          <Avatar name={createdBy.username ?? '?'} />
          <span className={styles.cut}>{createdBy.username}</span>
        </>
      ),
    },
    {
      key: 'created',
      header: columns.created,
      width: '96px',
      from: 'wide',
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
    },
  ];
  return hasProject ? all.filter(({ key }) => key !== 'project') : all;
}

type Project = NonNullable<ReturnType<typeof useProjects>['data']>[number];

/** The filters in the address. The project of the path, if there is one, wins over the chosen project. */
function useFilters(ofProject: string | undefined) {
  const [state, setState] = useUrlState('state', 'open');
  const [mine, setMine] = useUrlState('mine');
  const [forMe, setForMe] = useUrlState('forMe');
  const [chosen, setChosen] = useUrlState('project');
  const [offsetText, setOffset] = useUrlState('offset', '0');
  const { data: me } = useMe();
  const project = ofProject ?? chosen;
  const offset = Number(offsetText) || 0;
  const self = me ? `IS:${me.user.id}` : '';
  const search = {
    state: state === 'all' ? '' : state,
    project: project ? `IS:${project}` : '',
    createdBy: mine ? self : '',
    awaitsMyApproval: forMe ? 'true' : '',
    offset,
  };
  return { search, state, mine, forMe, chosen, setState, setMine, setForMe, setChosen, setOffset };
}

type Filters = ReturnType<typeof useFilters>;

interface FilterBarProps {
  readonly filters: Filters;
  /** Undefined: all requests are of one project. */
  readonly projects: readonly Project[] | undefined;
}

function FilterBar({ filters, projects }: FilterBarProps) {
  const { state, mine, forMe, chosen, setState, setMine, setForMe, setChosen, setOffset } = filters;
  /** Another filter shows its first page. */
  const fromFirst =
    <Value,>(change: (value: Value) => void) =>
    (value: Value) => {
      change(value);
      setOffset('0');
    };
  return (
    <div className={styles.tools}>
      <Segmented
        label={words.viewLabel}
        value={state}
        onChange={fromFirst(setState)}
        options={(['open', 'closed', 'all'] as const).map((value) => ({
          value: value as string,
          label: words.views[value],
        }))}
      />
      {projects && (
        <div className={styles.filter}>
          <Combobox
            label={words.columns.project}
            placeholder={words.columns.project}
            value={chosen || null}
            onChange={fromFirst((value: string | null) => setChosen(value ?? ''))}
            options={projects.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </div>
      )}
      <Checkbox
        label={words.mine}
        checked={mine !== ''}
        onChange={fromFirst((on: boolean) => setMine(on ? '1' : ''))}
      />
      <Checkbox
        label={words.forMe}
        checked={forMe !== ''}
        onChange={fromFirst((on: boolean) => setForMe(on ? '1' : ''))}
      />
    </div>
  );
}

/** Of all projects, or of the project in the address. */
export function RequestsPage() {
  const { projectId } = useParams<{ projectId?: string }>();
  const [, navigate] = useLocation();
  const filters = useFilters(projectId);
  const { data: projects = [] } = useProjects();
  const query = useQuery({ ...searchQuery(filters.search), placeholderData: keepPreviousData });
  const production = useProductionNames();
  const isOfProject = projectId !== undefined;
  const projectName = projects.find(({ id }) => id === projectId)?.name ?? projectId;
  const columns = useMemo(() => columnsOf(production, isOfProject), [production, isOfProject]);
  return (
    <Page
      name={projectId === undefined ? words.title : `${projectName} · ${words.title}`}
      {...(projectId === undefined
        ? { count: query.data?.total }
        : {
            title: projectName,
            above: <ToProjects />,
            tabs: <ProjectTabs project={projectId} value="requests" />,
          })}
    >
      <FilterBar filters={filters} projects={isOfProject ? undefined : projects} />
      <Loaded query={query}>
        {({ changeRequests, total }) =>
          total === 0 ? (
            <EmptyState icon={<GitPullRequest aria-hidden />} sentence={filters.forMe ? words.noneForMe : words.none} />
          ) : (
            <>
              <div className={styles.list}>
                <Table<Found>
                  main
                  label={words.title}
                  columns={columns}
                  rows={changeRequests}
                  rowKey={({ id }) => String(id)}
                  rowName={({ title }) => title}
                  onOpen={({ id, projectId: of }) => navigate(path('changeRequest', { projectId: of, id }))}
                />
              </div>
              {total > PAGE && (
                <Pager
                  offset={filters.search.offset}
                  limit={PAGE}
                  total={total}
                  onMove={(next) => filters.setOffset(String(next))}
                />
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
