import { useQuery } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { useMemo } from 'react';
import { useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import type { Column } from '../../kit/lists/Table.tsx';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import partStyles from '../../parts/parts.module.css';
import { nameOf, type Role, type ServiceAccount, serviceAccountsQuery } from '../../people/people-data.ts';
import { RoleBadge } from '../../people/RoleSelect.tsx';
import { people } from '../../words/en/people/people.ts';
import { serviceAccounts as words } from '../../words/en/people/service-accounts.ts';
import { CreateAccount, DeleteAccount, EditAccount } from './AccountPanels.tsx';

/** The latest use of one of its tokens. */
const seenAt = ({ tokens }: ServiceAccount) =>
  tokens.reduce((latest, token) => ((token.seenAt ?? '') > latest ? (token.seenAt ?? '') : latest), '');
const texts = ({ name, username }: ServiceAccount) => [name, username];
const sortText = (account: ServiceAccount, key: string) =>
  key === 'createdAt' ? account.createdAt : key === 'seenAt' ? seenAt(account) : nameOf(account);

interface Acts {
  readonly roles: readonly Role[];
  readonly mayNot: string | undefined;
  readonly onEdit: (account: ServiceAccount) => void;
  readonly onDelete: (account: ServiceAccount) => void;
}

function columnsOf({ roles, mayNot, onEdit, onDelete }: Acts): Column<ServiceAccount>[] {
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.6fr)',
      sortable: true,
      cell: (account) => (
        <>
          <Avatar machine name={nameOf(account)} />
          <span className={partStyles.cut}>{nameOf(account)}</span>
          {account.username && (
            <span className={`${partStyles.cut} ${partStyles.quiet} ${partStyles.mono}`}>{account.username}</span>
          )}
        </>
      ),
    },
    {
      key: 'role',
      header: columns.role,
      width: 'minmax(72px, 0.7fr)',
      cell: ({ rootRole }) => <RoleBadge roles={roles} id={rootRole} />,
    },
    {
      key: 'tokens',
      header: columns.tokens,
      width: '72px',
      align: 'end',
      from: 'wide',
      cell: ({ tokens }) => <NumberText value={tokens.length} />,
    },
    {
      key: 'seenAt',
      header: columns.seen,
      width: '104px',
      from: 'medium',
      sortable: true,
      cell: (account) =>
        seenAt(account) ? <TimeText at={seenAt(account)} /> : <span className={partStyles.quiet}>{people.never}</span>,
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
      (account) => people.actions(nameOf(account)),
      (account) => [
        { label: people.edit, reason: mayNot, onSelect: () => onEdit(account) },
        { label: people.delete, danger: true, reason: mayNot, onSelect: () => onDelete(account) },
      ],
    ),
  ];
}

const idOf = ({ id }: ServiceAccount) => id;

export function ServiceAccountsPage() {
  const query = useQuery(serviceAccountsQuery);
  const [panel, setPanel] = useOpened('panel');
  const [deleting, setDeleting] = useOpenedItem('ask', query.data?.serviceAccounts, idOf);
  const mayNot = useMay('ADMIN');
  const roles = useMemo(() => query.data?.rootRoles ?? [], [query.data]);
  const columns = useMemo(
    () => columnsOf({ roles, mayNot, onEdit: ({ id }) => setPanel(String(id)), onDelete: setDeleting }),
    [roles, mayNot, setPanel, setDeleting],
  );
  const edited = query.data?.serviceAccounts.find(({ id }) => String(id) === panel);
  return (
    <ListPage<ServiceAccount>
      words={words}
      icon={<Bot aria-hidden />}
      query={query}
      rows={query.data?.serviceAccounts}
      columns={columns}
      rowKey={({ id }) => String(id)}
      texts={texts}
      sortText={sortText}
      firstSort="name"
      mayNotCreate={mayNot}
      onCreate={() => setPanel('create')}
      onOpen={({ id }) => setPanel(String(id))}
      command={curl('/api/admin/service-account', { name: 'Terraform', username: 'terraform', rootRole: 2 })}
    >
      {panel === 'create' && query.data && (
        <CreateAccount roles={roles} onCreated={({ id }) => setPanel(String(id))} onClose={() => setPanel('')} />
      )}
      {edited && <EditAccount key={edited.id} account={edited} roles={roles} onClose={() => setPanel('')} />}
      {deleting && <DeleteAccount account={deleting} onClose={() => setDeleting(null)} />}
    </ListPage>
  );
}
