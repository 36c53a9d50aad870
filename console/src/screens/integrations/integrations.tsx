import { useQuery } from '@tanstack/react-query';
import { Plug } from 'lucide-react';
import { keys } from '../../data/keys.ts';
import { col } from '../../parts/columns.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { type Act, deletion, type Listed, switching } from '../../parts/ListScreen.tsx';
import { path } from '../../paths.ts';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import { DeliveryBadge } from './DeliveryBadge.tsx';
import {
  deleteIntegration,
  deliveriesQuery,
  type Integration,
  nameOf,
  providerOf,
  saveIntegration,
  valuesOf,
} from './integration-data.ts';

const { columns } = words;

type Answer = Awaited<ReturnType<typeof deliveriesQuery.queryFn>>;
const listQuery = { ...deliveriesQuery, select: ({ addons }: Answer) => addons };

const save = (one: Integration, enabled: boolean, reason: string) => {
  const base = valuesOf(one);
  return saveIntegration(one.id, providerOf(one), base, { ...base, enabled }, reason);
};

/** A button of the screen of an integration whose attempts fail. A change without a difference ends the pause after a failure. */
const resume: Act<Integration> = {
  key: 'resume',
  may: 'UPDATE_ADDON',
  isFor: () => false,
  menu: words.resumeLabel,
  label: words.resumeLabel,
  title: words.resumeTitle,
  useQuestion: () => ({ sentences: [words.resumeEffect] }),
  run: (one, reason) => save(one, one.enabled, reason),
  done: words.resumed,
};

export const INTEGRATIONS: Listed<Integration> = {
  words,
  icon: <Plug aria-hidden />,
  useRows: () => useQuery(listQuery),
  refresh: [keys.integrations],
  refreshOf: ({ id }) => [keys.integration(id)],
  mayCreate: 'CREATE_ADDON',
  mayUpdate: 'UPDATE_ADDON',
  keyOf: ({ id }) => String(id),
  nameOf,
  screenOf: ({ id }) => path('integration', { id }),
  // A narrow window has the switch in the menu.
  switched: { header: columns.enabled, width: '56px', from: 'medium', label: words.isOn },
  acts: [
    ...switching<Integration>(words, { may: 'UPDATE_ADDON', run: save }),
    resume,
    deletion(words, {
      may: 'DELETE_ADDON',
      useQuestion: () => ({ sentences: words.deleteEffects }),
      run: ({ id }, reason) => deleteIntegration(id, reason),
    }),
  ],
  canUndo: false,
  texts: (one) => [nameOf(one), providerOf(one).displayName],
  sortText: (one, key) =>
    key === 'state' ? one.delivery.state : key === 'provider' ? providerOf(one).displayName : nameOf(one),
  columns: [
    col.text('name', columns.name, (one) => nameOf(one), { width: 'minmax(0, 2fr)', sortable: true }),
    col.text('provider', columns.provider, (one) => providerOf(one).displayName, { from: 'medium', sortable: true }),
    col.number('events', columns.events, ({ events }) => events.length, { width: '64px', from: 'wide' }),
    {
      key: 'state',
      header: columns.state,
      width: '112px',
      sortable: true,
      cell: ({ delivery }) => <DeliveryBadge state={delivery.state} />,
    },
  ],
  command: curl('/api/admin/addons', {
    provider: 'webhook',
    enabled: true,
    events: ['feature-environment-enabled'],
    parameters: { url: 'https://calendar.example.com/flags' },
  }),
};
