import { useQuery } from '@tanstack/react-query';
import { Ellipsis, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Avatar } from '../../kit/Avatar.tsx';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { Dialog } from '../../kit/Dialog.tsx';
import { Field } from '../../kit/Field.tsx';
import { Menu } from '../../kit/Menu.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { type Column, Table } from '../../kit/Table.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { useWrite } from '../../save/use-write.ts';
import { Page } from '../../shell/Page.tsx';
import { people as words } from '../../words/en/profile.ts';
import { UserForm } from './UserForm.tsx';
import styles from './Users.module.css';

const readUsers = () => read(api.GET('/api/admin/user-admin'));
export type User = Awaited<ReturnType<typeof readUsers>>['users'][number];
export const nameOf = ({ name, username, email }: Pick<User, 'name' | 'username' | 'email'>) =>
  name || username || email || '';

function DeleteUser({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const writing = useWrite();
  const name = nameOf(user);
  const remove = async () => {
    const done = await writing.run(
      () => write(api.DELETE('/api/admin/user-admin/{id}', { params: { path: { id: user.id } } })),
      words.deleted(name),
    );
    if (done) onClose();
  };
  return (
    <Dialog
      open
      size="small"
      title={words.removeUser(name)}
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
            {words.remove}
          </Button>
        </>
      }
    >
      <Field label={words.name}>
        <TextInput autoFocus value={typed} onChange={(event) => setTyped(event.target.value)} />
      </Field>
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </Dialog>
  );
}

/** A link that the admin sends: Burgee sends no mail. */
export function LinkToSend({ link, text }: { readonly link: string; readonly text: string }) {
  return (
    <div className={styles.form}>
      <Banner>{text}</Banner>
      <code className={styles.link}>{link}</code>
      <div>
        <CopyButton text={link} label={words.linkCopy} isLabelShown />
      </div>
    </div>
  );
}

interface ColumnsOf {
  readonly roles: readonly { readonly id: number; readonly name: string }[];
  readonly mayNot: MayNot;
  readonly onEdit: (user: User) => void;
  readonly onReset: (user: User) => void;
  readonly onDelete: (user: User) => void;
}

const columnsOf = ({ roles, mayNot, onEdit, onReset, onDelete }: ColumnsOf): Column<User>[] => [
  {
    key: 'name',
    header: words.columns.name,
    width: 'minmax(160px, 1fr)',
    cell: (user) => (
      <span className={styles.who}>
        <Avatar name={nameOf(user)} size={24} /> {nameOf(user)}
      </span>
    ),
  },
  {
    key: 'email',
    header: words.columns.email,
    width: 'minmax(140px, 1fr)',
    from: 'medium',
    cell: ({ email }) => email,
  },
  {
    key: 'role',
    header: words.columns.role,
    width: '110px',
    cell: ({ rootRole }) => roles.find(({ id }) => id === rootRole)?.name,
  },
  {
    key: 'created',
    header: words.columns.created,
    width: '100px',
    from: 'wide',
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
  },
  {
    key: 'seen',
    header: words.columns.seen,
    width: '100px',
    from: 'wide',
    cell: ({ seenAt }) => (seenAt ? <TimeText at={seenAt} /> : words.never),
  },
  {
    key: 'actions',
    header: words.edit,
    isHeaderHidden: true,
    width: '40px',
    cell: (user, controls) => (
      <Menu
        {...controls}
        label={words.actions(nameOf(user))}
        icon={<Ellipsis aria-hidden />}
        size="small"
        align="end"
        entries={[
          { label: words.edit, reason: mayNot, onSelect: () => onEdit(user) },
          { label: words.resetLink, reason: mayNot, onSelect: () => onReset(user) },
          'line',
          { label: words.remove, danger: true, reason: mayNot, onSelect: () => onDelete(user) },
        ]}
      />
    ),
  },
];

export function UsersScreen() {
  const { data, error } = useQuery({ queryKey: keys.users, queryFn: readUsers });
  const [panel, setPanel] = useUrlState('panel');
  const [deleted, setDeleted] = useState<User | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const { run, failure } = useWrite();
  const mayNot = useMay('ADMIN');
  const columns = useMemo(() => {
    const reset = async (user: User) => {
      const done = await run(
        () => write(api.POST('/api/admin/user-admin/reset-password', { body: { id: user.id } })),
        '',
      );
      if (done) setLink(done.value.resetPasswordUrl);
    };
    return columnsOf({
      roles: data?.rootRoles ?? [],
      mayNot,
      onEdit: ({ id }) => setPanel(`edit:${id}`),
      onReset: (user) => void reset(user),
      onDelete: setDeleted,
    });
  }, [data, mayNot, run, setPanel]);
  const chosen = data?.users.find(({ id }) => panel === `edit:${id}`);
  return (
    <Page
      title={words.users}
      actions={
        <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNot} onClick={() => setPanel('create')}>
          {words.invite}
        </Button>
      }
      inspector={
        (panel === 'create' || chosen) && (
          <UserForm key={panel} user={chosen} roles={data?.rootRoles ?? []} onClose={() => setPanel('')} />
        )
      }
    >
      {(error ?? failure) && <Banner tone="bad">{(error ?? failure)?.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={4} />}
      {data && (
        <Table<User>
          label={words.users}
          main
          columns={columns}
          rows={data.users}
          rowKey={({ id }) => String(id)}
          rowName={nameOf}
          onOpen={({ id }) => setPanel(`edit:${id}`)}
        />
      )}
      {deleted && <DeleteUser user={deleted} onClose={() => setDeleted(null)} />}
      <Dialog open={link !== null} onClose={() => setLink(null)} title={words.resetLink} size="medium">
        {link && <LinkToSend link={link} text={words.resetText} />}
      </Dialog>
    </Page>
  );
}
