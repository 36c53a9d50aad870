import { useQuery } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api, write } from '../../data/client.ts';
import { useMay, useMe } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Select } from '../../kit/inputs/Select.tsx';
import type { Column } from '../../kit/lists/Table.tsx';
import type { MenuEntry } from '../../kit/overlays/Menu.tsx';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { col } from '../../parts/columns.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import { OncePanel } from '../../parts/OncePanel.tsx';
import partStyles from '../../parts/parts.module.css';
import { RowPanel } from '../../parts/RowPanel.tsx';
import peopleStyles from '../../people/People.module.css';
import { isRootRole, loginOf, nameOf, type Role, type User, usersQuery } from '../../people/people-data.ts';
import { RoleBadge } from '../../people/RoleSelect.tsx';
import { useQuickWrite } from '../../save/use-write.ts';
import { scim } from '../../words/en/admin/scim.ts';
import { parts } from '../../words/en/parts.ts';
import { people } from '../../words/en/people/people.ts';
import { users as words } from '../../words/en/people/users.ts';
import { CreateUser, DeleteUser, EditUser } from './UserPanels.tsx';

/** A link that was just created: it is shown once. */
interface MadeLink {
  readonly kind: 'invite' | 'reset';
  readonly name: string;
  readonly url: string;
}

interface Acts {
  readonly roles: readonly Role[];
  readonly ownId: number | undefined;
  readonly mayNot: string | undefined;
  readonly onEdit: (user: User) => void;
  readonly onReset: (user: User) => void;
  readonly onDelete: (user: User) => void;
}

const texts = (user: User) => [
  user.name,
  user.email,
  user.username,
  user.scimId && scim.mark,
  user.deactivatedAt && scim.switchedOff,
];
const sortText = (user: User, key: string) =>
  key === 'name'
    ? nameOf(user)
    : key === 'login'
      ? loginOf(user)
      : key === 'role'
        ? String(user.rootRole)
        : String(user[key as 'seenAt' | 'createdAt'] ?? '');

const entriesOf = (user: User, { ownId, mayNot, onEdit, onReset, onDelete }: Acts): readonly MenuEntry[] => [
  { label: parts.editMenu, reason: mayNot, onSelect: () => onEdit(user) },
  { label: words.reset, reason: mayNot, onSelect: () => onReset(user) },
  {
    label: parts.deleteMenu,
    danger: true,
    reason: mayNot ?? (user.id === ownId ? words.isSelf : undefined),
    onSelect: () => onDelete(user),
  },
];

/** An identity provider manages the user, and may have switched the account off. */
function ScimBadge({ isOff }: { readonly isOff: boolean }) {
  return <Badge tone={isOff ? 'warn' : 'neutral'}>{isOff ? scim.switchedOff : scim.mark}</Badge>;
}

function columnsOf(acts: Acts): Column<User>[] {
  const { roles, ownId } = acts;
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.4fr)',
      sortable: true,
      cell: (user) => (
        <>
          <Avatar name={nameOf(user)} />
          <span className={partStyles.cut}>{nameOf(user)}</span>
          {user.id === ownId && <Badge>{people.you}</Badge>}
          {user.scimId !== undefined && <ScimBadge isOff={user.deactivatedAt !== undefined} />}
        </>
      ),
    },
    col.quiet('login', columns.login, (user) => loginOf(user), { width: 'minmax(0, 1.4fr)', sortable: true }),
    {
      key: 'role',
      header: columns.role,
      width: 'minmax(72px, 0.7fr)',
      sortable: true,
      cell: ({ rootRole }) => <RoleBadge roles={roles} id={rootRole} />,
    },
    {
      key: 'seenAt',
      header: columns.seen,
      width: '104px',
      from: 'wide',
      sortable: true,
      cell: ({ seenAt }) =>
        seenAt ? <TimeText at={seenAt} /> : <span className={partStyles.quiet}>{parts.never}</span>,
    },
    col.time('createdAt', columns.created, ({ createdAt }) => createdAt, { sortable: true }),
    menuColumn(
      (user) => parts.actionsFor(nameOf(user)),
      (user) => entriesOf(user, acts),
    ),
  ];
}

