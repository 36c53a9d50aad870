import { useState } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { useMay } from '../../data/may.ts';
import { useEnvironments, useProjects } from '../../data/settings.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { MultiSelect } from '../../kit/Combobox.tsx';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { Field } from '../../kit/Field.tsx';
import { Inspector } from '../../kit/Inspector.tsx';
import { Select } from '../../kit/Select.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { FormPanel } from '../../save/FormPanel.tsx';
import { useWrite } from '../../save/use-write.ts';
import { tokens as words } from '../../words/en/tokens.ts';
import { Snippets } from './Snippets.tsx';
import styles from './Tokens.module.css';

type Kind = 'backend' | 'frontend' | 'admin';
const DAY_MS = 86_400_000;
const PERMISSIONS = {
  backend: 'CREATE_CLIENT_API_TOKEN',
  frontend: 'CREATE_FRONTEND_API_TOKEN',
  admin: 'ADMIN',
} as const;

function Created({ secret, kind }: { readonly secret: string; readonly kind: Kind }) {
  return (
    <div className={styles.form}>
      <Banner tone="warn">{words.secret}</Banner>
      <p className={styles.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} label={words.secretCopy} isLabelShown />
      </p>
      {kind !== 'admin' && <Snippets token={secret} flag="my-flag" kind={kind} />}
    </div>
  );
}

interface ScopeProps {
  readonly environment: string;
  readonly projects: readonly string[];
  readonly onEnvironment: (name: string) => void;
  readonly onProjects: (ids: readonly string[]) => void;
}

/** What the token reads. */
function Scope({ environment, projects, onEnvironment, onProjects }: ScopeProps) {
  const { data: allProjects } = useProjects();
  const { data: environments } = useEnvironments();
  return (
    <>
      <Field label={words.environment}>
        <Select
          options={(environments ?? []).map(({ name: value }) => ({ value, label: value }))}
          value={environment}
          onChange={onEnvironment}
        />
      </Field>
      <Field label={words.projects} hint={words.projectsHint}>
        <MultiSelect
          options={(allProjects ?? []).map(({ id, name: label }) => ({ value: id, label }))}
          values={projects}
          onChange={onProjects}
        />
      </Field>
    </>
  );
}

function Secret({
  secret,
  kind,
  onClose,
}: {
  readonly secret: string;
  readonly kind: Kind;
  readonly onClose: () => void;
}) {
  return (
    <Inspector
      title={words.newTitle}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <Created secret={secret} kind={kind} />
    </Inspector>
  );
}

export function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('backend');
  const [environment, setEnvironment] = useState('development');
  const [projects, setProjects] = useState<readonly string[]>([]);
  const [expires, setExpires] = useState('never');
  const [secret, setSecret] = useState<string | null>(null);
  const writing = useWrite();
  const mayNot = useMay(PERMISSIONS[kind]);
  const submit = async () => {
    const body = {
      type: kind,
      tokenName: name,
      ...(kind === 'admin' ? {} : { environment, projects: projects.length > 0 ? [...projects] : ['*'] }),
      expiresAt: expires === 'never' ? null : new Date(Date.now() + Number(expires) * DAY_MS).toISOString(),
    };
    const done = await writing.run(
      () => write(api.POST('/api/admin/api-tokens', { body, headers: stated({}) })),
      words.created(name),
    );
    if (done) setSecret(done.value.secret);
  };
  if (secret !== null) {
    return <Secret secret={secret} kind={kind} onClose={onClose} />;
  }
  return (
    <FormPanel
      title={words.newTitle}
      onClose={onClose}
      onSubmit={() => void submit()}
      submit={words.create}
      isPending={writing.isPending}
      mayNot={mayNot}
      failure={writing.failure}
    >
      <Field label={words.name} hint={words.nameHint} required>
        <TextInput autoFocus required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={words.kind} hint={words.kindHint}>
        <Select
          options={(['backend', 'frontend', 'admin'] as const).map((value) => ({
            value,
            label: words.types[value],
          }))}
          value={kind}
          onChange={(value) => setKind(value as Kind)}
        />
      </Field>
      {kind !== 'admin' && (
        <Scope environment={environment} projects={projects} onEnvironment={setEnvironment} onProjects={setProjects} />
      )}
      <Field label={words.expires}>
        <Select
          options={Object.entries(words.expiries).map(([value, label]) => ({ value, label }))}
          value={expires}
          onChange={setExpires}
        />
      </Field>
    </FormPanel>
  );
}
