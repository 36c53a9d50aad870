import { useQuery } from '@tanstack/react-query';
import { Ellipsis, Shield } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { api, stated, write } from '../../data/client.ts';
import { useMay } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge } from '../../kit/Badge.tsx';
import { Menu } from '../../kit/Menu.tsx';
import type { Column } from '../../kit/Table.tsx';
import { path } from '../../paths.ts';
import { parts } from '../../words/en/parts.ts';
import { roles as words } from '../../words/en/people.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import styles from '../parts/parts.module.css';
import { ListScreen } from './ListScreen.tsx';
import { type Role, rolesQuery } from './people-data.ts';
import { CreateRole, EditRole } from './RolePanel.tsx';

const isBuiltIn = ({ type }: Role) => type === 'root' || type === 'project';

function columnsOf(
  mayNot: string | undefined,
  onEdit: (role: Role) => void,
  onDelete: (role: Role) => void,
): Column<Role>[] {
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1fr)',
      cell: ({ name }) => <span className={`${styles.cut} ${styles.strong}`}>{name}</span>,
    },
    {
      key: 'description',
      header: columns.description,
      width: 'minmax(0, 2fr)',
      from: 'medium',
      cell: ({ description }) => <span className={`${styles.cut} ${styles.quiet}`}>{description}</span>,
    },
    { key: 'type', header: columns.type, width: '120px', cell: ({ type }) => words.types[type] },
    {
      key: 'kind',
      header: columns.kind,
      width: '96px',
      from: 'wide',
      cell: (role) => (
        <Badge tone={isBuiltIn(role) ? 'neutral' : 'accent'}>{isBuiltIn(role) ? words.builtIn : words.own}</Badge>
      ),
    },
    {
      key: 'actions',
      header: columns.actions,
      isHeaderHidden: true,
      width: '32px',
      align: 'end',
      cell: (role, inRow) => (
        <Menu
          {...inRow}
          size="small"
          icon={<Ellipsis aria-hidden />}
          label={words.actions(role.name)}
          entries={[
            { label: isBuiltIn(role) ? words.view : words.edit, onSelect: () => onEdit(role) },
            {
              label: words.delete,
              danger: true,
              reason: mayNot ?? (isBuiltIn(role) ? words.isBuiltIn : undefined),
              onSelect: () => onDelete(role),
            },
          ]}
        />
      ),
    },
  ];
}

export function RolesPage() {
  const query = useQuery(rolesQuery);
  const { id: ofAddress } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const [text, setPanel] = useUrlState('panel');
  const panel = text || (ofAddress ?? '');
  const close = () => (ofAddress === undefined ? setPanel('') : navigate(path('roles')));
  const [deleting, setDeleting] = useState<Role | null>(null);
  const mayNot = useMay('ADMIN');
  const columns = useMemo(() => columnsOf(mayNot, ({ id }) => setPanel(String(id)), setDeleting), [mayNot, setPanel]);
  const edited = query.data?.find(({ id }) => String(id) === panel);
  return (
    <ListScreen
      words={words}
      icon={<Shield aria-hidden />}
      query={query}
      rowsOf={(value) => value}
      columns={columns}
      rowKey={({ id }) => String(id)}
      textsOf={({ name, description }) => [name, description]}
      mayNotCreate={mayNot}
      onOpen={({ id }) => setPanel(String(id))}
      onCreate={() => setPanel('create')}
    >
      {panel === 'create' && <CreateRole onClose={close} />}
      {edited && <EditRole key={edited.id} role={edited} onClose={close} />}
      {deleting && (
        <ConfirmDialog<unknown>
          danger
          title={words.deleteTitle(deleting.name)}
          sentences={[words.deleteEffect(deleting.name)]}
          label={parts.delete}
          act={(reason) =>
            write(
              api.DELETE('/api/admin/roles/{roleId}', {
                params: { path: { roleId: deleting.id } },
                headers: stated({ reason }),
              }),
            )
          }
          saved={{ text: words.deleted(deleting.name), refresh: [['role']] }}
          onClose={() => setDeleting(null)}
        />
      )}
    </ListScreen>
  );
}