const idOf = ({ id }: User) => id;

export function UsersPage() {
  const query = useQuery(usersQuery);
  const { data: me } = useMe();
  const [panel, setPanel] = useOpened('panel');
  const [role] = useUrlState('role');
  const [link, setLink] = useState<MadeLink | null>(null);
  const { run } = useQuickWrite();
  const mayNot = useMay('ADMIN');
  const roles = useMemo(() => query.data?.rootRoles ?? [], [query.data]);
  const all = query.data?.users;
  const [deleting, setDeleting] = useOpenedItem('ask', all, idOf);
  const keep = useMemo(() => (role === '' ? undefined : ({ rootRole }: User) => String(rootRole) === role), [role]);
  const columns = useMemo(() => {
    const onReset = (user: User) =>
      void run(() => write(api.POST('/api/admin/user-admin/reset-password', { body: { id: user.id } })), {
        onDone: ({ resetPasswordUrl }) => setLink({ kind: 'reset', name: nameOf(user), url: resetPasswordUrl }),
      });
    return columnsOf({
      roles,
      ownId: me?.user.id,
      mayNot,
      onEdit: ({ id }) => setPanel(String(id)),
      onReset,
      onDelete: setDeleting,
    });
  }, [roles, me, mayNot, setPanel, setDeleting, run]);
  const close = () => setPanel('');
  const created = (user: User) => {
    close();
    if (user.inviteLink) setLink({ kind: 'invite', name: nameOf(user), url: user.inviteLink });
  };
  const open = (to: string) => {
    setLink(null);
    setPanel(to);
  };
  return (
    <ListPage<User>
      words={words}
      icon={<Users aria-hidden />}
      query={query}
      rows={all}
      keep={keep}
      columns={columns}
      rowKey={({ id }) => String(id)}
      texts={texts}
      sortText={sortText}
      firstSort="name"
      mayNotCreate={mayNot}
      onCreate={() => open('create')}
      onOpen={({ id }) => open(String(id))}
      command={curl('/api/admin/user-admin', { email: 'ada@example.org', rootRole: 'Viewer' })}
      tools={<RoleFilter roles={roles} />}
    >
      {panel === 'create' && query.data && <CreateUser roles={roles} onCreated={created} onClose={close} />}
      {!link && (
        <RowPanel rows={all} keyOf={idOf} shown={panel} type="user">
          {(user) => <EditUser key={user.id} user={user} roles={roles} onClose={close} />}
        </RowPanel>
      )}
      {link && <LinkPanel link={link} onClose={() => setLink(null)} />}
      {deleting && (
        <DeleteUser
          user={deleting}
          onDeleted={() => String(deleting.id) === panel && close()}
          onClose={() => setDeleting(null)}
        />
      )}
    </ListPage>
  );
}

function RoleFilter({ roles }: { readonly roles: readonly Role[] }) {
  const [role, setRole] = useUrlState('role');
  return (
    <div className={peopleStyles.tool}>
      <Select
        label={parts.role}
        value={role || 'any'}
        onChange={(value) => setRole(value === 'any' ? '' : value)}
        options={[
          { value: 'any', label: words.anyRole },
          ...roles.filter(isRootRole).map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
    </div>
  );
}

function LinkPanel({ link, onClose }: { readonly link: MadeLink; readonly onClose: () => void }) {
  const isInvitation = link.kind === 'invite';
  return (
    <OncePanel
      title={isInvitation ? words.inviteTitle : words.resetTitle}
      label={words.link}
      secret={link.url}
      onClose={onClose}
    >
      <p>{isInvitation ? words.invite(link.name) : words.resetLink(link.name)}</p>
    </OncePanel>
  );
}
