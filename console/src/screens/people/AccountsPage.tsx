import { useQuery } from '@tanstack/react-query';
import { Bot, Ellipsis } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Avatar } from '../../kit/Avatar.tsx';
import { Field } from '../../kit/Field.tsx';
import { Menu } from '../../kit/Menu.tsx';
import { NumberText } from '../../kit/NumberText.tsx';
import type { Column } from '../../kit/Table.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { parts } from '../../words/en/parts.ts';
import { users, accounts as words } from '../../words/en/people.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { fieldSentences } from '../parts/differences.ts';
import { EditPanel } from '../parts/EditPanel.tsx';
import styles from '../parts/parts.module.css';
import { ListScreen } from './ListScreen.tsx';
import { PersonalTokens } from './PersonalTokens.tsx';
import { type Account, accountsQuery, nameOf, type Role } from './people-data.ts';
import { RoleField } from './UserPanels.tsx';

interface PanelProps {
  readonly roles: readonly Role[];
  readonly onClose: () => void;
}

function CreateAccount({ roles, onClose, onCreated }: PanelProps & { readonly onCreated: (account: Account) => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<number | null>(null);
  const mayNot = useMay('ADMIN');
  const rootRole = chosen ?? (roles.find((role) => role.name === 'Viewer') ?? roles[0])?.id ?? 1;
  return (
    <EditPanel<Account>
      title={words.createTitle}
      mayNot={mayNot}
      problem={name.trim() === '' ? parts.fieldMissing(users.name) : undefined}
      label={words.create}
      save={() => write(api.POST('/api/admin/service-account', { body: { name: name.trim(), rootRole } }))}
      saved={{ text: words.created(name.trim()), refresh: [keys.serviceAccounts] }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <Field label={users.name} required>
        <TextInput autoFocus maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <RoleField roles={roles} value={rootRole} onChange={setChosen} />
    </EditPanel>
  );
}

function EditAccount({ account, roles, onClose }: PanelProps & { readonly account: Account }) {
  const [base] = useState(() => ({ name: account.name ?? '', rootRole: account.rootRole }));
  const [values, setValues] = useState(base);
  const mayNot = useMay('ADMIN');
  const { id } = account;
  const shown = ({ name, rootRole }: typeof base) => ({
    name,
    rootRole: roles.find((role) => role.id === rootRole)?.name ?? '',
  });
  return (
    <EditPanel<unknown>
      title={nameOf(account)}
      mayNot={mayNot}
      sentences={fieldSentences(shown(base), shown(values), { name: users.name, rootRole: users.role })}
      save={(reason) =>
        write(
          api.PUT('/api/admin/service-account/{id}', {
            params: { path: { id } },
            headers: stated({ reason }),
            body: { name: values.name.trim() || null, rootRole: values.rootRole },
          }),
        )
      }
      saved={{ text: words.saved(nameOf(account)), refresh: [keys.serviceAccounts] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Field label={users.name}>
        <TextInput
          maxLength={100}
          value={values.name}
          onChange={(event) => setValues({ ...values, name: event.target.value })}
        />
      </Field>
      <RoleField roles={roles} value={values.rootRole} onChange={(rootRole) => setValues({ ...values, rootRole })} />
      <PersonalTokens
        tokens={account.tokens}
        queryKey={keys.serviceAccounts}
        create={(body) => write(api.POST('/api/admin/service-account/{id}/token', { params: { path: { id } }, body }))}
        remove={(tokenId) =>
          write(api.DELETE('/api/admin/service-account/{id}/token/{tokenId}', { params: { path: { id, tokenId } } }))
        }
      />
    </EditPanel>
  );
}

function columnsOf(
  roles: readonly Role[],
  mayNot: string | undefined,
  onEdit: (account: Account) => void,
  onDelete: (account: Account) => void,
): Column<Account>[] {
  const { columns } = words;
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.4fr)',
      cell: (account) => (
        <>
          <Avatar machine name={nameOf(account)} size={24} />
          <span className={styles.cut}>{nameOf(account)}</span>
        </>
      ),
    },
    { key: 'role', header: columns.role, width: '104px', cell: ({ rootRole }) => names.get(rootRole) },
    {
      key: 'tokens',
      header: columns.tokens,
      width: '64px',
      align: 'end',
      from: 'medium',
      cell: ({ tokens }) => <NumberText value={tokens.length} />,
    },
    {
      key: 'seen',
      header: columns.seen,
      width: '104px',
      from: 'medium',
      cell: ({ seenAt }) => (seenAt ? <TimeText at={seenAt} /> : <span className={styles.quiet}>{users.never}</span>),
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
      cell: (account, inRow) => (
        <Menu
          {...inRow}
          size="small"
          icon={<Ellipsis aria-hidden />}
          label={words.actions(nameOf(account))}
          entries={[
            { label: words.edit, reason: mayNot, onSelect: () => onEdit(account) },
            { label: words.delete, danger: true, reason: mayNot, onSelect: () => onDelete(account) },
          ]}
        />
      ),
    },
  ];
}

export function AccountsPage() {
  const query = useQuery(accountsQuery);
  const [panel, setPanel] = useUrlState('panel');
  const [deleting, setDeleting] = useState<Account | null>(null);
  const mayNot = useMay('ADMIN');
  const roles = useMemo(() => query.data?.rootRoles ?? [], [query.data]);
  const columns = useMemo(
    () => columnsOf(roles, mayNot, ({ id }) => setPanel(String(id)), setDeleting),
    [roles, mayNot, setPanel],
  );
  const edited = query.data?.serviceAccounts.find(({ id }) => String(id) === panel);
  return (
    <ListScreen
      words={words}
      icon={<Bot aria-hidden />}
      query={query}
      rowsOf={(value) => value.serviceAccounts}
      columns={columns}
      rowKey={({ id }) => String(id)}
      textsOf={({ name, username }) => [name, username]}
      mayNotCreate={mayNot}
      onOpen={({ id }) => setPanel(String(id))}
      onCreate={() => setPanel('create')}
    >
      {panel === 'create' && (
        <CreateAccount roles={roles} onCreated={({ id }) => setPanel(String(id))} onClose={() => setPanel('')} />
      )}
      {edited && <EditAccount key={edited.id} account={edited} roles={roles} onClose={() => setPanel('')} />}
      {deleting && (
        <ConfirmDialog<unknown>
          danger
          title={words.deleteTitle(nameOf(deleting))}
          sentences={[words.deleteEffect(nameOf(deleting), deleting.tokens.length)]}
          label={parts.delete}
          act={(reason) =>
            write(
              api.DELETE('/api/admin/service-account/{id}', {
                params: { path: { id: deleting.id } },
                headers: stated({ reason }),
              }),
            )
          }
          saved={{ text: words.deleted(nameOf(deleting)), refresh: [keys.serviceAccounts] }}
          onClose={() => setDeleting(null)}
        />
      )}
    </ListScreen>
  );
}
