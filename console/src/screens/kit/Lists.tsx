import { Flag, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { HOUR_MS } from '../../domain/milliseconds.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Switch } from '../../kit/inputs/Switch.tsx';
import { ByDay } from '../../kit/lists/ByDay.tsx';
import { Pager } from '../../kit/lists/Pager.tsx';
import { TabLinks } from '../../kit/lists/TabLinks.tsx';
import { type Column, type Sort, Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Badge, Tag } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import styles from './KitPage.module.css';
import { Specimen, State } from './Specimen.tsx';

interface ExampleFlag {
  readonly name: string;
  readonly type: string;
  readonly isStale: boolean;
  readonly at: number;
  readonly development: boolean;
  readonly production: boolean;
}

const nothing = () => undefined;
const NAMES = ['new-checkout', 'dark-mode', 'search-v2', 'billing.invoice-pdf', 'kill-payments', 'beta-onboarding'];

function flags(count: number): ExampleFlag[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `${NAMES[at % NAMES.length]}${at < NAMES.length ? '' : `-${at}`}`,
    type: at % 5 === 4 ? 'kill-switch' : 'release',
    isStale: at % 4 === 3,
    at: Date.now() - (at % 60) ** 2 * HOUR_MS,
    development: at % 3 !== 1,
    production: at % 3 === 0,
  }));
}

const COLUMNS: readonly Column<ExampleFlag>[] = [
  {
    key: 'name',
    header: 'Name',
    width: 'minmax(0, 1fr)',
    sortable: true,
    cell: ({ name, isStale }, controls) => (
      <>
        <a href={`#${name}`} className={styles.flag} {...controls}>
          {name}
        </a>
        {isStale && <Badge tone="warn">stale</Badge>}
      </>
    ),
  },
  { key: 'tags', header: 'Tags', width: '150px', from: 'wide', cell: () => <Tag type="team" value="payments" /> },
  {
    key: 'type',
    header: 'Type',
    width: '96px',
    from: 'medium',
    cell: ({ type }) => <span className={styles.quiet}>{type}</span>,
  },
  {
    key: 'changed',
    header: 'Changed',
    width: '104px',
    from: 'wide',
    sortable: true,
    cell: ({ at }) => (
      <span className={styles.quiet}>
        <TimeText at={at} />
      </span>
    ),
  },
  {
    key: 'development',
    header: 'dev',
    width: '56px',
    align: 'center',
    cell: ({ name, development }, { tabIndex }) => (
      <Switch
        does="saves"
        checked={development}
        onChange={nothing}
        label={`${name} in development`}
        tabIndex={tabIndex}
      />
    ),
  },
  {
    key: 'production',
    header: 'prod',
    width: '56px',
    align: 'center',
    production: true,
    cell: ({ name, production }, { tabIndex }) => (
      <Switch
        checked={production}
        onChange={nothing}
        does="asks"
        guarded
        label={`${name} in production`}
        tabIndex={tabIndex}
      />
    ),
  },
];

const keyOf = ({ name }: ExampleFlag) => name;

/** Tabs that are screens. */
function OfScreens() {
  return (
    <Specimen name="TabLinks">
      <State of="of screens">
        <TabLinks
          label="Parts of a project"
          value="flags"
          tabs={[
            { value: 'flags', label: 'Flags', href: '/kit' },
            { value: 'health', label: 'Health', href: '/kit?health' },
          ]}
        />
      </State>
    </Specimen>
  );
}

const HAPPENED = [
  { at: '2026-11-26T22:14:00', what: 'Switched on in production' },
  { at: '2026-11-26T09:30:00', what: 'Created' },
  { at: '2026-11-24T16:05:00', what: 'Description changed' },
];

/** Lists of days. */
function OfDays() {
  return (
    <Specimen name="ByDay">
      <State of="two days">
        <ByDay items={HAPPENED} at={({ at }) => at}>
          {(ofDay, day) => (
            <ul aria-label={day}>
              {ofDay.map(({ at, what }) => (
                <li key={at}>
                  <TimeText at={at} clock /> {what}
                </li>
              ))}
            </ul>
          )}
        </ByDay>
      </State>
    </Specimen>
  );
}

export function Lists() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set(['dark-mode']));
  const [sort, setSort] = useState<Sort>({ key: 'name', descending: false });
  const [offset, setOffset] = useState(0);
  const few = useMemo(() => flags(6), []);
  const many = useMemo(() => flags(100_000), []);
  return (
    <section className={styles.group}>
      <h2 className={styles.heading}>Lists</h2>
      <Specimen name="Table">
        <State of="with a selection" wide>
          <div className={styles.card}>
            <Table
              label="Flags"
              columns={COLUMNS}
              rows={few}
              rowKey={keyOf}
              onOpen={nothing}
              sort={sort}
              onSort={setSort}
              selection={{ selected, onChange: setSelected }}
            />
          </div>
        </State>
        <State of="100,000 rows" wide>
          <div className={`${styles.card} ${styles.long}`}>
            <Table label="All flags" columns={COLUMNS} rows={many} rowKey={keyOf} onOpen={nothing} virtual />
          </div>
        </State>
        <State of="empty" wide>
          <div className={styles.card}>
            <Table
              label="No flags"
              columns={COLUMNS}
              rows={[]}
              rowKey={keyOf}
              empty={
                <EmptyState
                  icon={<Flag aria-hidden />}
                  sentence="This project has no flags yet."
                  action={
                    <Button kind="primary" icon={<Plus aria-hidden />}>
                      New flag
                    </Button>
                  }
                  command={'burgee flag create new-checkout --project payments'}
                  commandLabel="the command"
                />
              }
            />
          </div>
        </State>
      </Specimen>
      <OfDays />
      <OfScreens />
      <Specimen name="Pager">
        <State of="counted">
          <Pager offset={offset} limit={50} total={128} onMove={setOffset} />
        </State>
        <State of="not counted">
          <Pager label="More pages" offset={50} limit={50} hasMore onMove={nothing} />
        </State>
      </Specimen>
    </section>
  );
}
