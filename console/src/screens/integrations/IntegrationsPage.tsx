import { useQuery } from '@tanstack/react-query';
import { Plug } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { type MayNot, useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Switch } from '../../kit/inputs/Switch.tsx';
import type { Column } from '../../kit/lists/Table.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import styles from '../../parts/parts.module.css';
import { otherState, switchedEntries } from '../../parts/Switched.tsx';
import { path } from '../../paths.ts';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import { DeliveryBadge } from './DeliveryBadge.tsx';
import { ACTS, type Act, ConfirmAct } from './IntegrationActs.tsx';
import { CreateIntegration } from './IntegrationPanels.tsx';
import { deliveriesQuery, type Integration, nameOf, type Provider, providerName } from './integration-data.ts';

interface Asked {
  readonly act: Act;
  readonly integration: Integration;
}

interface Acts {
  readonly providers: readonly Provider[];
  readonly mayNotUpdate: MayNot;
  readonly mayNotDelete: MayNot;
  readonly onOpen: (integration: Integration, panel?: string) => void;
  readonly onAsk: (asked: Asked) => void;
}

function menuOf({ providers, mayNotUpdate, mayNotDelete, onOpen, onAsk }: Acts): Column<Integration> {
  return menuColumn(
    (one) => words.actions(nameOf(one, providers)),
    (one) =>
      switchedEntries({
        enabled: one.enabled,
        mayNot: mayNotUpdate,
        mayNotDelete,
        onOpen: (panel) => onOpen(one, panel),
        onAsk: (act) => onAsk({ act, integration: one }),
      }),
  );
}

function columnsOf(acts: Acts): Column<Integration>[] {
  const { columns } = words;
  const { providers, mayNotUpdate, onAsk } = acts;
  return [
    {
      key: 'enabled',
      header: columns.enabled,
      width: '56px',
      // A narrow window has the switch in the menu.
      from: 'medium',
      cell: (one, inRow) => (
        <Switch
          does="asks"
          {...inRow}
          checked={one.enabled}
          label={words.isOn(nameOf(one, providers))}
          reason={mayNotUpdate}
          onChange={() => onAsk({ act: otherState(one.enabled), integration: one })}
        />
      ),
    },
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 2fr)',
      sortable: true,
      cell: (one) => <span className={styles.cut}>{nameOf(one, providers)}</span>,
    },
    {
      key: 'provider',
      header: columns.provider,
      width: 'minmax(0, 1fr)',
      sortable: true,
      from: 'medium',
      cell: ({ provider }) => <span className={styles.cut}>{providerName(provider, providers)}</span>,
    },
    {
      key: 'events',
      header: columns.events,
      width: '64px',
      align: 'end',
      from: 'wide',
      cell: ({ events }) => <NumberText value={events.length} />,
    },
    {
      key: 'state',
      header: columns.state,
      width: '112px',
      sortable: true,
      cell: ({ delivery }) => <DeliveryBadge state={delivery.state} />,
    },
    menuOf(acts),
  ];
}

const asksOf = (integration: Integration) => ACTS.map((act): Asked => ({ act, integration }));
const askKey = ({ act, integration: { id } }: Asked) => `${act}~${id}`;

const NO_PROVIDERS: readonly Provider[] = [];

/** All integrations, with the panel that the address says. */
export function IntegrationsPage() {
  const query = useQuery(deliveriesQuery);
  const [, navigate] = useLocation();
  const [panel, setPanel] = useOpened('panel');
  const [, setProvider] = useUrlState('provider');
  const { addons, providers = NO_PROVIDERS } = query.data ?? {};
  const [asked, setAsked] = useOpenedItem('ask', addons?.flatMap(asksOf), askKey);
  const mayNotUpdate = useMay('UPDATE_ADDON');
  const mayNotDelete = useMay('DELETE_ADDON');
  const columns = useMemo(() => {
    const onOpen = ({ id }: Integration, shown?: string) => navigate(path('integration', { id }, { panel: shown }));
    return columnsOf({ providers, mayNotUpdate, mayNotDelete, onOpen, onAsk: setAsked });
  }, [providers, mayNotUpdate, mayNotDelete, navigate, setAsked]);
  const [texts, sortText] = useMemo(() => {
    const shown = (one: Integration) => [nameOf(one, providers), providerName(one.provider, providers)];
    const keyed = (one: Integration, key: string) =>
      key === 'state' ? one.delivery.state : (shown(one)[key === 'provider' ? 1 : 0] ?? '');
    return [shown, keyed] as const;
  }, [providers]);
  const close = () => {
    setProvider('');
    setPanel('');
  };
  // A deprecated provider is only for integrations that have it already.
  const [first, ...others] = providers.filter(({ deprecated }) => deprecated === undefined);
  const askedProvider = providers.find(({ name }) => name === asked?.integration.provider);
  return (
    <ListPage<Integration>
      words={words}
      icon={<Plug aria-hidden />}
      query={query}
      rows={addons}
      columns={columns}
      rowKey={({ id }) => String(id)}
      texts={texts}
      sortText={sortText}
      firstSort="name"
      mayNotCreate={useMay('CREATE_ADDON')}
      onCreate={() => setPanel('create')}
      onOpen={({ id }) => navigate(path('integration', { id }), { replace: true })}
      command={curl('/api/admin/addons', {
        provider: 'webhook',
        enabled: true,
        events: ['feature-environment-enabled'],
        parameters: { url: 'https://calendar.example.com/flags' },
      })}
    >
      {panel === 'create' && first && (
        <CreateIntegration
          providers={[first, ...others]}
          onCreated={({ id }) => navigate(path('integration', { id }), { replace: true })}
          onClose={close}
        />
      )}
      {asked && askedProvider && <ConfirmAct {...asked} provider={askedProvider} onClose={() => setAsked(null)} />}
    </ListPage>
  );
}
