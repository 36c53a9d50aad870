import { useQuery } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { cached } from '../../data/query-client.ts';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { col } from '../../parts/columns.tsx';
import { text, type ValuesOf } from '../../parts/fields.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { deletion } from '../../parts/ListScreen.tsx';
import styles from '../../parts/parts.module.css';
import { type Resource, ResourceScreen } from '../../parts/ResourceScreen.tsx';
import { nameOf, type Role, type ServiceAccount, serviceAccountsQuery } from '../../people/people-data.ts';
import { RoleBadge, roleField } from '../../people/RoleSelect.tsx';
import { TokenSection } from '../../people/TokenSection.tsx';
import { people } from '../../words/en/people/people.ts';
import { serviceAccounts as words } from '../../words/en/people/service-accounts.ts';

const LIST = '/api/admin/service-account';
const ONE = '/api/admin/service-account/{id}';
const TOKENS = '/api/admin/service-account/{id}/token';

type Accounts = Awaited<ReturnType<typeof serviceAccountsQuery.queryFn>>;
const accountsQuery = { ...serviceAccountsQuery, select: ({ serviceAccounts }: Accounts) => serviceAccounts };

const useRoles = () => useQuery(serviceAccountsQuery).data?.rootRoles ?? [];
const roles = () => cached(serviceAccountsQuery)?.rootRoles ?? [];
const firstOf = (all: readonly Role[]) => all.find(({ name }) => name === 'Viewer')?.id ?? all[0]?.id ?? null;

const fields = {
  name: text(people.name, { max: 255, isRequired: true }),
  username: text(words.username, { max: 255, mono: true, trims: true, isFixed: true, hint: words.usernameHint }),
  rootRole: roleField({ useRoles, roles, firstOf }),
};

const valuesOf = ({ name, username, rootRole }: ServiceAccount): ValuesOf<typeof fields> => ({
  name: name ?? '',
  username: username ?? '',
  rootRole,
});

const pathOf = ({ id }: ServiceAccount) => ({ path: { id } });
const refresh = [keys.serviceAccounts];

function Tokens({ account: { id, tokens } }: { readonly account: ServiceAccount }) {
  return (
    <TokenSection
      tokens={tokens}
      mayNot={useMay('ADMIN')}
      refresh={refresh}
      create={(body) => write(api.POST(TOKENS, { params: { path: { id } }, body }))}
      remove={(tokenId) => write(api.DELETE(`${TOKENS}/{tokenId}`, { params: { path: { id, tokenId } } }))}
    />
  );
}

/** The latest use of one of its tokens. */
const seenAt = ({ tokens }: ServiceAccount) =>
  tokens.reduce((latest, token) => ((token.seenAt ?? '') > latest ? (token.seenAt ?? '') : latest), '');

const RootRole = ({ id }: { readonly id: number }) => <RoleBadge roles={useRoles()} id={id} />;

const { columns } = words;

const ACCOUNTS: Resource<ServiceAccount, typeof fields, ServiceAccount> = {
  words,
  fields,
  valuesOf,
  useRows: () => useQuery(accountsQuery),
  refresh,
  icon: <Bot aria-hidden />,
  mayCreate: 'ADMIN',
  mayUpdate: 'ADMIN',
  keyOf: ({ id }) => String(id),
  nameOf,
  titleOf: nameOf,
  actions: people.actions,
  acts: [
    deletion(words, {
      may: 'ADMIN',
      isTyped: true,
      useQuestion: () => ({ sentences: words.deleteEffects }),
      run: (account, reason) => write(api.DELETE(ONE, { params: pathOf(account), headers: stated({ reason }) })),
    }),
  ],
  canUndo: false,
  texts: ({ name, username }) => [name, username],
  sortText: (account, key) =>
    key === 'createdAt' ? account.createdAt : key === 'seenAt' ? seenAt(account) : nameOf(account),
  columns: [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.6fr)',
      sortable: true,
      cell: (account) => (
        <>
          <Avatar machine name={nameOf(account)} />
          <span className={styles.cut}>{nameOf(account)}</span>
          {account.username && (
            <span className={`${styles.cut} ${styles.quiet} ${styles.mono}`}>{account.username}</span>
          )}
        </>
      ),
    },
    {
      key: 'role',
      header: columns.role,
      width: 'minmax(72px, 0.7fr)',
      cell: ({ rootRole }) => <RootRole id={rootRole} />,
    },
    col.number('tokens', columns.tokens, ({ tokens }) => tokens.length, { width: '72px', from: 'wide' }),
    {
      key: 'seenAt',
      header: columns.seen,
      width: '104px',
      from: 'medium',
      sortable: true,
      cell: (account) =>
        seenAt(account) ? <TimeText at={seenAt(account)} /> : <span className={styles.quiet}>{people.never}</span>,
    },
    col.time('createdAt', columns.created, ({ createdAt }) => createdAt),
  ],
  command: curl(LIST, { name: 'Terraform', username: 'terraform', rootRole: 2 }),
  createLabel: words.create,
  create: ({ name, username, rootRole }) =>
    write(
      api.POST(LIST, {
        body: { name: name.trim(), rootRole: rootRole ?? firstOf(roles()) ?? 0, ...(username && { username }) },
      }),
    ),
  opens: (account) => account,
  save: (account, _, { name, rootRole }, reason) =>
    write(
      api.PUT(ONE, {
        params: pathOf(account),
        headers: stated({ reason }),
        body: { name, rootRole: rootRole ?? account.rootRole },
      }),
    ),
  below: (account) => <Tokens account={account} />,
};

/** The service accounts, with the panel that the address says. */
export const ServiceAccountsPage = () => <ResourceScreen of={ACCOUNTS} />;
