import { ArrowDown, ArrowUp, Copy, Ellipsis, Layers, Pencil, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api, write } from '../../data/client.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { isProduction, useEnvironments } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { Dialog } from '../../kit/Dialog.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { EnvironmentMark } from '../../kit/EnvironmentMark.tsx';
import { Field } from '../../kit/Field.tsx';
import { IconButton } from '../../kit/IconButton.tsx';
import { Menu } from '../../kit/Menu.tsx';
import { NumberText } from '../../kit/NumberText.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { type Column, type InRow, Table } from '../../kit/Table.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { useWrite, type Writing } from '../../save/use-write.ts';
import { Page } from '../../shell/Page.tsx';
import { environments as words } from '../../words/en/environments.ts';
import { EnvironmentForm } from './EnvironmentForm.tsx';

export type Environment = NonNullable<ReturnType<typeof useEnvironments>['data']>[number];

function DeleteEnvironment({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const writing = useWrite();
  const remove = async () => {
    const done = await writing.run(
      () => write(api.DELETE('/api/admin/environments/{name}', { params: { path: { name } } })),
      words.deleted(name),
    );
    if (done) onClose();
  };
  return (
    <Dialog
      open
      size="small"
      title={words.remove(name)}
      description={words.removeText}
      onClose={onClose}
      hasDraft={typed !== ''}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            kind="danger"
            pending={writing.isPending}
            reason={typed === name ? undefined : words.name}
            onClick={() => void remove()}
          >
            {words.remove(name)}
          </Button>
        </>
      }
    >
      <Field label={words.name}>
        <TextInput mono autoFocus value={typed} onChange={(event) => setTyped(event.target.value)} />
      </Field>
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </Dialog>
  );
}

/** Swaps the positions of two environments, in one request. */
const reorder = (rows: readonly Environment[], from: number, to: number) => {
  const list = [...rows];
  const [moved] = list.splice(from, 1);
  if (moved) list.splice(to, 0, moved);
  return Object.fromEntries(list.map(({ name }, index) => [name, (index + 1) * 100]));
};

const facts: Column<Environment>[] = [
  {
    key: 'name',
    header: words.columns.name,
    width: 'minmax(160px, 1fr)',
    cell: ({ name, type }) => <EnvironmentMark name={name} production={isProduction(type)} />,
  },
  {
    key: 'type',
    header: words.columns.type,
    width: '140px',
    from: 'medium',
    cell: ({ type }) => words.types[type] ?? type,
  },
  {
    key: 'enabled',
    header: words.columns.enabled,
    width: '80px',
    from: 'wide',
    cell: ({ enabled }) => (enabled ? words.yes : words.no),
  },
  {
    key: 'reason',
    header: words.columns.reason,
    width: '90px',
    from: 'wide',
    cell: ({ requireReason }) => (requireReason ? words.needed : ''),
  },
  {
    key: 'projects',
    header: words.columns.projects,
    width: '80px',
    align: 'end',
    from: 'medium',
    cell: ({ projectCount }) => <NumberText value={projectCount ?? 0} />,
  },
  {
    key: 'flags',
    header: words.columns.flags,
    width: '80px',
    align: 'end',
    from: 'medium',
    cell: ({ enabledToggleCount }) => <NumberText value={enabledToggleCount ?? 0} />,
  },
  {
    key: 'tokens',
    header: words.columns.tokens,
    width: '80px',
    align: 'end',
    from: 'wide',
    cell: ({ apiTokenCount }) => <NumberText value={apiTokenCount ?? 0} />,
  },
];

interface ActionsProps {
  readonly row: Environment;
  readonly inRow: InRow;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly mayNot: MayNot;
  readonly onMove: (by: 1 | -1) => void;
  readonly onPanel: (kind: 'edit' | 'clone') => void;
  readonly onDelete: () => void;
}

