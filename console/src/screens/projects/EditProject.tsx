import { useState } from 'react';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useContextFields } from '../../data/settings.ts';
import { same } from '../../domain/same.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { area, FieldList, problemIn, select, sentencesOf, text, type ValuesOf } from '../../parts/fields.tsx';
import type { ProjectDetails } from '../../projects/project-data.ts';
import { parts } from '../../words/en/parts.ts';
import { projects as words } from '../../words/en/projects.ts';
import { mode } from './ModeChoice.tsx';

const LIMIT = /^([1-9]\d*)?$/;

const fieldsWith = (stickinesses: readonly string[]) => ({
  name: text(parts.name, { max: 100, isRequired: true }),
  description: area(parts.description, { max: 2000 }),
  mode,
  defaultStickiness: select(
    words.stickiness,
    stickinesses.map((value) => ({ value, label: value })),
    { mono: true, hint: words.stickinessHint },
  ),
  featureLimit: text(words.limit, {
    inputMode: 'numeric',
    trims: true,
    hint: words.limitHint,
    problem: (value) => (LIMIT.test(value) ? undefined : words.limitWrong),
  }),
  pattern: text(words.naming, { mono: true, hint: words.namingHint }),
  example: text(words.example, { mono: true, when: ({ pattern }) => pattern !== '' }),
});
type Values = ValuesOf<ReturnType<typeof fieldsWith>>;

const valuesOf = (project: ProjectDetails): Values => ({
  name: project.name,
  description: project.description ?? '',
  mode: project.mode,
  defaultStickiness: project.defaultStickiness,
  featureLimit: project.featureLimit === null ? '' : String(project.featureLimit),
  pattern: project.featureNaming.pattern ?? '',
  example: project.featureNaming.example ?? '',
});

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
    (now) => same(base, valuesOf(now)),
    (etag) => write<unknown>(api.PUT(url, { params, headers: stated({ reason, etag }), body })),
  );
}

export function EditProject({ project, onClose }: { readonly project: ProjectDetails; readonly onClose: () => void }) {
  const { data: contextFields = [] } = useContextFields();
  const [base] = useState(() => valuesOf(project));
  const [values, setValues] = useKept('values', base);
  const sticky = contextFields
    .filter(({ stickiness, name }) => stickiness || name === 'userId' || name === 'sessionId')
    .map(({ name }) => name);
  const fields = fieldsWith([...new Set(['default', 'random', ...sticky, values.defaultStickiness])]);
  return (
    <EditPanel<unknown>
      title={words.settingsOf(project.name)}
      mayNot={useMay('UPDATE_PROJECT', project.id)}
      problem={problemIn(fields, values, false)}
      sentences={sentencesOf(fields, base, values)}
      save={(reason) => save(project.id, base, values, reason)}
      saved={{ canUndo: true, text: words.saved(values.name), refresh: [keys.projects, keys.project(project.id)] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <FieldList fields={fields} values={values} onChange={setValues} />
    </EditPanel>
  );
}
