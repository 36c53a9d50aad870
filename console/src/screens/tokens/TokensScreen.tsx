import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { Dialog } from '../../kit/Dialog.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { Field } from '../../kit/Field.tsx';
import { IconButton } from '../../kit/IconButton.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { type Column, Table } from '../../kit/Table.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { useWrite } from '../../save/use-write.ts';
import { Page } from '../../shell/Page.tsx';
import { tokens as words } from '../../words/en/tokens.ts';
import { CreateToken } from './CreateToken.tsx';

const readTokens = async () => (await read(api.GET('/api/admin/api-tokens'))).tokens;
type Token = Awaited<ReturnType<typeof readTokens>>[number];

function DeleteToken({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const writing = useWrite();
  const remove = async () => {
    const params = { path: { token: token.secret } };
    const done = await writing.run(
      () => write(api.DELETE('/api/admin/api-tokens/{token}', { params })),
      words.deleted(token.tokenName),
    );
    if (done) onClose();
  };
  return (
    <Dialog
      open
      size="small"
      title={words.removeTitle(token.tokenName)}
      description={words.removeText}
      onClose={onClose}
      hasDraft={typed !== ''}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            kind="danger"
            pending={writing.isPending}
            reason={typed === token.tokenName ? undefined : words.name}
            onClick={() => void remove()}
          >
            {words.removeRun}
          </Button>
        </>
      }
    >
      <Field label={words.name}>
        <TextInput mono autoFocus value={typed} onChange={(event) => setTyped(event.target.value)} />
      </Field>
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </Dialog>
  );
}

const columnsOf = (mayNot: MayNot, onDelete: (token: Token) => void): Column<Token>[] => [
  {
    key: 'name',
    header: words.columns.name,
    width: 'minmax(140px, 1fr)',
    cell: ({ tokenName }) => <code>{tokenName}</code>,
  },
  { key: 'type', header: words.columns.type, width: '150px', cell: ({ type }) => words.types[type] },
  {
    key: 'environment',
    header: words.columns.environment,
    width: '120px',
    from: 'medium',
    cell: ({ environment }) => (environment === '*' ? words.allProjects : environment),
  },
  {
    key: 'projects',
    header: words.columns.projects,
    width: '140px',
    from: 'medium',
    cell: ({ projects }) => (projects.includes('*') ? words.allProjects : projects.join(', ')),
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
    key: 'expires',
    header: words.columns.expires,
    width: '100px',
    from: 'wide',
    cell: ({ expiresAt }) => (expiresAt ? <TimeText at={expiresAt} /> : words.never),
  },
  {
    key: 'actions',
    header: words.removeRun,
    isHeaderHidden: true,
    width: '40px',
    cell: (token, controls) => (
      <IconButton
        {...controls}
        size="small"
        icon={<Trash2 aria-hidden />}
        label={words.remove(token.tokenName)}
        reason={mayNot}
        onClick={() => onDelete(token)}
      />
    ),
  },
];

export function TokensScreen() {
  const { data, error } = useQuery({ queryKey: keys.tokens(), queryFn: readTokens });
  const [panel, setPanel] = useUrlState('panel');
  const [deleted, setDeleted] = useState<Token | null>(null);
  const mayNotCreate = useMay(['CREATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN']);
  const mayNotDelete = useMay(['DELETE_CLIENT_API_TOKEN', 'DELETE_FRONTEND_API_TOKEN']);
  const create = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNotCreate} onClick={() => setPanel('create')}>
      {words.create}
    </Button>
  );
  const columns = useMemo(() => columnsOf(mayNotDelete, setDeleted), [mayNotDelete]);
  return (
    <Page
      title={words.title}
      actions={create}
      inspector={panel === 'create' && <CreateToken onClose={() => setPanel('')} />}
    >
      {error && <Banner tone="bad">{error.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={5} />}
      {data && (
        <Table<Token>
          label={words.title}
          main
          columns={columns}
          rows={data}
          rowKey={(token) => `${token.tokenName} ${token.createdAt} ${token.secret}`}
          rowName={({ tokenName }) => tokenName}
          empty={<EmptyState icon={<KeyRound aria-hidden />} sentence={words.empty} action={create} />}
        />
      )}
      {deleted && <DeleteToken token={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  );
}
