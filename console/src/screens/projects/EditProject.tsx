import { useState } from 'react';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useContextFields } from '../../data/settings.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import type { ProjectDetails } from '../../projects/project-data.ts';
import { parts } from '../../words/en/parts.ts';
import { projects as words } from '../../words/en/projects.ts';
import { ModeChoice } from './ModeChoice.tsx';

const valuesOf = (project: ProjectDetails) => ({
  name: project.name,
  description: project.description ?? '',
  mode: project.mode,
  defaultStickiness: project.defaultStickiness,
  featureLimit: project.featureLimit === null ? '' : String(project.featureLimit),
  pattern: project.featureNaming.pattern ?? '',
  example: project.featureNaming.example ?? '',
});
type Values = ReturnType<typeof valuesOf>;

const NAMES: Record<keyof Values, string> = {
  name: words.name,
  description: words.description,
  mode: words.mode,
  defaultStickiness: words.stickiness,
  featureLimit: words.limit,
  pattern: words.naming,
  example: words.example,
};

/** On condition that the project is as it was when it was read. */
function save(id: string, base: Values, { featureLimit, pattern, example, ...values }: Values, reason: string) {
  const url = '/api/admin/projects/{projectId}' as const;
  const params = { path: { projectId: id } };
  const body = {
    ...values,
    description: values.description.trim() || null,
    featureLimit: featureLimit === '' ? null : Number(featureLimit),
    featureNaming: pattern === '' ? null : { pattern, example: example || null },
  };
  return ifUnchanged(
    () => readTagged(api.GET(url, { params, cache: 'no-store' })),
    (now) => fieldSentences(base, valuesOf(now), NAMES).length === 0,
    (etag) => write<unknown>(api.PUT(url, { params, headers: stated({ reason, etag }), body })),
  );
}

export function EditProject({ project, onClose }: { readonly project: ProjectDetails; readonly onClose: () => void }) {
  const { data: fields = [] } = useContextFields();
  const [base] = useState(() => valuesOf(project));
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay('UPDATE_PROJECT', project.id);
  const set = <K extends keyof Values>(key: K, value: Values[K]) =>
    setValues((before) => ({ ...before, [key]: value }));
  const limitError = /^([1-9]\d*)?$/.test(values.featureLimit) ? undefined : words.limitWrong;
  const sticky = [
    'default',
    'random',
    ...fields
      .filter(({ stickiness, name }) => stickiness || name === 'userId' || name === 'sessionId')
      .map(({ name }) => name),
  ];
  return (
    <EditPanel<unknown>
      title={words.settingsOf(project.name)}
      mayNot={mayNot}
      problem={(values.name.trim() === '' ? parts.fieldMissing(words.name) : undefined) ?? limitError}
      sentences={fieldSentences(base, values, NAMES)}
      save={(reason) => save(project.id, base, values, reason)}
      saved={{ canUndo: true, text: words.saved(values.name), refresh: [keys.projects, keys.project(project.id)] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Field label={words.name} required>
        <TextInput maxLength={100} value={values.name} onChange={(event) => set('name', event.target.value)} />
      </Field>
      <Field label={words.description}>
        <TextArea
          rows={2}
          maxLength={2000}
          value={values.description}
          onChange={(event) => set('description', event.target.value)}
        />
      </Field>
      <ModeChoice value={values.mode} onChange={(mode) => set('mode', mode)} />
      <Field label={words.stickiness} hint={words.stickinessHint}>
        <Select
          mono
          value={values.defaultStickiness}
          onChange={(value) => set('defaultStickiness', value)}
          options={[...new Set([...sticky, values.defaultStickiness])].map((value) => ({ value, label: value }))}
        />
      </Field>
      <Field label={words.limit} hint={words.limitHint} error={limitError}>
        <TextInput
          inputMode="numeric"
          value={values.featureLimit}
          onChange={(event) => set('featureLimit', event.target.value.trim())}
        />
      </Field>
      <Field label={words.naming} hint={words.namingHint}>
        <TextInput mono value={values.pattern} onChange={(event) => set('pattern', event.target.value)} />
      </Field>
      {values.pattern !== '' && (
        <Field label={words.example}>
          <TextInput mono value={values.example} onChange={(event) => set('example', event.target.value)} />
        </Field>
      )}
    </EditPanel>
  );
}
