import { useQuery } from '@tanstack/react-query';
import { Shield } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation, useParams } from 'wouter';
import { useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem, usePanelPages } from '../../data/opened.ts';
import type { Column } from '../../kit/lists/Table.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { NotFound } from '../../page/NotFound.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import partStyles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { type Role, rolesQuery } from '../../people/people-data.ts';
import { people } from '../../words/en/people/people.ts';
import { roles as words } from '../../words/en/people/roles.ts';
import { CreateRole, DeleteRole, RolePanel } from './RolePanels.tsx';

const isBuiltIn = ({ type }: Role) => type === 'root' || type === 'project';
const texts = ({ name, description }: Role) => [name, description];
const sortText = (role: Role, key: string) => (key === 'type' ? words.types[role.type] + role.name : role.name);

interface Acts {
  readonly mayNot: string | undefined;
  readonly onEdit: (role: Role) => void;
  readonly onDelete: (role: Role) => void;
}

function columnsOf({ mayNot, onEdit, onDelete }: Acts): Column<Role>[] {
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1fr)',
      sortable: true,
      cell: (role) => (
        <>
          <span className={partStyles.cut}>{role.name}</span>
          {isBuiltIn(role) && <Badge>{words.builtIn}</Badge>}
        </>
      ),
    },
    {
      key: 'type',
      header: columns.type,
      width: '120px',
      sortable: true,
      cell: ({ type }) => <span className={partStyles.quiet}>{words.types[type]}</span>,
    },
    {
      key: 'description',
      header: columns.description,
      width: 'minmax(0, 2fr)',
      from: 'wide',
      cell: ({ description }) => (
        <span className={`${partStyles.cut} ${partStyles.quiet}`} title={description}>
          {description}
        </span>
      ),
    },
    menuColumn(
      (role) => people.actions(role.name),
      (role) => [
        { label: people.edit, onSelect: () => onEdit(role) },
        {
          label: people.delete,
          danger: true,
          reason: isBuiltIn(role) ? words.isBuiltIn : mayNot,
          onSelect: () => onDelete(role),
        },
      ],
    ),
  ];
}

const idOf = ({ id }: Role) => id;

export function RolesPage() {
  const { id = '' } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const query = useQuery(rolesQuery);
  const [panel, setPanel] = useOpened('panel');
  const [deleting, setDeleting] = useOpenedItem('ask', query.data, idOf);
  const mayNot = useMay('ADMIN');
  const { open: show, close } = usePanelPages(path('roles'));
  const open = useMemo(() => (role: Role) => show(path('role', { id: role.id })), [show]);
  const columns = useMemo(
    () => columnsOf({ mayNot, onEdit: open, onDelete: setDeleting }),
    [mayNot, open, setDeleting],
  );
  const shown = query.data?.find((role) => String(role.id) === id);
  if (id !== '' && query.data && !shown) return <NotFound />;
  return (
    <ListPage<Role>
      words={words}
      icon={<Shield aria-hidden />}
      query={query}
      rows={query.data}
      columns={columns}
      rowKey={(role) => String(role.id)}
      texts={texts}
      sortText={sortText}
      firstSort="type"
      mayNotCreate={mayNot}
      onCreate={() =>
        id === '' ? setPanel('create') : navigate(path('roles', {}, { panel: 'create' }), { replace: true })
      }
      onOpen={open}
      command={curl('/api/admin/roles', {
        name: 'Release manager',
        type: 'custom',
        permissions: [{ name: 'UPDATE_FEATURE' }],
      })}
    >
      {panel === 'create' && id === '' && <CreateRole onClose={() => setPanel('')} />}
      {shown && <RolePanel key={shown.id} role={shown} onClose={close} />}
      {deleting && <DeleteRole role={deleting} onClose={() => setDeleting(null)} />}
    </ListPage>
  );
}
