import { useQuery } from '@tanstack/react-query';
import { Archive, Ellipsis } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { api, read } from '../../data/client.ts';
import { deleteFlag, reviveFlag } from '../../data/flag-actions.ts';
import { keys } from '../../data/keys.ts';
import { useMay, useMayIn } from '../../data/may.ts';
import { useOpenedItem } from '../../data/opened.ts';
import { useUrlState } from '../../data/url-state.ts';
import type { Feature } from '../../domain/model.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Dialog } from '../../kit/overlays/Dialog.tsx';
import { Menu } from '../../kit/overlays/Menu.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { FilterInput, matches } from '../../parts/FilterInput.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { NothingMatches } from '../../parts/NothingMatches.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { SaveButtons } from '../../save/SaveButtons.tsx';
import { type Run, useWrite } from '../../save/use-write.ts';
import { archived as words } from '../../words/en/events.ts';
import { features } from '../../words/en/flags/features.ts';

function DeleteFlag({ flag, onClose }: { readonly flag: Feature; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const writing = useWrite();
  const mayNot = useMay('DELETE_FEATURE', flag.project);
  const saving = () => deleteFlag(flag, '');
  const remove = () => writing.run(saving, { text: words.deleted(flag.name), isDelivered: true, onDone: onClose });
  return (
    <Dialog
      open
      size="small"
      title={words.removeTitle(flag.name)}
      description={words.removeText}
      onClose={onClose}
      hasDraft={typed !== ''}
      footer={
        <SaveButtons
          label={words.remove}
          kind="danger"
          isPending={writing.isPending}
          saving={saving}
          blocked={mayNot ?? (typed === flag.name ? undefined : words.name)}
          onSave={() => void remove()}
          onCancel={onClose}
        />
      }
    >
      <Field label={words.name}>
        <TextInput mono autoFocus value={typed} onChange={(event) => setTyped(event.target.value)} />
      </Field>
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </Dialog>
  );
}

const columnsOf = (
  mayIn: ReturnType<typeof useMayIn>,
  run: Run,
  onDelete: (flag: Feature) => void,
): Column<Feature>[] => [
  {
    key: 'name',
    header: words.columns.name,
    width: 'minmax(160px, 1fr)',
    cell: ({ name, project }, controls) => (
      <Link {...controls} className={styles.link} href={path('feature', { projectId: project, featureId: name })}>
        <code>{name}</code>
      </Link>
    ),
  },
  { key: 'project', header: words.columns.project, width: '120px', from: 'medium', cell: ({ project }) => project },
  {
    key: 'type',
    header: words.columns.type,
    width: '120px',
    from: 'wide',
    cell: ({ type }) => features.types[type],
  },
  {
    key: 'archived',
    header: words.columns.archived,
    width: '110px',
    cell: ({ archivedAt }) => archivedAt && <TimeText at={archivedAt} />,
  },
  {
    key: 'actions',
    header: words.columns.name,
    isHeaderHidden: true,
    width: '40px',
    cell: (flag, controls) => (
      <Menu
        {...controls}
        label={words.actions(flag.name)}
        icon={<Ellipsis aria-hidden />}
        size="small"
        align="end"
        entries={[
          {
            label: words.revive,
            reason: mayIn('UPDATE_FEATURE', flag.project),
            onSelect: () => void run(() => reviveFlag(flag), { text: words.revived(flag.name), isDelivered: true }),
          },
          {
            label: words.remove,
            danger: true,
            reason: mayIn('DELETE_FEATURE', flag.project),
            onSelect: () => onDelete(flag),
          },
        ]}
      />
    ),
  },
];

const nameOf = ({ name }: Feature) => name;

/** Archived flags, with revive and delete. */
export function ArchiveScreen() {
  const query = useQuery({
    queryKey: keys.archived,
    queryFn: async () => (await read(api.GET('/api/admin/archive/features'))).features,
  });
  const [text, setText] = useUrlState('q');
  const [deleted, setDeleted] = useOpenedItem('ask', query.data, nameOf);
  const mayIn = useMayIn();
  const { run, failure } = useWrite();
  const rows = useMemo(
    () => (query.data ?? []).filter(({ name, project }) => matches(text, name, project)),
    [query.data, text],
  );
  const columns = useMemo(() => columnsOf(mayIn, run, setDeleted), [mayIn, run, setDeleted]);
  return (
    <Page name={words.title} count={query.data?.length} lead={words.lead}>
      {failure && <Banner tone="bad">{failure.message}</Banner>}
      <Loaded query={query}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon={<Archive aria-hidden />} sentence={words.empty} />
          ) : (
            <>
              <div className={styles.tools}>
                <FilterInput value={text} onChange={setText} />
              </div>
              <div className={styles.list}>
                <Table<Feature>
                  label={words.title}
                  main
                  columns={columns}
                  rows={rows}
                  rowKey={nameOf}
                  empty={<NothingMatches onClear={() => setText('')} />}
                />
              </div>
            </>
          )
        }
      </Loaded>
      {deleted && <DeleteFlag flag={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  );
}
