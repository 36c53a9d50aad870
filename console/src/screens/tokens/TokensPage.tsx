import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay, useMayIn } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import { type ProductionNames, useProductionNames } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { DAY_MS } from '../../domain/milliseconds.ts';
import { useShortcut } from '../../keys/registry.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { type Column, type Sort, Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FilterInput, matches } from '../../parts/FilterInput.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import { NothingMatches } from '../../parts/NothingMatches.tsx';
import { OncePanel } from '../../parts/OncePanel.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { Snippets } from '../../parts/Snippets.tsx';
import { parts } from '../../words/en/parts.ts';
import { tokens as words } from '../../words/en/tokens.ts';
import { CreateToken, type Token } from './CreateToken.tsx';

const tokensQuery = {
  queryKey: keys.tokens(),
  queryFn: async () => (await read(api.GET('/api/admin/api-tokens'))).tokens,
} as const;

const kindOf = (token: Token) => (token.type === 'frontend' ? 'frontend' : 'backend');
const projectsOf = ({ projects }: Token) => {
  const [first = '', ...others] = projects;
  if (first === '*') return words.all;
  return others.length === 0 ? first : words.andMore(first, others.length);
};
const WARNING_DAYS = 7;

const isOver = ({ expiresAt }: Token) => expiresAt !== null && Date.parse(expiresAt) < Date.now();

const isNear = ({ expiresAt }: Token) =>
  expiresAt !== null && Date.parse(expiresAt) < Date.now() + WARNING_DAYS * DAY_MS;

function actionsColumn(onDelete: (token: Token) => void, mayNot: (token: Token) => string | undefined): Column<Token> {
  return menuColumn(
    (token) => words.actions(token.tokenName),
    (token) => [{ label: words.delete, danger: true, reason: mayNot(token), onSelect: () => onDelete(token) }],
  );
}

const TIME_COLUMNS: readonly Column<Token>[] = [
  {
    key: 'seenAt',
    header: words.columns.seen,
    width: '104px',
    from: 'wide',
    sortable: true,
    cell: ({ seenAt }) => (seenAt ? <TimeText at={seenAt} /> : <span className={styles.quiet}>{words.never}</span>),
  },
  {
    key: 'expiresAt',
    header: words.columns.expires,
    width: '104px',
    from: 'wide',
    sortable: true,
    cell: (token) =>
      token.expiresAt === null ? (
        <span className={styles.quiet}>{words.never}</span>
      ) : isOver(token) ? (
        <Badge tone="bad" dot>
          {words.expired}
        </Badge>
      ) : isNear(token) ? (
        <Badge tone="warn" dot>
          <TimeText at={token.expiresAt} />
        </Badge>
      ) : (
        <TimeText at={token.expiresAt} />
      ),
  },
  {
    key: 'createdAt',
    header: words.columns.created,
    width: '96px',
    from: 'wide',
    sortable: true,
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
  },
];

function columnsOf(
  production: ProductionNames,
  onDelete: (token: Token) => void,
  mayNot: (token: Token) => string | undefined,
): Column<Token>[] {
  const { columns } = words;
  return [
    {
      key: 'tokenName',
      header: columns.name,
      width: 'minmax(0, 1.6fr)',
      sortable: true,
      cell: (token) => <span className={styles.cut}>{token.tokenName}</span>,
    },
    {
      key: 'type',
      header: columns.type,
      width: '96px',
      from: 'medium',
      sortable: true,
      cell: (token) => <Badge tone={token.type === 'frontend' ? 'accent' : 'neutral'}>{words.types[token.type]}</Badge>,
    },
    {
      key: 'environment',
      header: columns.environment,
      width: 'minmax(0, 1fr)',
      sortable: true,
      cell: ({ environment }) =>
        environment === '*' ? (
          <span className={styles.quiet}>{words.all}</span>
        ) : (
          <EnvironmentMark name={environment} production={production.has(environment)} />
        ),
    },
    {
      key: 'project',
      header: columns.projects,
      width: 'minmax(0, 1fr)',
      from: 'wide',
      cell: (token) => <span className={styles.cut}>{projectsOf(token)}</span>,
    },
    ...TIME_COLUMNS,
    actionsColumn(onDelete, mayNot),
  ];
}

function useColumns(onDelete: (token: Token) => void): Column<Token>[] {
  const production = useProductionNames();
  const mayIn = useMayIn();
  return useMemo(
    () =>
      columnsOf(production, onDelete, (token) =>
        mayIn(
          token.type === 'frontend' ? 'DELETE_FRONTEND_API_TOKEN' : 'DELETE_CLIENT_API_TOKEN',
          token.projects[0] === '*' ? undefined : token.projects[0],
        ),
      ),
    [production, onDelete, mayIn],
  );
}

