import { useState } from 'react';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpenedItem } from '../../data/opened.ts';
import { isProduction, useProjects } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Combobox, MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import styles from '../../parts/parts.module.css';
import { ConfirmReview, ReviewsOf, reviewKey, reviewsOf } from '../../projects/Reviews.tsx';
import { environments as words } from '../../words/en/environments.ts';
import { parts } from '../../words/en/parts.ts';
import { type Environment, TYPES } from './environment-data.ts';

const NAME = /^[\w.~-]+$/;
const REFRESH = [keys.environments, ['project']];

const problemOf = (name: string) => {
  if (name === '') return parts.fieldMissing(words.name);
  return NAME.test(name) ? undefined : words.nameWrong;
};

function NameField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <Field label={words.name} hint={words.nameHint} error={value !== '' ? problemOf(value) : undefined} required>
      <TextInput
        autoFocus
        mono
        maxLength={100}
        value={value}
        onChange={(event) => onChange(event.target.value.trim())}
      />
    </Field>
  );
}

function TypeField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <Field label={words.type} hint={words.typeHint}>
      <Select
        value={value}
        onChange={onChange}
        options={[...new Set([...TYPES, value])].map((type) => ({ value: type, label: words.types[type] ?? type }))}
      />
    </Field>
  );
}

type FetchMode = Environment['fetchMode'];

function FetchModeField({
  value,
  onChange,
}: {
  readonly value: FetchMode;
  readonly onChange: (value: FetchMode) => void;
}) {
  const { default: asConfigured, streaming, polling } = words.fetchModes;
  return (
    <Field label={words.fetchMode} hint={words.fetchModeHint}>
      <Select
        value={value ?? ''}
        onChange={(chosen) => onChange(chosen === 'streaming' || chosen === 'polling' ? chosen : null)}
        options={[
          { value: '', label: asConfigured },
          { value: 'streaming', label: streaming },
          { value: 'polling', label: polling },
        ]}
      />
    </Field>
  );
}

export function CreateEnvironment({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useKept('name', '');
  const [type, setType] = useKept('type', 'development');
  const [requireReason, setRequireReason] = useKept('requireReason', false);
  const mayNot = useMay('CREATE_ENVIRONMENT');
  return (
    <EditPanel<Environment>
      title={words.createTitle}
      production={isProduction(type)}
      mayNot={mayNot}
      problem={problemOf(name)}
      label={words.create}
      save={() => write(api.POST('/api/admin/environments', { body: { name, type, requireReason } }))}
      saved={{ canUndo: true, text: words.created(name), refresh: REFRESH }}
      onSaved={onClose}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
      <TypeField value={type} onChange={setType} />
      <Checkbox
        label={words.requireReason}
        hint={words.requireReasonHint}
        checked={requireReason}
        onChange={setRequireReason}
      />
    </EditPanel>
  );
}

export function CloneEnvironment({ source, onClose }: { readonly source: Environment; readonly onClose: () => void }) {
  const { data: projects = [] } = useProjects();
  const [name, setName] = useKept('name', '');
  const [type, setType] = useKept('type', source.type);
  const [scope, setScope] = useKept<'all' | 'some'>('scope', 'all');
  const [some, setSome] = useKept<readonly string[]>('some', []);
  const [clonePermissions, setClonePermissions] = useKept('clonePermissions', true);
  const mayNot = useMay('CREATE_ENVIRONMENT');
  return (
    <EditPanel<Environment>
      title={words.cloneTitle(source.name)}
      production={isProduction(type)}
      mayNot={mayNot}
      problem={problemOf(name)}
      label={words.clone.replace('…', '')}
      save={() =>
        write(
          api.POST('/api/admin/environments/{name}/clone', {
            params: { path: { name: source.name } },
            body: { name, type, clonePermissions, ...(scope === 'some' && { projects: [...some] }) },
          }),
        )
      }
      saved={{ canUndo: true, text: words.cloned(name), refresh: [...REFRESH, keys.roles] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <p className={styles.quiet}>{words.cloneLead(source.name)}</p>
      <NameField value={name} onChange={setName} />
      <TypeField value={type} onChange={setType} />
      <div className={styles.tight}>
        <span className={styles.label}>{words.cloneProjects}</span>
        <Segmented
          label={words.cloneProjects}
          value={scope}
          onChange={setScope}
          options={[
            { value: 'all', label: words.cloneAllProjects },
            { value: 'some', label: words.cloneSomeProjects },
          ]}
        />
      </div>
      {scope === 'some' && (
        <MultiSelect
          label={words.cloneProjects}
          placeholder={words.cloneProjects}
          values={some}
          onChange={setSome}
          options={projects.map(({ id, name: label }) => ({ value: id, label }))}
        />
      )}
      <Checkbox label={words.clonePermissions} checked={clonePermissions} onChange={setClonePermissions} />
    </EditPanel>
  );
}

/** Of all projects, one at a time: an instance can have thousands. */
function Reviews({ environment }: { readonly environment: Environment }) {
  const { data: projects = [] } = useProjects();
  const [chosen, setChosen] = useUrlState('project');
  const [asked, setAsked] = useOpenedItem('review', reviewsOf(environment), reviewKey);
  const project = chosen || (projects.length === 1 ? (projects[0]?.id ?? null) : null);
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.reviews}</h3>
      <Field label={words.project} hint={words.reviewsHint}>
        <Combobox
          value={project}
          placeholder={words.chooseProject}
          onChange={(id) => setChosen(id ?? '')}
          options={projects.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      {project && (
        <div className={styles.row}>
          <ReviewsOf project={project} environment={environment} onAsk={(kind) => setAsked({ kind, environment })} />
        </div>
      )}
      {project && asked && <ConfirmReview project={project} asked={asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

const NAMES = { type: words.type, requireReason: words.requireReason, fetchMode: words.fetchMode } as const;

export function EditEnvironment({
  environment,
  onClose,
}: {
  readonly environment: Environment;
  readonly onClose: () => void;
}) {
  const { name } = environment;
  const [base] = useState(() => {
    const { type, requireReason, fetchMode } = environment;
    return { type, requireReason, fetchMode };
  });
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay('UPDATE_ENVIRONMENT');
  const params = { path: { name } };
  const save = (reason: string) =>
    ifUnchanged(
      () => readTagged(api.GET('/api/admin/environments/{name}', { params, cache: 'no-store' })),
      ({ type, requireReason, fetchMode }) =>
        type === base.type && requireReason === base.requireReason && fetchMode === base.fetchMode,
      (etag) =>
        write<unknown>(
          api.PUT('/api/admin/environments/update/{name}', { params, headers: stated({ reason, etag }), body: values }),
        ),
    );
  return (
    <EditPanel<unknown>
      title={words.editTitle(name)}
      production={isProduction(base.type) || isProduction(values.type)}
      mayNot={mayNot}
      sentences={fieldSentences(base, values, NAMES)}
      save={save}
      saved={{ canUndo: true, text: words.saved(name), refresh: REFRESH }}
      onSaved={onClose}
      onClose={onClose}
    >
      <TypeField value={values.type} onChange={(type) => setValues({ ...values, type })} />
      <Checkbox
        label={words.requireReason}
        hint={words.requireReasonHint}
        checked={values.requireReason}
        onChange={(requireReason) => setValues({ ...values, requireReason })}
      />
      <FetchModeField value={values.fetchMode} onChange={(fetchMode) => setValues({ ...values, fetchMode })} />
      <Reviews environment={environment} />
    </EditPanel>
  );
}
