import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, read, stated, type Writing, write } from '../data/client.ts';
import type { Failure } from '../data/failure.ts';
import { useKept } from '../data/kept.ts';
import { keys } from '../data/keys.ts';
import { useMay } from '../data/may.ts';
import { useProjects } from '../data/settings.ts';
import { cleanValues } from '../domain/values.ts';
import { Combobox } from '../kit/inputs/Combobox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { EditPanel } from '../parts/EditPanel.tsx';
import { area, check, choice, FieldList, text } from '../parts/fields.tsx';
import { path } from '../paths.ts';
import { createFlag as words } from '../words/en/flags/create-flag.ts';
import { features } from '../words/en/flags/features.ts';
import { parts } from '../words/en/parts.ts';

type FlagType = 'release' | 'experiment' | 'operational' | 'kill-switch' | 'permission' | 'sunset';

/** What a new flag needs to know of its project: how its flags are called. */
function useNaming(project: string) {
  const { data } = useQuery({
    queryKey: keys.project(project, 'overview'),
    queryFn: () =>
      read(api.GET('/api/admin/projects/{projectId}/overview', { params: { path: { projectId: project } } })),
  });
  return data?.featureNaming;
}

/** The server says where a problem is: `/name`. */
const at = (failure: Failure | null, field: string) =>
  failure?.details.find(({ path: where }) => where === `/${field}`)?.message ??
  (field === 'name' && (failure?.status === 409 || failure?.message.includes('name')) ? failure?.message : undefined);

interface Draft {
  readonly name: string;
  readonly type: FlagType;
  readonly description: string;
  readonly tags: string;
  readonly hasImpressions: boolean;
}

const EMPTY: Draft = { name: '', type: 'release', description: '', tags: '', hasImpressions: false };

function send(project: string, draft: Draft, cloned: string | undefined): Writing<unknown> {
  const { name, type, description, hasImpressions, tags } = draft;
  const headers = stated({});
  if (cloned !== undefined) {
    const params = { path: { projectId: project, featureName: cloned } };
    return write(
      api.POST('/api/admin/projects/{projectId}/features/{featureName}/clone', { params, headers, body: { name } }),
    );
  }
  return write(
    api.POST('/api/admin/projects/{projectId}/features', {
      params: { path: { projectId: project } },
      headers,
      body: {
        name,
        type,
        description,
        impressionData: hasImpressions,
        tags: cleanValues(tags).values.map((value) => ({ type: 'simple', value })),
      },
    }),
  );
}

const details = {
  type: choice<FlagType>(parts.type, features.types, 'release'),
  description: area(parts.description, { rows: 3 }),
  tags: text(parts.tags, { mono: true, hint: words.tagsHint }),
  hasImpressions: check(words.impressions, false, words.impressionsHint),
};

interface CreateFlagProps {
  readonly project: string | undefined;
  /** The name that the form begins with. */
  readonly name?: string | undefined;
  /** The flag of which the settings are copied. */
  readonly cloned?: string | undefined;
  readonly onClose: () => void;
}

export function CreateFlag({ project: given, name: proposed = '', cloned, onClose }: CreateFlagProps) {
  const { data: projects } = useProjects();
  const [, navigate] = useLocation();
  const [project, setProject] = useKept('project', given ?? 'default');
  const [draft, setDraft] = useKept<Draft>('draft', { ...EMPTY, name: proposed });
  const { name } = draft;
  const set = (values: Partial<Draft>) => setDraft({ ...draft, ...values });
  const naming = useNaming(project);
  const mayNot = useMay('CREATE_FEATURE', project);

  const namingHint = naming?.pattern
    ? `${words.naming(naming.pattern)} ${naming.example ? words.namingExample(naming.example) : ''} ${naming.description ?? ''}`
    : words.nameHint;
  return (
    <EditPanel<unknown>
      title={cloned === undefined ? words.title : words.clone(cloned)}
      label={parts.create}
      mayNot={mayNot}
      problem={name === '' ? parts.fieldMissing(parts.name) : undefined}
      save={() => send(project, draft, cloned)}
      saved={{}}
      isAtField={(failure) => at(failure, 'name') !== undefined}
      onSaved={() => navigate(path('feature', { projectId: project, featureId: name }), { replace: true })}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <Field label={parts.name} hint={namingHint} error={at(failure, 'name')} required>
            <TextInput
              mono
              autoFocus
              maxLength={100}
              value={name}
              onChange={(event) => set({ name: event.target.value })}
            />
          </Field>
          {given === undefined && (
            <Field label={parts.project}>
              <Combobox
                options={(projects ?? []).map(({ id, name: label }) => ({ value: id, label }))}
                value={project}
                onChange={(value) => setProject(value ?? 'default')}
              />
            </Field>
          )}
          {cloned === undefined && (
            <FieldList fields={details} values={draft} onChange={(_, changed) => set(changed)} />
          )}
        </>
      )}
    </EditPanel>
  );
}
