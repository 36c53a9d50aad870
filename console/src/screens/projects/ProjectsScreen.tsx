import { FolderKanban, Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, stated, write } from '../../data/client.ts';
import { useMay } from '../../data/may.ts';
import { useProjects } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { Field } from '../../kit/Field.tsx';
import { Inspector } from '../../kit/Inspector.tsx';
import { NumberText } from '../../kit/NumberText.tsx';
import { Select } from '../../kit/Select.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { type Column, Table } from '../../kit/Table.tsx';
import { TextArea, TextInput } from '../../kit/TextInput.tsx';
import { path } from '../../paths.ts';
import { useWrite } from '../../save/use-write.ts';
import { Page } from '../../shell/Page.tsx';
import { projects as words } from '../../words/en/projects.ts';
import styles from './Projects.module.css';

type Project = NonNullable<ReturnType<typeof useProjects>['data']>[number];
type Mode = keyof typeof words.modes;
export const MODES = Object.entries(words.modes).map(([value, label]) => ({ value, label }));

const columns: Column<Project>[] = [
  {
    key: 'name',
    header: words.columns.name,
    width: 'minmax(160px, 1fr)',
    cell: ({ id, name }, controls) => (
      <Link {...controls} className={styles.link} href={path('projectFeatures', { projectId: id })}>
        {name}
      </Link>
    ),
  },
  { key: 'id', header: words.columns.id, width: '140px', from: 'medium', cell: ({ id }) => <code>{id}</code> },
  {
    key: 'flags',
    header: words.columns.flags,
    width: '80px',
    align: 'end',
    cell: ({ featureCount }) => <NumberText value={featureCount} />,
  },
  {
    key: 'stale',
    header: words.columns.stale,
    width: '80px',
    align: 'end',
    from: 'medium',
    cell: ({ staleFeatureCount }) => <NumberText value={staleFeatureCount} />,
  },
  {
    key: 'members',
    header: words.columns.members,
    width: '90px',
    align: 'end',
    from: 'medium',
    cell: ({ memberCount }) => <NumberText value={memberCount} />,
  },
  { key: 'mode', header: words.columns.mode, width: '250px', from: 'wide', cell: ({ mode }) => words.modes[mode] },
  {
    key: 'owners',
    header: words.columns.owners,
    width: '140px',
    from: 'wide',
    cell: ({ owners }) =>
      owners
        .map((owner) => ('name' in owner ? owner.name : ''))
        .filter(Boolean)
        .join(', '),
  },
];

function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [id, setId] = useState('');
  const [description, setDescription] = useState('');
  const [mode, setMode] = useState<Mode>('open');
  const writing = useWrite();
  const [, navigate] = useLocation();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { name, description, mode, ...(id === '' ? {} : { id }) };
    const done = await writing.run(
      () => write(api.POST('/api/admin/projects', { body, headers: stated({}) })),
      words.created(name),
    );
    if (done) navigate(path('projectFeatures', { projectId: done.value.id }));
  };
  return (
    <Inspector
      title={words.newTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" form="create-project" pending={writing.isPending}>
            {words.create}
          </Button>
        </>
      }
    >
      <form id="create-project" className={styles.form} onSubmit={(event) => void submit(event)}>
        <Field label={words.name} required>
          <TextInput autoFocus required value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label={words.id} hint={words.idHint}>
          <TextInput mono value={id} onChange={(event) => setId(event.target.value)} />
        </Field>
        <Field label={words.description}>
          <TextArea value={description} onChange={(event) => setDescription(event.target.value)} />
        </Field>
        <Field label={words.mode}>
          <Select options={MODES} value={mode} onChange={(value) => setMode(value as Mode)} />
        </Field>
        {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
      </form>
    </Inspector>
  );
}

export function ProjectsScreen() {
  const { data, error } = useProjects();
  const [panel, setPanel] = useUrlState('panel');
  const [, navigate] = useLocation();
  const mayNot = useMay('CREATE_PROJECT');
  const create = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNot} onClick={() => setPanel('create')}>
      {words.create}
    </Button>
  );
  return (
    <Page
      title={words.title}
      actions={create}
      inspector={panel === 'create' && <CreateProject onClose={() => setPanel('')} />}
    >
      {error && <Banner tone="bad">{error.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={5} />}
      {data && (
        <Table<Project>
          label={words.title}
          main
          columns={columns}
          rows={data}
          rowKey={({ id }) => id}
          rowName={({ name }) => name}
          onOpen={({ id }) => navigate(path('projectFeatures', { projectId: id }))}
          empty={<EmptyState icon={<FolderKanban aria-hidden />} sentence={words.empty} action={create} />}
        />
      )}
    </Page>
  );
}
