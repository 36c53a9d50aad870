import { useQuery } from '@tanstack/react-query';
import { Tags } from 'lucide-react';
import { useMemo } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { tagsQuery, tagTypesQuery } from '../../data/settings.ts';
import { useUrlItem, useUrlState } from '../../data/url-state.ts';
import type { Column } from '../../kit/lists/Table.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { tags as words } from '../../words/en/admin/tags.ts';
import { parts } from '../../words/en/parts.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { menuColumn } from '../parts/menu-column.tsx';
import styles from '../parts/parts.module.css';
import { curl, PeopleList } from '../people/PeopleList.tsx';
import { Swatch } from './Swatch.tsx';
import own from './Tags.module.css';
import { CreateTagType, EditTagType } from './TagTypePanels.tsx';
import type { TagType } from './tag-data.ts';

function columnsOf(
  counts: ReadonlyMap<string, number>,
  onOpen: (type: TagType) => void,
  onDelete: (type: TagType) => void,
  mayNot: MayNot,
): Column<TagType>[] {
  const { columns } = words;
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
      cell: ({ description }) => <span className={`${styles.cut} ${styles.quiet}`}>{description}</span>,
    },
    {
      key: 'color',
      header: columns.color,
      width: '112px',
      from: 'medium',
      cell: ({ color }) =>
        color && (
          <span className={own.color}>
            <Swatch color={color} />
            <code>{color}</code>
          </span>
        ),
    },
    {
      key: 'tags',
      header: columns.tags,
      width: '56px',
      align: 'end',
      cell: ({ name }) => <NumberText value={counts.get(name) ?? 0} />,
    },
    menuColumn(
      (type) => words.actions(type.name),
      (type) => [
        { label: words.edit, onSelect: () => onOpen(type) },
        { label: words.delete, danger: true, reason: mayNot, onSelect: () => onDelete(type) },
      ],
    ),
  ];
}

interface DeleteTypeProps {
  readonly name: string;
  readonly count: number;
  readonly onClose: () => void;
}

function DeleteType({ name, count, onClose }: DeleteTypeProps) {
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.deleteTitle(name)}
      sentences={words.deleteEffects(name, count)}
      label={parts.delete}
      mayNot={useMay('DELETE_TAG_TYPE')}
      act={(reason) =>
        write(api.DELETE('/api/admin/tag-types/{name}', { params: { path: { name } }, headers: stated({ reason }) }))
      }
      saved={{ canUndo: true, text: words.deleted(name), refresh: [keys.tagTypes] }}
      onClose={onClose}
    />
  );
}

const texts = ({ name, description }: TagType) => [name, description];
const nameOf = ({ name }: TagType) => name;

/** The types of tags, with the tags of one type in the panel that the address says. */
export function TagTypesPage() {
  const query = useQuery(tagTypesQuery);
  const { data: tags } = useQuery(tagsQuery);
  const [panel, setPanel] = useUrlState('panel');
  const [deleting, setDeleting] = useUrlItem('ask', query.data, nameOf);
  const mayNotCreate = useMay('CREATE_TAG_TYPE');
  const mayNotDelete = useMay('DELETE_TAG_TYPE');
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const { type } of tags ?? []) found.set(type, (found.get(type) ?? 0) + 1);
    return found;
  }, [tags]);
  const columns = useMemo(
    () => columnsOf(counts, ({ name }) => setPanel(name), setDeleting, mayNotDelete),
    [counts, setPanel, setDeleting, mayNotDelete],
  );
  const shown = query.data?.find(({ name }) => name === panel);
  return (
    <PeopleList<TagType>
      words={words}
      icon={<Tags aria-hidden />}
      query={query}
      rows={query.data}
      columns={columns}
      rowKey={({ name }) => name}
      texts={texts}
      sortText={nameOf}
      firstSort="name"
      mayNotCreate={mayNotCreate}
      onCreate={() => setPanel('create')}
      onOpen={({ name }) => setPanel(name)}
      command={curl('/api/admin/tag-types', { name: 'team', description: 'Who owns the flag' })}
    >
      {panel === 'create' && !shown && <CreateTagType onClose={() => setPanel('')} />}
      {shown && <EditTagType key={shown.name} type={shown} onClose={() => setPanel('')} />}
      {deleting && (
        <DeleteType name={deleting.name} count={counts.get(deleting.name) ?? 0} onClose={() => setDeleting(null)} />
      )}
    </PeopleList>
  );
}
