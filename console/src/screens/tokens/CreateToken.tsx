import { type FormEvent, useState } from 'react';
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

export function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('backend');
  const [environment, setEnvironment] = useState('development');
  const [projects, setProjects] = useState<readonly string[]>([]);
  const [expires, setExpires] = useState('never');
  const [secret, setSecret] = useState<string | null>(null);
  const { data: allProjects } = useProjects();
  const { data: environments } = useEnvironments();
  const writing = useWrite();
  const mayNot = useMay(PERMISSIONS[kind]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
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
  return (
    <Inspector
      title={words.newTitle}
      onClose={onClose}
      footer={
        secret === null ? (
          <>
            <Button onClick={onClose}>{words.cancel}</Button>
            <Button kind="primary" type="submit" form="create-token" pending={writing.isPending} reason={mayNot}>
              {words.create}
            </Button>
          </>
        ) : (
          <Button kind="primary" onClick={onClose}>
            {words.done}
          </Button>
        )
      }
    >
      {secret === null ? (
        <form id="create-token" className={styles.form} onSubmit={(event) => void submit(event)}>
          <Field label={words.name} hint={words.nameHint} required>
            <TextInput
              autoFocus
              required
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
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
            <>
              <Field label={words.environment}>
                <Select
                  options={(environments ?? []).map(({ name: value }) => ({ value, label: value }))}
                  value={environment}
                  onChange={setEnvironment}
                />
              </Field>
              <Field label={words.projects} hint={words.projectsHint}>
                <MultiSelect
                  options={(allProjects ?? []).map(({ id, name: label }) => ({ value: id, label }))}
                  values={projects}
                  onChange={setProjects}
                />
              </Field>
            </>
          )}
          <Field label={words.expires}>
            <Select
              options={Object.entries(words.expiries).map(([value, label]) => ({ value, label }))}
              value={expires}
              onChange={setExpires}
            />
          </Field>
          {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
        </form>
      ) : (
        <Created secret={secret} kind={kind} />
      )}
    </Inspector>
  );
}
