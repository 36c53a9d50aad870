import { useQuery } from '@tanstack/react-query';
import { Ellipsis, UserRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay, useMe } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Avatar } from '../../kit/Avatar.tsx';
import { Menu } from '../../kit/Menu.tsx';
import type { Column } from '../../kit/Table.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { parts } from '../../words/en/parts.ts';
import { users as words } from '../../words/en/people.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import styles from '../parts/parts.module.css';
import { useQuickWrite } from '../parts/use-write.ts';
import { ListScreen } from './ListScreen.tsx';
import { nameOf, type Role, type User, usersQuery } from './people-data.ts';
import { CreateUser, EditUser, LinkPanel } from './UserPanels.tsx';

interface Acts {
  readonly roles: readonly Role[];
  readonly mayNot: string | undefined;
  readonly self: number | undefined;
  readonly onEdit: (user: User) => void;
  readonly onReset: (user: User) => void;
  readonly onDelete: (user: User) => void;
}

function columnsOf({ roles, mayNot, self, onEdit, onReset, onDelete }: Acts): Column<User>[] {
  const { columns } = words;
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.4fr)',
      cell: (user) => (
        <>
          <Avatar name={nameOf(user)} size={24} />
          <span className={styles.cut}>{nameOf(user)}</span>
        </>
      ),
    },
    {
      key: 'email',
      header: columns.email,
      width: 'minmax(0, 1.4fr)',
      from: 'medium',
      cell: ({ email, username }) => <span className={`${styles.cut} ${styles.quiet}`}>{email ?? username}</span>,
    },
    {
      key: 'role',
      header: columns.role,
      width: '96px',
      cell: ({ rootRole }) => <span className={styles.cut}>{names.get(rootRole)}</span>,
    },
    {
      key: 'seen',
      header: columns.seen,
      width: '104px',
      from: 'wide',
      cell: ({ seenAt }) => (seenAt ? <TimeText at={seenAt} /> : <span className={styles.quiet}>{words.never}</span>),
    },
    {
      key: 'created',
      header: columns.created,
      width: '96px',
      from: 'wide',
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
    },
    {
      key: 'actions',
      header: columns.actions,
      isHeaderHidden: true,
      width: '32px',
      align: 'end',
      cell: (user, inRow) => (
        <Menu
          {...inRow}
          size="small"
          icon={<Ellipsis aria-hidden />}
          label={words.actions(nameOf(user))}
          entries={[
            { label: words.edit, reason: mayNot, onSelect: () => onEdit(user) },
            { label: words.reset, reason: mayNot, onSelect: () => onReset(user) },
            {
              label: words.delete,
              danger: true,
              reason: mayNot ?? (user.id === self ? words.self : undefined),
              onSelect: () => onDelete(user),
            },
          ]}
        />
      ),
    },
  ];
}

interface ShownLink {
  readonly title: string;
  readonly name: string;
  readonly url: string;
}

export function UsersPage() {
  const query = useQuery(usersQuery);
  const [panel, setPanel] = useUrlState('panel');
  const [link, setLink] = useState<ShownLink | null>(null);
  const [deleting, setDeleting] = useState<User | null>(null);
  const { run } = useQuickWrite();
  const mayNot = useMay('ADMIN');
  const self = useMe().data?.user.id;
  const roles = useMemo(() => query.data?.rootRoles ?? [], [query.data]);
  const columns = useMemo(
    () =>
      columnsOf({
        roles,
        mayNot,
        self,
        onEdit: ({ id }) => setPanel(String(id)),
        onReset: (user) =>
          void run(() => write(api.POST('/api/admin/user-admin/reset-password', { body: { id: user.id } })), {
            onDone: ({ resetPasswordUrl }) =>
              setLink({ title: words.resetTitle(nameOf(user)), name: nameOf(user), url: resetPasswordUrl }),
          }),
        onDelete: setDeleting,
      }),
    [roles, mayNot, self, setPanel, run],
  );
  const edited = query.data?.users.find(({ id }) => String(id) === panel);
  return (
    <ListScreen
      words={words}
      icon={<UserRound aria-hidden />}
      query={query}
      rowsOf={(value) => value.users}
      columns={columns}
      rowKey={({ id }) => String(id)}
      textsOf={({ name, username, email }) => [name, username, email]}
      mayNotCreate={mayNot}
      onOpen={({ id }) => setPanel(String(id))}
      onCreate={() => setPanel('create')}
    >
      {panel === 'create' && !link && (
        <CreateUser
          roles={roles}
          onCreated={(user) => {
            setPanel('');
            if (user.inviteLink) setLink({ title: words.linkTitle, name: nameOf(user), url: user.inviteLink });
          }}
          onClose={() => setPanel('')}
        />
      )}
      {edited && <EditUser key={edited.id} user={edited} roles={roles} onClose={() => setPanel('')} />}
      {link && <LinkPanel {...link} onClose={() => setLink(null)} />}
      {deleting && (
        <ConfirmDialog<unknown>
          danger
          title={words.deleteTitle(nameOf(deleting))}
          sentences={words.deleteEffects(nameOf(deleting))}
          label={parts.delete}
          act={(reason) =>
            write(
              api.DELETE('/api/admin/user-admin/{id}', {
                params: { path: { id: deleting.id } },
                headers: stated({ reason }),
              }),
            )
          }
          saved={{ text: words.deleted(nameOf(deleting)), refresh: [keys.users, keys.groups, ['project']] }}
          onClose={() => setDeleting(null)}
        />
      )}
    </ListScreen>
  );
}
