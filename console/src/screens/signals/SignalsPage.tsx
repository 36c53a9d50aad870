import { useQuery } from '@tanstack/react-query';
import { RadioTower } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { type MayNot, useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import { Switch } from '../../kit/inputs/Switch.tsx';
import type { Column } from '../../kit/lists/Table.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import styles from '../../parts/parts.module.css';
import { otherState, switchedEntries } from '../../parts/Switched.tsx';
import { path } from '../../paths.ts';
import { signals as words } from '../../words/en/admin/signals.ts';
import { ACTS, type Act, ConfirmAct } from './EndpointActs.tsx';
import { CreateEndpoint } from './EndpointPanels.tsx';
import { type SignalEndpoint, signalEndpointsQuery } from './signal-data.ts';
import { WhereActionsAre } from './WhereActionsAre.tsx';

interface Asked {
  readonly act: Act;
  readonly endpoint: SignalEndpoint;
}

interface Acts {
  readonly mayNot: MayNot;
  readonly onOpen: (endpoint: SignalEndpoint, panel?: string) => void;
  readonly onAsk: (asked: Asked) => void;
}

function columnsOf({ mayNot, onOpen, onAsk }: Acts): Column<SignalEndpoint>[] {
  const { columns } = words;
  return [
    {
      key: 'enabled',
      header: columns.enabled,
      width: '56px',
      cell: (one, inRow) => (
        <Switch
          does="asks"
          {...inRow}
          checked={one.enabled}
          label={words.isOn(one.name)}
          reason={mayNot}
          onChange={() => onAsk({ act: otherState(one.enabled), endpoint: one })}
        />
      ),
    },
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.5fr)',
      sortable: true,
      cell: ({ name }) => (
        <code className={styles.cut} title={name}>
          {name}
        </code>
      ),
    },
    {
      key: 'description',
      header: columns.description,
      width: 'minmax(0, 1.6fr)',
      from: 'medium',
      cell: ({ description }) => <span className={`${styles.cut} ${styles.quiet}`}>{description}</span>,
    },
    {
      key: 'tokens',
      header: columns.tokens,
      width: '72px',
      align: 'end',
      cell: ({ tokens }) => <NumberText value={tokens.length} />,
    },
    {
      key: 'createdAt',
      header: columns.created,
      width: '104px',
      from: 'wide',
      sortable: true,
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
    },
    menuColumn(
      ({ name }) => words.actions(name),
      (one) =>
        switchedEntries({
          enabled: one.enabled,
          mayNot,
          mayNotDelete: mayNot,
          onOpen: (panel) => onOpen(one, panel),
          onAsk: (act) => onAsk({ act, endpoint: one }),
        }),
    ),
  ];
}

const asksOf = (endpoint: SignalEndpoint) => ACTS.map((act): Asked => ({ act, endpoint }));
const askKey = ({ act, endpoint: { id } }: Asked) => `${act}~${id}`;
const textsOf = ({ name, description }: SignalEndpoint) => [name, description];
const sortText = ({ name, createdAt }: SignalEndpoint, key: string) => (key === 'createdAt' ? createdAt : name);

/** All endpoints to which monitors send signals. */
export function SignalsPage() {
  const query = useQuery(signalEndpointsQuery);
  const [, navigate] = useLocation();
  const [panel, setPanel] = useOpened('panel');
  const [asked, setAsked] = useOpenedItem('ask', query.data?.flatMap(asksOf), askKey);
  const mayNot = useMay('ADMIN');
  const columns = useMemo(() => {
    const onOpen = ({ id }: SignalEndpoint, shown?: string) => navigate(path('signal', { id }, { panel: shown }));
    return columnsOf({ mayNot, onOpen, onAsk: setAsked });
  }, [mayNot, navigate, setAsked]);
  return (
    <ListPage<SignalEndpoint>
      words={words}
      icon={<RadioTower aria-hidden />}
      moreLead={<WhereActionsAre />}
      query={query}
      rows={query.data}
      columns={columns}
      rowKey={({ id }) => String(id)}
      texts={textsOf}
      sortText={sortText}
      firstSort="name"
      mayNotCreate={mayNot}
      onCreate={() => setPanel('create')}
      onOpen={({ id }) => navigate(path('signal', { id }))}
      command={curl('/api/admin/signal-endpoints', { name: 'alertmanager' })}
    >
      {panel === 'create' && (
        <CreateEndpoint
          // Without a token, no monitor can use it: the form of the first one follows.
          onCreated={({ id }) => navigate(path('signal', { id }, { panel: 'token' }), { replace: true })}
          onClose={() => setPanel('')}
        />
      )}
      {asked && <ConfirmAct {...asked} onClose={() => setAsked(null)} />}
    </ListPage>
  );
}
