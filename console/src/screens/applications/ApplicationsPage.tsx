import { useQuery } from '@tanstack/react-query';
import { AppWindow, CircleCheck, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { type Application, applicationsQuery } from '../../data/applications.ts';
import { type ProductionNames, useProductionNames } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { buttonClass } from '../../kit/inputs/Button.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { FilterInput, matches } from '../../parts/FilterInput.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { NothingMatches } from '../../parts/NothingMatches.tsx';
import { Page } from '../../parts/Page.tsx';
import { ProjectChoice } from '../../parts/ProjectChoice.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { applications as words } from '../../words/en/flags/applications.ts';
import { environmentsOf, type OutdatedSdk, useOutdatedSdks } from './application-data.ts';

const VIEWS = (['all', 'sdks'] as const).map((value) => ({ value, label: words.views[value] }));
const ANY = '*';

const projectsOf = ({ usage }: Application) =>
  usage.map(({ project }) => (project === ANY ? words.everyProject : project)).join(', ');

function columnsOf(production: ProductionNames, outdated: ReadonlySet<string>): Column<Application>[] {
  return [
    {
      key: 'name',
      header: words.columns.name,
      width: 'minmax(0, 2fr)',
      cell: ({ appName }, controls) => (
        <>
          <Link
            {...controls}
            className={`${styles.cut} ${styles.strong} ${styles.link}`}
            href={path('application', { appName })}
          >
            {appName}
          </Link>
          {outdated.has(appName) && (
            <Badge tone="warn" icon={<TriangleAlert size={12} aria-hidden />}>
              {words.outdated}
            </Badge>
          )}
        </>
      ),
    },
    {
      key: 'environments',
      header: words.columns.environments,
      width: 'minmax(0, 2fr)',
      from: 'medium',
      cell: (row) =>
        environmentsOf(row).map((name) => <EnvironmentMark key={name} name={name} production={production.has(name)} />),
    },
    {
      key: 'projects',
      header: words.columns.projects,
      width: 'minmax(0, 1fr)',
      from: 'wide',
      cell: (row) => <span className={`${styles.cut} ${styles.quiet}`}>{projectsOf(row)}</span>,
    },
    {
      key: 'since',
      header: words.columns.since,
      width: '96px',
      from: 'wide',
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
    },
  ];
}

/** The filter and the project are in the address. */
function ApplicationList({ all }: { readonly all: readonly Application[] }) {
  const [text, setText] = useUrlState('filter');
  const [project, setProject] = useUrlState('project');
  const [, navigate] = useLocation();
  const production = useProductionNames();
  const { data: sdks } = useOutdatedSdks();
  const outdated = useMemo(() => new Set((sdks ?? []).flatMap((sdk) => sdk.applications)), [sdks]);
  const columns = useMemo(() => columnsOf(production, outdated), [production, outdated]);
  const isIn = ({ usage }: Application) =>
    project === '' || usage.some((one) => one.project === project || one.project === ANY);
  const rows = all.filter((row) => isIn(row) && matches(text, row.appName, row.description));
  return (
    <>
      <div className={styles.tools}>
        <FilterInput value={text} onChange={setText} />
        <div className={styles.filter}>
          <ProjectChoice value={project} onChange={setProject} />
        </div>
      </div>
      <div className={styles.list}>
        <Table<Application>
          main
          label={words.title}
          columns={columns}
          rows={rows}
          rowKey={({ appName }) => appName}
          onOpen={({ appName }) => navigate(path('application', { appName }))}
          empty={<NothingMatches onClear={() => navigate(path('applications'), { replace: true })} />}
        />
      </div>
    </>
  );
}

const SDK_COLUMNS: Column<OutdatedSdk>[] = [
  {
    key: 'sdk',
    header: words.sdkColumns.sdk,
    width: 'minmax(0, 1fr)',
    cell: ({ sdkVersion }) => <code className={styles.cut}>{sdkVersion}</code>,
  },
  {
    key: 'applications',
    header: words.sdkColumns.applications,
    width: 'minmax(0, 1fr)',
    cell: ({ applications }, controls) => (
      <span className={styles.cut}>
        {applications.map((appName, index) => (
          <span key={appName}>
            {index > 0 && ', '}
            <Link {...controls} className={styles.inline} href={path('application', { appName })}>
              {appName}
            </Link>
          </span>
        ))}
      </span>
    ),
  },
];

function OutdatedList() {
  return (
    <Loaded query={useOutdatedSdks()}>
      {(sdks) => (
        <>
          {sdks.length > 0 && <p className={styles.lead}>{words.sdkLead}</p>}
          <div className={styles.list}>
            <Table<OutdatedSdk>
              main
              label={words.views.sdks}
              columns={SDK_COLUMNS}
              rows={sdks}
              rowKey={({ sdkVersion }) => sdkVersion}
              empty={<EmptyState icon={<CircleCheck aria-hidden />} sentence={words.noOutdated} />}
            />
          </div>
        </>
      )}
    </Loaded>
  );
}

/** The programs whose SDKs report, and the outdated SDKs among them. */
export function ApplicationsPage() {
  const query = useQuery(applicationsQuery);
  const [view, setView] = useUrlState('view', 'all');
  return (
    <Page name={words.title} count={query.data?.length} lead={words.lead}>
      <Loaded query={query}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState
              icon={<AppWindow aria-hidden />}
              sentence={words.none}
              action={
                <Link href={path('tokens')} className={buttonClass()}>
                  {words.toTokens}
                </Link>
              }
            />
          ) : (
            <>
              <div className={styles.tools}>
                <Segmented
                  label={words.viewLabel}
                  options={VIEWS}
                  value={view === 'sdks' ? 'sdks' : 'all'}
                  onChange={setView}
                />
              </div>
              {view === 'sdks' ? <OutdatedList /> : <ApplicationList all={all} />}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
