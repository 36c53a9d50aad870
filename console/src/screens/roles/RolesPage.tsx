import { useQuery } from '@tanstack/react-query';
import { Shield } from 'lucide-react';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Badge } from '../../kit/texts/Badge.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { deletion, type Listed, ListScreen } from '../../parts/ListScreen.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { type Role, rolesQuery } from '../../people/people-data.ts';
import { roles as words } from '../../words/en/people/roles.ts';
import { CreateRole, RolePanel } from './RolePanels.tsx';

const LIST = '/api/admin/roles';

const isBuiltIn = ({ type }: Role) => type === 'root' || type === 'project';
const { columns } = words;

const ROLES: Listed<Role> = {
  words,
  useRows: () => useQuery(rolesQuery),
  refresh: [keys.roles, keys.users],
  icon: <Shield aria-hidden />,
  mayCreate: 'ADMIN',
  mayUpdate: 'ADMIN',
  isFixed: isBuiltIn,
  keyOf: ({ id }) => String(id),
  nameOf: ({ name }) => name,
  pages: { list: path('roles'), of: ({ id }) => path('role', { id }) },
  acts: [
    deletion(words, {
      may: 'ADMIN',
      reason: (role) => (isBuiltIn(role) ? words.isBuiltIn : undefined),
      useQuestion: () => ({ sentences: [words.deleteEffect] }),
      run: ({ id }, reason) =>
        write(api.DELETE(`${LIST}/{roleId}`, { params: { path: { roleId: id } }, headers: stated({ reason }) })),
    }),
  ],
  canUndo: true,
  texts: ({ name, description }) => [name, description],
  firstSort: 'type',
  sortText: ({ name, type }, key) => (key === 'type' ? words.types[type] + name : name),
  columns: [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1fr)',
      sortable: true,
      cell: (role) => (
        <>
          <span className={styles.cut}>{role.name}</span>
          {isBuiltIn(role) && <Badge>{words.builtIn}</Badge>}
        </>
      ),
    },
    {
      key: 'type',
      header: columns.type,
      width: '120px',
      sortable: true,
      cell: ({ type }) => <span className={styles.quiet}>{words.types[type]}</span>,
    },
    {
      key: 'description',
      header: columns.description,
      width: 'minmax(0, 2fr)',
      from: 'wide',
      cell: ({ description }) => (
        <span className={`${styles.cut} ${styles.quiet}`} title={description}>
          {description}
        </span>
      ),
    },
  ],
  command: curl(LIST, { name: 'Release manager', type: 'custom', permissions: [{ name: 'UPDATE_FEATURE' }] }),
};

/** The roles, with the panel that the address says. */
export const RolesPage = () => (
  <ListScreen
    of={ROLES}
    create={(onClose) => <CreateRole onClose={onClose} />}
    edit={(role, onClose) => <RolePanel key={role.id} role={role} onClose={onClose} />}
  />
);
