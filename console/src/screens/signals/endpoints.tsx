import { useQuery } from '@tanstack/react-query';
import { RadioTower } from 'lucide-react';
import { keys } from '../../data/keys.ts';
import { col } from '../../parts/columns.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { deletion, type Listed, switching } from '../../parts/ListScreen.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { signals as words } from '../../words/en/admin/signals.ts';
import { deleteEndpoint, LIST, type SignalEndpoint, signalEndpointsQuery, switchEndpoint } from './signal-data.ts';
import { WhereActionsAre } from './WhereActionsAre.tsx';

const { columns } = words;

/** All endpoints to which monitors send signals. */
export const ENDPOINTS: Listed<SignalEndpoint> = {
  words,
  icon: <RadioTower aria-hidden />,
  moreLead: <WhereActionsAre />,
  useRows: () => useQuery(signalEndpointsQuery),
  refresh: [keys.signalEndpoints],
  refreshOf: ({ id }) => [keys.signalEndpoint(id)],
  mayCreate: 'ADMIN',
  mayUpdate: 'ADMIN',
  keyOf: ({ id }) => String(id),
  nameOf: ({ name }) => name,
  screenOf: ({ id }) => path('signal', { id }),
  switched: { header: columns.enabled, width: '56px', label: words.isOn },
  acts: [
    ...switching<SignalEndpoint>(words, {
      may: 'ADMIN',
      run: ({ id }, isOn, reason) => switchEndpoint(id, isOn, reason),
    }),
    deletion(words, {
      may: 'ADMIN',
      useQuestion: () => ({ sentences: words.deleteEffects }),
      run: ({ id }, reason) => deleteEndpoint(id, reason),
    }),
  ],
  canUndo: false,
  texts: ({ name, description }) => [name, description],
  sortText: ({ name, createdAt }, key) => (key === 'createdAt' ? createdAt : name),
  columns: [
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
    col.quiet('description', columns.description, ({ description }) => description, { width: 'minmax(0, 1.6fr)' }),
    col.number('tokens', columns.tokens, ({ tokens }) => tokens.length, { width: '72px' }),
    col.time('createdAt', columns.created, ({ createdAt }) => createdAt, { sortable: true }),
  ],
  command: curl(LIST, { name: 'alertmanager' }),
};
