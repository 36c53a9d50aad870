import { useQuery } from '@tanstack/react-query';
import { Plus, SlidersHorizontal } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { useLocation, useParams } from 'wouter';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { useOpenedItem, usePanelPages } from '../../data/opened.ts';
import { useContextFieldsWithUse } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import type { ContextField } from '../../domain/model.ts';
import { useShortcut } from '../../keys/registry.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FilterInput, matches } from '../../parts/FilterInput.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import { NothingMatches } from '../../parts/NothingMatches.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { UsedBy } from '../../parts/UsedBy.tsx';
import { path } from '../../paths.ts';
import { context as words } from '../../words/en/context.ts';
import { parts } from '../../words/en/parts.ts';
import { usedBy } from '../../words/en/segments.ts';
import { CreateField, EditField } from './ContextPanel.tsx';
import { contextUseQuery } from './context-data.ts';

function columnsOf(
  onOpen: (field: ContextField) => void,
  onDelete: (field: ContextField) => void,
  mayNot: MayNot,
): Column<ContextField>[] {
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(104px, 1fr)',
      cell: ({ name }) => <code className={styles.cut}>{name}</code>,
    },
    {
      key: 'description',
      header: columns.description,
      width: 'minmax(0, 2fr)',
      from: 'medium',
      cell: ({ description }) => <span className={`${styles.cut} ${styles.quiet}`}>{description}</span>,
    },
    {
      key: 'values',
      header: columns.values,
      width: '96px',
      cell: ({ legalValues }) =>
        legalValues.length === 0 ? (
          <span className={styles.quiet}>{words.anyValue}</span>
        ) : (
          words.valueCount(legalValues.length)
        ),
    },
    {
      key: 'sticky',
      header: columns.sticky,
      width: '88px',
      from: 'wide',
      cell: ({ stickiness }) => stickiness && <Badge tone="accent">{words.sticky}</Badge>,
    },
    {
      key: 'used',
      header: columns.used,
      width: '56px',
      align: 'end',
      from: 'medium',
      cell: ({ usedInFeatures }) => <NumberText value={usedInFeatures ?? 0} />,
    },
    menuColumn(
      (field) => words.actions(field.name),
      (field) => [
        { label: words.edit, onSelect: () => onOpen(field) },
        { label: words.delete, danger: true, reason: mayNot, onSelect: () => onDelete(field) },
      ],
    ),
  ];
}

function DeleteField({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { data: strategies } = useQuery(contextUseQuery(name));
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.deleteTitle(name)}
      sentences={words.deleteEffects(name)}
      label={parts.delete}
      mayNot={useMay('DELETE_CONTEXT_FIELD')}
      act={(reason) =>
        write(
          api.DELETE('/api/admin/context/{contextField}', {
            params: { path: { contextField: name } },
            headers: stated({ reason }),
          }),
        )
      }
      saved={{ canUndo: true, text: words.deleted(name), refresh: [keys.contextFields] }}
      onClose={onClose}
    >
      {strategies && <UsedBy title={usedBy.title} strategies={strategies} />}
    </ConfirmDialog>
  );
}

interface FieldListProps {
  readonly rows: readonly ContextField[];
  readonly columns: readonly Column<ContextField>[];
  readonly text: string;
  readonly onFilter: (text: string) => void;
  readonly onOpen: (row: ContextField) => void;
}

function FieldList({ rows, columns, text, onFilter, onOpen }: FieldListProps) {
  return (
    <>
      <div className={styles.tools}>
        <FilterInput value={text} onChange={onFilter} />
      </div>
      <div className={styles.list}>
        <Table<ContextField>
          main
          label={words.title}
          columns={columns}
          rows={rows.filter((one) =>
            matches(text, one.name, one.description, ...one.legalValues.map(({ value }) => value)),
          )}
          rowKey={({ name }) => name}
          onOpen={onOpen}
          empty={<NothingMatches onClear={() => onFilter('')} />}
        />
      </div>
    </>
  );
}

const nameOf = ({ name }: ContextField) => name;

/** The list, with the panel that the address says beside it. */
export function ContextPage() {
  const query = useContextFieldsWithUse();
  const params = useParams<{ name?: string }>();
  const [location] = useLocation();
  const [text, setText] = useUrlState('filter');
  const [deleting, setDeleting] = useOpenedItem('ask', query.data, nameOf);
  const mayNotCreate = useMay('CREATE_CONTEXT_FIELD');
  const mayNotDelete = useMay('DELETE_CONTEXT_FIELD');
  const { open: show, close } = usePanelPages(path('context'));
  const create = () => show(path('createContextField'));
  useShortcut(
    mayNotCreate === undefined ? { keys: 'c', label: words.create, group: words.title, run: create } : undefined,
  );
  const open = useCallback(({ name }: ContextField) => show(path('contextField', { name })), [show]);
  const columns = useMemo(() => columnsOf(open, setDeleting, mayNotDelete), [open, setDeleting, mayNotDelete]);
  const button = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNotCreate} onClick={create}>
      {words.create}
    </Button>
  );
  const asked = params.name === undefined ? undefined : decodeURIComponent(params.name);
  const shown = query.data?.find(({ name }) => name === asked);
  return (
    <Page
      name={words.title}
      count={query.data?.length}
      lead={words.lead}
      actions={query.data?.length === 0 ? undefined : button}
    >
      <Loaded query={query}>
        {(all) => {
          if (all.length === 0)
            return <EmptyState icon={<SlidersHorizontal aria-hidden />} sentence={words.none} action={button} />;
          return <FieldList rows={all} columns={columns} text={text} onFilter={setText} onOpen={open} />;
        }}
      </Loaded>
      {location === path('createContextField') && <CreateField onClose={close} />}
      {shown && <EditField key={shown.name} field={shown} onClose={close} />}
      {deleting && <DeleteField name={deleting.name} onClose={() => setDeleting(null)} />}
    </Page>
  );
}
