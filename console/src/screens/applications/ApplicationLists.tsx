import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { type ProductionNames, useProductionNames } from '../../data/settings.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { application as words } from '../../words/en/flags/applications.ts';
import type { ApplicationDetails } from './application-data.ts';

type Instance = ApplicationDetails['instances'][number];
type Used = ApplicationDetails['seenToggles'][number];

const SHOWN_MAX = 100;

interface ShortListProps<Row> {
  readonly title: string;
  readonly none: string;
  readonly rows: readonly Row[];
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** A section with a list of which only the beginning is shown at first. */
function ShortList<Row>({ title, none, rows, children }: ShortListProps<Row>) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? rows : rows.slice(0, SHOWN_MAX);
  return (
    <section className={styles.stack}>
      <h2 className={styles.heading}>{title}</h2>
      {rows.length === 0 ? (
        <p className={styles.quiet}>{none}</p>
      ) : (
        <div className={styles.list}>{children(shown)}</div>
      )}
      {shown.length < rows.length && (
        <p className={styles.row}>
          <span className={styles.quiet}>{words.shownOf(shown.length, rows.length)}</span>
          <Button size="small" onClick={() => setAll(true)}>
            {words.showAll}
          </Button>
        </p>
      )}
    </section>
  );
}

function instanceColumns(production: ProductionNames): Column<Instance>[] {
  const { instanceColumns: columns } = words;
  const quiet = (text: string | null) => (
    <span className={`${styles.cut} ${styles.quiet}`}>{text ?? words.unknown}</span>
  );
  return [
    {
      key: 'id',
      header: columns.id,
      width: 'minmax(0, 1.4fr)',
      cell: ({ instanceId }) => <code className={styles.cut}>{instanceId}</code>,
    },
    {
      key: 'environment',
      header: columns.environment,
      width: 'minmax(104px, 1fr)',
      from: 'medium',
      cell: ({ environment }) => <EnvironmentMark name={environment} production={production.has(environment)} />,
    },
    {
      key: 'sdk',
      header: columns.sdk,
      width: 'minmax(0, 2fr)',
      from: 'medium',
      cell: ({ sdkVersion }) => <code className={styles.cut}>{sdkVersion ?? words.unknown}</code>,
    },
    { key: 'type', header: columns.type, width: '80px', from: 'wide', cell: ({ sdkType }) => words.sdkTypes[sdkType] },
    { key: 'address', header: columns.address, width: '128px', from: 'wide', cell: ({ clientIp }) => quiet(clientIp) },
    { key: 'seen', header: columns.seen, width: '96px', cell: ({ lastSeen }) => <TimeText at={lastSeen} /> },
  ];
}

export function Instances({ instances }: Pick<ApplicationDetails, 'instances'>) {
  const columns = instanceColumns(useProductionNames());
  return (
    <ShortList title={words.instancesTitle} none={words.noInstances} rows={instances}>
      {(rows) => (
        <Table<Instance>
          label={words.instancesTitle}
          columns={columns}
          rows={rows}
          rowKey={({ instanceId, environment }) => `${environment} ${instanceId}`}
        />
      )}
    </ShortList>
  );
}

const FLAG_COLUMNS: Column<Used>[] = [
  {
    key: 'name',
    header: words.flagColumns.name,
    width: 'minmax(0, 2fr)',
    cell: ({ name, project }, controls) => (
      <Link
        {...controls}
        className={`${styles.cut} ${styles.mono} ${styles.link}`}
        href={path('feature', { projectId: project, featureId: name })}
      >
        {name}
      </Link>
    ),
  },
  {
    key: 'project',
    header: words.flagColumns.project,
    width: 'minmax(0, 1fr)',
    from: 'medium',
    cell: ({ project }) => <span className={`${styles.cut} ${styles.quiet}`}>{project}</span>,
  },
  {
    key: 'state',
    header: words.flagColumns.state,
    width: '88px',
    cell: ({ stale, archived }) =>
      archived ? (
        <Badge tone="bad">{words.archived}</Badge>
      ) : stale ? (
        <Badge tone="warn">{words.stale}</Badge>
      ) : (
        <span className={styles.quiet}>{words.active}</span>
      ),
  },
];

/** The flags that the application used in the last days. */
export function FlagsUsed({ flags }: { readonly flags: readonly Used[] }) {
  return (
    <ShortList title={words.flags} none={words.noFlags} rows={flags}>
      {(rows) => (
        <Table<Used> main label={words.flags} columns={FLAG_COLUMNS} rows={rows} rowKey={({ name }) => name} />
      )}
    </ShortList>
  );
}