function sorted(rows: readonly Token[], { key, descending }: Sort): readonly Token[] {
  // A token that never expires comes after all that do.
  const missing = key === 'expiresAt' ? '~' : '';
  const of = (token: Token) => String(token[key as keyof Token] ?? missing);
  return [...rows].sort((a, b) => of(a).localeCompare(of(b)) * (descending ? -1 : 1));
}

interface TokenListProps {
  readonly tokens: readonly Token[];
  readonly columns: readonly Column<Token>[];
}

/** The filter and the order are in the address. */
function TokenList({ tokens, columns }: TokenListProps) {
  const [text, setText] = useUrlState('filter');
  const [sortText, setSort] = useUrlState('sort', 'createdAt.desc');
  const sort: Sort = { key: sortText.split('.')[0] ?? 'createdAt', descending: sortText.endsWith('.desc') };
  const shown = tokens.filter((token) =>
    matches(text, token.tokenName, token.environment, token.type, ...token.projects),
  );
  return (
    <>
      <div className={styles.tools}>
        <FilterInput value={text} onChange={setText} />
      </div>
      <div className={styles.list}>
        <Table<Token>
          main
          label={words.title}
          columns={columns}
          rows={sorted(shown, sort)}
          rowKey={(token) => token.secret}
          sort={sort}
          onSort={({ key, descending }) => setSort(`${key}${descending ? '.desc' : ''}`)}
          empty={<NothingMatches onClear={() => setText('')} />}
        />
      </div>
    </>
  );
}

/** The address must not have the secret: it stays in the history of the browser. */
const tokenKey = ({ createdAt, tokenName }: Token) => `${createdAt} ${tokenName}`;

export function TokensPage() {
  const query = useQuery(tokensQuery);
  const [open, setOpen] = useOpened('panel');
  const [made, setMade] = useState<Token | null>(null);
  const [deleting, setDeleting] = useOpenedItem('ask', query.data, tokenKey);
  const mayNotCreate = useMay(['CREATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN']);
  const create = () => {
    setMade(null);
    setOpen('create');
  };
  useShortcut(
    mayNotCreate === undefined ? { keys: 'c', label: words.create, group: words.title, run: create } : undefined,
  );
  const columns = useColumns(setDeleting);
  const button = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNotCreate} onClick={create}>
      {words.create}
    </Button>
  );
  return (
    <Page
      name={words.title}
      count={query.data?.length}
      lead={words.lead}
      actions={query.data?.length === 0 ? undefined : button}
    >
      <Loaded query={query}>
        {(all) => {
          if (all.length === 0)
            return (
              <EmptyState
                icon={<KeyRound aria-hidden />}
                sentence={words.none}
                action={button}
                command={command()}
                commandLabel={words.command}
              />
            );
          return <TokenList tokens={all} columns={columns} />;
        }}
      </Loaded>
      {open === 'create' && !made && (
        <CreateToken
          onCreated={(token) => {
            setMade(token);
            // A reload shows the list, not another form.
            setOpen('');
          }}
          onClose={() => setOpen('')}
        />
      )}
      {made && (
        <OncePanel
          title={words.onceTitle}
          label={words.secret}
          secret={made.secret}
          onClose={() => {
            setMade(null);
            setOpen('');
          }}
        >
          <h3 className={styles.heading}>{words.snippet}</h3>
          <Snippets token={made.secret} flag={words.flag} kind={kindOf(made)} appName={made.tokenName} />
        </OncePanel>
      )}
      {deleting && <DeleteToken token={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  );
}

const command = () =>
  `curl -X POST ${location.origin}/api/admin/api-tokens -H "Authorization: $ADMIN_TOKEN" -H 'content-type: application/json' -d '{"tokenName":"my-app","type":"backend","environment":"development"}'`;

function DeleteToken({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  return (
    <ConfirmDialog
      danger
      title={words.deleteTitle(token.tokenName)}
      sentences={[words.deleteEffect(token.environment)]}
      label={parts.delete}
      act={() => write(api.DELETE('/api/admin/api-tokens/{token}', { params: { path: { token: token.secret } } }))}
      saved={{ text: words.deleted(token.tokenName), refresh: [keys.tokens()] }}
      onClose={onClose}
    >
      <p>
        {token.seenAt ? (
          <>
            {words.deleteSeen} <TimeText at={token.seenAt} />.
          </>
        ) : (
          words.deleteUnseen
        )}
      </p>
    </ConfirmDialog>
  );
}