function Actions({ row, inRow, isFirst, isLast, mayNot, onMove, onPanel, onDelete }: ActionsProps) {
  return (
    <>
      <IconButton
        {...inRow}
        size="small"
        icon={<ArrowUp aria-hidden />}
        label={words.moveUp(row.name)}
        reason={mayNot ?? (isFirst ? words.isFirst : undefined)}
        onClick={() => onMove(-1)}
      />
      <IconButton
        {...inRow}
        size="small"
        icon={<ArrowDown aria-hidden />}
        label={words.moveDown(row.name)}
        reason={mayNot ?? (isLast ? words.isLast : undefined)}
        onClick={() => onMove(1)}
      />
      <Menu
        {...inRow}
        label={words.actions(row.name)}
        icon={<Ellipsis aria-hidden />}
        size="small"
        align="end"
        entries={[
          {
            label: words.edit(row.name),
            icon: <Pencil aria-hidden />,
            reason: mayNot,
            onSelect: () => onPanel('edit'),
          },
          {
            label: words.clone(row.name),
            icon: <Copy aria-hidden />,
            reason: mayNot,
            onSelect: () => onPanel('clone'),
          },
          {
            label: words.remove(row.name),
            icon: <Trash2 aria-hidden />,
            danger: true,
            reason: mayNot ?? (row.protected ? words.isProtected : undefined),
            onSelect: () => onDelete(),
          },
        ]}
      />
    </>
  );
}

function useColumns(
  data: readonly Environment[] | undefined,
  mayNot: MayNot,
  run: Writing['run'],
  setPanel: (panel: string) => void,
  setDeleted: (name: string) => void,
) {
  return useMemo((): Column<Environment>[] => {
    const rows = data ?? [];
    const move = (environment: Environment, by: 1 | -1) => {
      const from = rows.indexOf(environment);
      void run(
        () => write(api.PUT('/api/admin/environments/sort-order', { body: reorder(rows, from, from + by) })),
        words.moved(environment.name),
      );
    };
    return [
      ...facts,
      {
        key: 'actions',
        header: words.columns.order,
        width: '120px',
        align: 'end',
        cell: (row, inRow) => (
          <Actions
            row={row}
            inRow={inRow}
            isFirst={row === rows[0]}
            isLast={row === rows.at(-1)}
            mayNot={mayNot}
            onMove={(by) => move(row, by)}
            onPanel={(kind) => setPanel(`${kind}:${row.name}`)}
            onDelete={() => setDeleted(row.name)}
          />
        ),
      },
    ];
  }, [data, mayNot, run, setPanel, setDeleted]);
}

export function EnvironmentsScreen() {
  const { data, error } = useEnvironments();
  const [panel, setPanel] = useUrlState('panel');
  const [deleted, setDeleted] = useState<string | null>(null);
  const writing = useWrite();
  const mayNot = useMay('ADMIN');
  const { run } = writing;
  const create = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNot} onClick={() => setPanel('create')}>
      {words.create}
    </Button>
  );
  const columns = useColumns(data, mayNot, run, setPanel, setDeleted);
  const [kind, name] = panel.split(':');
  const chosen = data?.find((one) => one.name === name);
  const isOpen = panel === 'create' || (chosen && (kind === 'edit' || kind === 'clone'));
  return (
    <Page
      title={words.title}
      actions={create}
      inspector={
        isOpen && (
          <EnvironmentForm key={panel} kind={kind as 'create'} environment={chosen} onClose={() => setPanel('')} />
        )
      }
    >
      {(error ?? writing.failure) && <Banner tone="bad">{(error ?? writing.failure)?.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={3} />}
      {data && (
        <Table<Environment>
          label={words.title}
          main
          columns={columns}
          rows={data}
          rowKey={(row) => row.name}
          onOpen={(row) => setPanel(`edit:${row.name}`)}
          empty={<EmptyState icon={<Layers aria-hidden />} sentence={words.empty} action={create} />}
        />
      )}
      {deleted && <DeleteEnvironment name={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  );
}
