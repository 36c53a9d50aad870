import { Blocks } from 'lucide-react';
import { useMemo } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { useStrategyTypes } from '../../data/feature.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import type { Column } from '../../kit/lists/Table.tsx';
import type { MenuEntry } from '../../kit/overlays/Menu.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import styles from '../../parts/parts.module.css';
import { strategyTypes as words } from '../../words/en/admin/strategy-types.ts';
import { parts } from '../../words/en/parts.ts';
import { CreateStrategyType, EditStrategyType, ShowStrategyType } from './StrategyTypePanels.tsx';
import type { StrategyType } from './strategy-type-data.ts';

const ACTS = ['deprecate', 'reactivate', 'delete'] as const;
type Act = (typeof ACTS)[number];
interface Asked {
  readonly act: Act;
  readonly name: string;
}

interface Acts {
  readonly mayNotUpdate: MayNot;
  readonly mayNotDelete: MayNot;
  readonly onOpen: (type: StrategyType) => void;
  readonly onAsk: (asked: Asked) => void;
}

function entriesOf(type: StrategyType, acts: Acts): readonly MenuEntry[] {
  const { name, editable, deprecated } = type;
  const { mayNotUpdate, mayNotDelete, onOpen, onAsk } = acts;
  return [
    { label: editable ? words.edit : words.show, onSelect: () => onOpen(type) },
    deprecated
      ? { label: words.reactivate, reason: mayNotUpdate, onSelect: () => onAsk({ act: 'reactivate', name }) }
      : {
          label: words.deprecate,
          reason: mayNotUpdate ?? (name === 'default' ? words.isDefault : undefined),
          onSelect: () => onAsk({ act: 'deprecate', name }),
        },
    {
      label: words.delete,
      danger: true,
      reason: mayNotDelete ?? (editable ? undefined : words.isBuiltIn),
      onSelect: () => onAsk({ act: 'delete', name }),
    },
  ];
}

function columnsOf(acts: Acts): Column<StrategyType>[] {
  const { columns, states } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1fr)',
      sortable: true,
      cell: ({ name }) => <code className={styles.cut}>{name}</code>,
    },
    {
      key: 'description',
      header: columns.description,
      width: 'minmax(0, 2fr)',
      from: 'medium',
      cell: ({ title, description }) => (
        <span className={`${styles.cut} ${styles.quiet}`}>{[title, description].filter(Boolean).join(': ')}</span>
      ),
    },
    {
      key: 'parameters',
      header: columns.parameters,
      width: '88px',
      align: 'end',
      from: 'wide',
      cell: ({ parameters }) => <NumberText value={parameters.length} />,
    },
    {
      key: 'state',
      header: columns.state,
      width: '104px',
      cell: ({ editable, deprecated }) =>
        deprecated ? (
          <Badge tone="warn" dot>
            {states.deprecated}
          </Badge>
        ) : (
          <Badge tone={editable ? 'accent' : 'neutral'}>{editable ? states.custom : states.builtIn}</Badge>
        ),
    },
    menuColumn(
      ({ name }) => words.actions(name),
      (type) => entriesOf(type, acts),
    ),
  ];
}

function Confirm({ asked: { act, name }, onClose }: { readonly asked: Asked; readonly onClose: () => void }) {
  const params = { path: { name } };
  const texts = {
    deprecate: [words.deprecateTitle(name), words.deprecateEffects(name), words.deprecate, words.deprecated(name)],
    reactivate: [words.reactivateTitle(name), words.reactivateEffects(name), words.reactivate, words.reactivated(name)],
    delete: [words.deleteTitle(name), words.deleteEffects(name), parts.delete, words.deleted(name)],
  } as const;
  const [title, sentences, label, text] = texts[act];
  return (
    <ConfirmDialog<unknown>
      danger={act === 'delete'}
      title={title}
      sentences={sentences}
      label={label.replace('…', '')}
      mayNot={useMay(act === 'delete' ? 'DELETE_STRATEGY' : 'UPDATE_STRATEGY')}
      act={(reason) => {
        const sent = { params, headers: stated({ reason }) };
        if (act === 'delete') return write<unknown>(api.DELETE('/api/admin/strategies/{name}', sent));
        return write<unknown>(
          act === 'deprecate'
            ? api.POST('/api/admin/strategies/{name}/deprecate', sent)
            : api.POST('/api/admin/strategies/{name}/reactivate', sent),
        );
      }}
      saved={{ canUndo: true, text, refresh: [keys.strategyTypes] }}
      onClose={onClose}
    />
  );
}

const asksOf = ({ name }: StrategyType) => ACTS.map((act): Asked => ({ act, name }));
const askKey = ({ act, name }: Asked) => `${act}~${name}`;

const textsOf = ({ name, title, description }: StrategyType) => [name, title, description];
const sortText = ({ name }: StrategyType) => name;

/** All types, with the panel that the address says. */
export function StrategyTypesPage() {
  const query = useStrategyTypes();
  const [panel, setPanel] = useOpened('panel');
  const [asked, setAsked] = useOpenedItem('ask', query.data?.flatMap(asksOf), askKey);
  const mayNotCreate = useMay('CREATE_STRATEGY');
  const mayNotUpdate = useMay('UPDATE_STRATEGY');
  const mayNotDelete = useMay('DELETE_STRATEGY');
  const columns = useMemo(
    () => columnsOf({ mayNotUpdate, mayNotDelete, onOpen: ({ name }) => setPanel(name), onAsk: setAsked }),
    [mayNotUpdate, mayNotDelete, setPanel, setAsked],
  );
  const shown = query.data?.find(({ name }) => name === panel);
  const close = () => setPanel('');
  return (
    <ListPage<StrategyType>
      words={words}
      icon={<Blocks aria-hidden />}
      query={query}
      rows={query.data}
      columns={columns}
      rowKey={({ name }) => name}
      texts={textsOf}
      sortText={sortText}
      firstSort="name"
      mayNotCreate={mayNotCreate}
      onCreate={() => setPanel('create')}
      onOpen={({ name }) => setPanel(name)}
      command={curl('/api/admin/strategies', { name: 'byTenant', parameters: [{ name: 'tenants', type: 'list' }] })}
    >
      {panel === 'create' && !shown && <CreateStrategyType onClose={close} />}
      {shown?.editable && <EditStrategyType key={shown.name} type={shown} onClose={close} />}
      {shown && !shown.editable && <ShowStrategyType key={shown.name} type={shown} onClose={close} />}
      {asked && <Confirm asked={asked} onClose={() => setAsked(null)} />}
    </ListPage>
  );
}
