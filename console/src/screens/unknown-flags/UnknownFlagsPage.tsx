import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { components } from '../../api/schema.d.ts';
import { createColumn } from '../../code/create-column.tsx';
import { Repositories } from '../../code/Repositories.tsx';
import { UnknownInCode } from '../../code/UnknownInCode.tsx';
import { OF_REPORTS } from '../../data/applications.ts';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMayAnywhere } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { useUrlState } from '../../data/url-state.ts';
import { CreateFlag } from '../../flags/CreateFlag.tsx';
import { buttonClass } from '../../kit/inputs/Button.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { FilterInput, matches } from '../../parts/FilterInput.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { NothingMatches } from '../../parts/NothingMatches.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { unknownFlags as words } from '../../words/en/flags/unknown-flags.ts';

type UnknownFlag = components['schemas']['unknownFlags']['unknownFlags'][number];

const unknownQuery = {
  ...OF_REPORTS,
  queryKey: keys.reports('unknown-flags'),
  queryFn: async () => (await read(api.GET('/api/admin/metrics/unknown-flags'))).unknownFlags,
} as const;

function columnsOf(onCreate: (name: string) => void, mayNot: MayNot): Column<UnknownFlag>[] {
  return [
    {
      key: 'name',
      header: words.columns.name,
      width: 'minmax(0, 2fr)',
      cell: ({ name }) => <code className={styles.cut}>{name}</code>,
    },
    {
      key: 'reported',
      header: words.columns.reported,
      width: 'minmax(0, 3fr)',
      from: 'medium',
      cell: ({ reports }, controls) => (
        <span className={styles.cut}>
          {reports.map(({ appName, environments }, index) => (
            <span key={appName}>
              {index > 0 && ', '}
              <Link {...controls} className={styles.inline} href={path('application', { appName })}>
                {appName}
              </Link>
              <span className={styles.quiet}> ({environments.map(({ environment }) => environment).join(', ')})</span>
            </span>
          ))}
        </span>
      ),
    },
    {
      key: 'seen',
      header: words.columns.seen,
      width: '96px',
      from: 'medium',
      cell: ({ lastSeenAt }) => <TimeText at={lastSeenAt} />,
    },
    createColumn(onCreate, mayNot),
  ];
}

/** The filter is in the address. */
function UnknownList({
  all,
  onCreate,
}: {
  readonly all: readonly UnknownFlag[];
  readonly onCreate: (name: string) => void;
}) {
  const [text, setText] = useUrlState('filter');
  const mayNot = useMayAnywhere('CREATE_FEATURE');
  const columns = useMemo(() => columnsOf(onCreate, mayNot), [onCreate, mayNot]);
  const rows = all.filter(({ name, reports }) => matches(text, name, ...reports.map(({ appName }) => appName)));
  return (
    <>
      <div className={styles.tools}>
        <FilterInput value={text} onChange={setText} />
      </div>
      <div className={styles.list}>
        <Table<UnknownFlag>
          main
          label={words.title}
          columns={columns}
          rows={rows}
          rowKey={({ name }) => name}
          onOpen={({ name }) => onCreate(name)}
          empty={<NothingMatches onClear={() => setText('')} />}
        />
      </div>
    </>
  );
}

/** Names that applications ask for although no flag has them; a flag is created from one of them. */
export function UnknownFlagsPage() {
  const query = useQuery(unknownQuery);
  const [created, setCreated] = useOpened('create');
  return (
    <Page name={words.title} count={query.data?.length} lead={words.lead}>
      <Loaded query={query}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState
              icon={<CircleCheck aria-hidden />}
              sentence={words.none}
              action={
                <Link href={path('applications')} className={buttonClass()}>
                  {words.toApplications}
                </Link>
              }
            />
          ) : (
            <UnknownList all={all} onCreate={setCreated} />
          )
        }
      </Loaded>
      <UnknownInCode onCreate={setCreated} />
      <Repositories />
      {created !== '' && <CreateFlag key={created} project={undefined} name={created} onClose={() => setCreated('')} />}
    </Page>
  );
}
