import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { CodeReferences } from '../../../code/CodeReferences.tsx';
import { type ProductionNames, useProductionNames } from '../../../data/settings.ts';
import { useUrlState } from '../../../data/url-state.ts';
import type { Feature } from '../../../domain/model.ts';
import {
  type ApplicationUse,
  applicationsOf,
  countsIn,
  type EnvironmentUse,
  PERIODS,
  periodOf,
  type Report,
  reportsQuery,
  slotText,
} from '../../../flags/use-data.ts';
import { EnvironmentMark, productionEdge } from '../../../kit/changes/EnvironmentMark.tsx';
import { classes } from '../../../kit/classes.ts';
import { Button } from '../../../kit/inputs/Button.tsx';
import { Segmented } from '../../../kit/inputs/Segmented.tsx';
import { Select } from '../../../kit/inputs/Select.tsx';
import { type Column, Table } from '../../../kit/lists/Table.tsx';
import { NumberText } from '../../../kit/texts/NumberText.tsx';
import { Loaded } from '../../../parts/Loaded.tsx';
import parts from '../../../parts/parts.module.css';
import { path } from '../../../paths.ts';
import { use as words } from '../../../words/en/flags/use.ts';
import { numberText } from '../../../words/number-text.ts';
import { Cost } from './Cost.tsx';
import { Lifecycle } from './Lifecycle.tsx';
import styles from './Use.module.css';
import { UseChart } from './UseChart.tsx';

const PERIOD_OPTIONS = PERIODS.map((value) => ({ value, label: words.periods[value] }));

function Variants({ use }: { readonly use: EnvironmentUse }) {
  const total = use.variants.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  return (
    <div>
      <h4 className={parts.label}>{words.variants}</h4>
      <ul className={styles.variants}>
        {use.variants.map(({ name, count }) => (
          <li key={name}>
            <span className={styles.meterHead}>
              <code>{name === 'disabled' ? words.withoutVariant : name}</code>
              <span>
                {numberText(count)} · {numberText(count / total, 'percent')}
              </span>
            </span>
            <span className={styles.track}>
              <span className={styles.fill} style={{ width: `${(100 * count) / total}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface CardProps {
  readonly environment: string;
  readonly production: boolean;
  readonly use: EnvironmentUse;
  readonly hoursBack: number;
}

function EnvironmentCard({ environment, production, use, hoursBack }: CardProps) {
  const { yes, no } = use;
  return (
    <section className={classes(parts.card, productionEdge(production))} aria-label={environment}>
      <div className={parts.between}>
        <h3 className={parts.heading}>
          <EnvironmentMark name={environment} production={production} />
        </h3>
        {yes + no > 0 && (
          <span className={parts.quiet}>
            {words.yes} {words.share(yes, no)}
          </span>
        )}
      </div>
      {yes + no === 0 ? (
        <p className={parts.quiet}>{words.noneHere}</p>
      ) : (
        <>
          <UseChart environment={environment} use={use} hoursBack={hoursBack} />
          <p className={styles.legend}>
            <span>
              <span className={styles.swatch} data-kind="on" aria-hidden />
              {numberText(yes)} {words.yes}
            </span>
            <span>
              <span className={styles.swatch} data-kind="off" aria-hidden />
              {numberText(no)} {words.no}
            </span>
          </p>
          <Variants use={use} />
        </>
      )}
    </section>
  );
}

function applicationColumns(production: ProductionNames, hoursBack: number): Column<ApplicationUse>[] {
  return [
    {
      key: 'application',
      header: words.columns.application,
      width: 'minmax(0, 2fr)',
      cell: ({ appName }, controls) => (
        <Link {...controls} className={`${parts.cut} ${parts.link}`} href={path('application', { appName })}>
          {appName}
        </Link>
      ),
    },
    {
      key: 'environments',
      header: words.columns.environments,
      width: 'minmax(0, 2fr)',
      from: 'medium',
      cell: ({ environments }) =>
        environments.map((name) => <EnvironmentMark key={name} name={name} production={production.has(name)} />),
    },
    {
      key: 'yes',
      header: words.columns.yes,
      width: '88px',
      align: 'end',
      cell: ({ yes }) => <NumberText value={yes} />,
    },
    { key: 'no', header: words.columns.no, width: '88px', align: 'end', cell: ({ no }) => <NumberText value={no} /> },
    {
      key: 'last',
      header: words.columns.last,
      width: '144px',
      from: 'wide',
      cell: ({ lastMs }) => slotText(lastMs, hoursBack),
    },
  ];
}

interface UseProps {
  readonly flag: Feature;
  readonly reports: readonly Report[];
  readonly hoursBack: number;
  /** When the reports were read. */
  readonly atMs: number;
}

function Charts({ flag, reports, hoursBack, atMs }: UseProps) {
  const production = useProductionNames();
  const [appName, setAppName] = useUrlState('application');
  const applications = useMemo(() => applicationsOf(reports), [reports]);
  const columns = useMemo(() => applicationColumns(production, hoursBack), [production, hoursBack]);
  const chosen = appName === '' ? reports : reports.filter((report) => report.appName === appName);
  // Reports may be from environments that the project no longer has.
  const environments = [
    ...new Set([...flag.environments.map(({ name }) => name), ...reports.map(({ environment }) => environment)]),
  ];
  if (reports.length === 0) return <p className={parts.quiet}>{words.none}</p>;
  return (
    <>
      <div className={parts.filter}>
        <Select
          label={words.application}
          value={appName}
          onChange={setAppName}
          options={[
            { value: '', label: words.allApplications },
            ...applications.map((one) => ({ value: one.appName, label: one.appName })),
          ]}
        />
      </div>
      <div className={styles.cards}>
        {environments.map((name) => (
          <EnvironmentCard
            key={name}
            environment={name}
            production={production.has(name)}
            use={countsIn(chosen, name, hoursBack, atMs)}
            hoursBack={hoursBack}
          />
        ))}
      </div>
      <div className={parts.stack}>
        <h3 className={parts.heading}>{words.applications}</h3>
        <div className={parts.list}>
          <Table<ApplicationUse>
            main
            label={words.applications}
            columns={columns}
            rows={applications}
            rowKey={(one) => one.appName}
          />
        </div>
      </div>
    </>
  );
}

/** How SDKs use the flag, how far it has come, and what it costs. */
export function UseTab({ flag }: { readonly flag: Feature }) {
  const [text, setPeriod] = useUrlState('period', '48');
  const period = periodOf(text);
  const query = useQuery(reportsQuery(flag.name, Number(period)));
  return (
    <div className={styles.tab}>
      <Lifecycle flag={flag} />
      <section className={parts.stack}>
        <h2 className={parts.heading}>{words.title}</h2>
        <p className={parts.lead}>{words.lead}</p>
        <div className={parts.tools}>
          <Segmented label={words.period} options={PERIOD_OPTIONS} value={period} onChange={setPeriod} />
          <Button
            icon={<RefreshCw aria-hidden />}
            pending={query.isFetching && query.data !== undefined}
            onClick={() => void query.refetch()}
          >
            {words.again}
          </Button>
        </div>
        <Loaded query={query}>
          {(reports) => <Charts flag={flag} reports={reports} hoursBack={Number(period)} atMs={query.dataUpdatedAt} />}
        </Loaded>
      </section>
      <CodeReferences project={flag.project} name={flag.name} />
      <Cost flag={flag} />
    </div>
  );
}
