import { useQuery } from '@tanstack/react-query';
import { UsersRound } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation, useParams } from 'wouter';
import { useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem, usePanelPages } from '../../data/opened.ts';
import type { Column } from '../../kit/lists/Table.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { NotFound } from '../../page/NotFound.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import partStyles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { type Group, groupsQuery, type Role, rolesQuery } from '../../people/people-data.ts';
import { groups as words } from '../../words/en/people/groups.ts';
import { people } from '../../words/en/people/people.ts';
import { CreateGroup, DeleteGroup, EditGroup } from './GroupPanels.tsx';

const texts = ({ name, description }: Group) => [name, description];
const sortText = (group: Group, key: string) => (key === 'createdAt' ? group.createdAt : group.name);

interface Acts {
  readonly roles: readonly Role[];
  readonly mayNot: string | undefined;
  readonly onEdit: (group: Group) => void;
  readonly onDelete: (group: Group) => void;
}

function columnsOf({ roles, mayNot, onEdit, onDelete }: Acts): Column<Group>[] {
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.6fr)',
      sortable: true,
      cell: ({ name, description }) => (
        <>
          <span className={partStyles.cut}>{name}</span>
          {description && <span className={`${partStyles.cut} ${partStyles.quiet}`}>{description}</span>}
        </>
      ),
    },
    {
      key: 'members',
      header: columns.members,
      width: '80px',
      align: 'end',
      cell: ({ users }) => <NumberText value={users.length} />,
    },
    {
      key: 'projects',
      header: columns.projects,
      width: '80px',
      align: 'end',
      from: 'medium',
      cell: ({ projects }) => <NumberText value={projects.length} />,
    },
    {
      key: 'role',
      header: columns.role,
      width: 'minmax(72px, 0.7fr)',
      from: 'wide',
      cell: ({ rootRole }) =>
        rootRole !== null && <Badge>{roles.find(({ id }) => id === rootRole)?.name ?? `#${rootRole}`}</Badge>,
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
      (group) => people.actions(group.name),
      (group) => [
        { label: people.edit, onSelect: () => onEdit(group) },
        { label: people.delete, danger: true, reason: mayNot, onSelect: () => onDelete(group) },
      ],
    ),
  ];
}

const idOf = ({ id }: Group) => id;

export function GroupsPage() {
  const { id = '' } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const query = useQuery(groupsQuery);
  const mayRead = useMay(['ADMIN', 'READ_ROLE']) === undefined;
  const { data: roles } = useQuery({ ...rolesQuery, enabled: mayRead });
  const [panel, setPanel] = useOpened('panel');
  const [deleting, setDeleting] = useOpenedItem('ask', query.data, idOf);
  const mayNot = useMay('ADMIN');
  const { open: show, close } = usePanelPages(path('groups'));
  const open = useMemo(() => (group: { readonly id: number }) => show(path('group', { id: group.id })), [show]);
  const columns = useMemo(
    () => columnsOf({ roles: roles ?? [], mayNot, onEdit: open, onDelete: setDeleting }),
    [roles, mayNot, open, setDeleting],
  );
  const edited = query.data?.find((group) => String(group.id) === id);
  if (id !== '' && query.data && !edited) return <NotFound />;
  return (
    <ListPage<Group>
      words={words}
      icon={<UsersRound aria-hidden />}
      query={query}
      rows={query.data}
      columns={columns}
      rowKey={(group) => String(group.id)}
      texts={texts}
      sortText={sortText}
      firstSort="name"
      mayNotCreate={mayNot}
      onCreate={() =>
        id === '' ? setPanel('create') : navigate(path('groups', {}, { panel: 'create' }), { replace: true })
      }
      onOpen={open}
      command={curl('/api/admin/groups', { name: 'payments' })}
    >
      {panel === 'create' && id === '' && <CreateGroup onCreated={open} onClose={() => setPanel('')} />}
      {edited && <EditGroup key={edited.id} group={edited} onClose={close} />}
      {deleting && <DeleteGroup group={deleting} onClose={() => setDeleting(null)} />}
    </ListPage>
  );
}
