import { useState } from 'react';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpenedItem } from '../../data/opened.ts';
import { isProduction, useProjects } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { same } from '../../domain/same.ts';
import { Combobox, MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import {
  check,
  FieldList,
  type FieldOf,
  firstOf,
  problemIn,
  segmented,
  select,
  sentencesOf,
  text,
} from '../../parts/fields.tsx';
import styles from '../../parts/parts.module.css';
import { ConfirmReview, ReviewsOf, reviewKey, reviewsOf } from '../../projects/Reviews.tsx';
import { environments as words } from '../../words/en/environments.ts';
import { parts } from '../../words/en/parts.ts';
import { type Environment, TYPES } from './environment-data.ts';

const NAME = /^[\w.~-]+$/;
const REFRESH = [keys.environments, ['project']];

const name = text(parts.name, {
  max: 100,
  mono: true,
  trims: true,
  isRequired: true,
  hint: words.nameHint,
  problem: (value) => (NAME.test(value) ? undefined : words.nameWrong),
});
/** A type that Unleash had stays. */
const typeWith = (own?: string) =>
  select(
    parts.type,
    [...new Set([...TYPES, ...(own ? [own] : [])])].map((value) => ({ value, label: words.types[value] ?? value })),
    { hint: words.typeHint },
  );
const requireReason = check(words.requireReason, false, words.requireReasonHint);

type FetchMode = Environment['fetchMode'];
const { default: asConfigured, ...modes } = words.fetchModes;
const fetchMode: FieldOf<FetchMode> = {
  label: words.fetchMode,
  first: null,
  show: ({ value, onChange }) => (
    <Field label={words.fetchMode} hint={words.fetchModeHint}>
      <Select
        value={value ?? ''}
        onChange={(chosen) => onChange(chosen === 'streaming' || chosen === 'polling' ? chosen : null)}
        options={[
          { value: '', label: asConfigured },
          { value: 'streaming', label: modes.streaming },
          { value: 'polling', label: modes.polling },
        ]}
      />
    </Field>
  ),
};

const CREATE = { name, type: typeWith(), requireReason };

export function CreateEnvironment({ onClose }: { readonly onClose: () => void }) {
  const [values, setValues] = useKept('values', { name: '', type: 'development', requireReason: false });
  return (
    <EditPanel<Environment>
      title={words.createTitle}
      production={isProduction(values.type)}
      mayNot={useMay('CREATE_ENVIRONMENT')}
      problem={problemIn(CREATE, values, true)}
      label={words.create}
      save={() => write(api.POST('/api/admin/environments', { body: values }))}
      saved={{ canUndo: true, text: words.created(values.name), refresh: REFRESH }}
      onSaved={onClose}
      onClose={onClose}
    >
      <FieldList isNew fields={CREATE} values={values} onChange={setValues} />
    </EditPanel>
  );
}

interface ProjectsProps {
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

function SomeProjects({ value, onChange }: ProjectsProps) {
  const { data: projects = [] } = useProjects();
  return (
    <MultiSelect
      label={words.cloneProjects}
      placeholder={words.cloneProjects}
      values={value}
      onChange={onChange}
      options={projects.map(({ id, name: label }) => ({ value: id, label }))}
    />
  );
}

const cloneFields = (source: Environment) => ({
  name,
  type: typeWith(source.type),
  scope: segmented<'all' | 'some'>(
    words.cloneProjects,
    { all: parts.allProjects, some: words.cloneSomeProjects },
    'all',
  ),
  some: {
    label: words.cloneProjects,
    first: [],
    when: ({ scope }) => scope === 'some',
    show: ({ value, onChange }) => <SomeProjects value={value} onChange={onChange} />,
  } satisfies FieldOf<readonly string[]>,
  clonePermissions: check(words.clonePermissions, true),
});

export function CloneEnvironment({ source, onClose }: { readonly source: Environment; readonly onClose: () => void }) {
  const [fields] = useState(() => cloneFields(source));
  const [values, setValues] = useKept('values', () => ({ ...firstOf(fields), type: source.type }));
  const { scope, some, ...body } = values;
  return (
    <EditPanel<Environment>
      title={words.cloneTitle(source.name)}
      production={isProduction(values.type)}
      mayNot={useMay('CREATE_ENVIRONMENT')}
      problem={problemIn(fields, values, true)}
      label={words.clone.replace('…', '')}
      save={() =>
        write(
          api.POST('/api/admin/environments/{name}/clone', {
            params: { path: { name: source.name } },
            body: { ...body, ...(scope === 'some' && { projects: [...some] }) },
          }),
        )
      }
      saved={{ canUndo: true, text: words.cloned(values.name), refresh: [...REFRESH, keys.roles] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <p className={styles.quiet}>{words.cloneLead(source.name)}</p>
      <FieldList isNew fields={fields} values={values} onChange={setValues} />
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
      <Field label={parts.project} hint={words.reviewsHint}>
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

interface EditProps {
  readonly environment: Environment;
  readonly onClose: () => void;
}

export function EditEnvironment({ environment, onClose }: EditProps) {
  const valuesOf = (now: Environment) => ({
    type: now.type,
    requireReason: now.requireReason,
    fetchMode: now.fetchMode,
  });
  const [base] = useState(() => valuesOf(environment));
  const [values, setValues] = useKept('values', base);
  const params = { path: { name: environment.name } };
  const fields = { type: typeWith(values.type), requireReason, fetchMode };
  const save = (reason: string) =>
    ifUnchanged(
      () => readTagged(api.GET('/api/admin/environments/{name}', { params, cache: 'no-store' })),
      (now) => same(valuesOf(now), base),
      (etag) =>
        write<unknown>(
          api.PUT('/api/admin/environments/update/{name}', { params, headers: stated({ reason, etag }), body: values }),
        ),
    );
  return (
    <EditPanel<unknown>
      title={words.editTitle(environment.name)}
      production={isProduction(base.type) || isProduction(values.type)}
      mayNot={useMay('UPDATE_ENVIRONMENT')}
      sentences={sentencesOf(fields, base, values)}
      save={save}
      saved={{ canUndo: true, text: words.saved(environment.name), refresh: REFRESH }}
      onSaved={onClose}
      onClose={onClose}
    >
      <FieldList fields={fields} values={values} onChange={setValues} />
      <Reviews environment={environment} />
    </EditPanel>
  );
}
