import type { components } from '../../api/schema.d.ts';
import { api, write } from '../../data/client.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useEnvironments } from '../../data/settings.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { Checks } from '../../parts/Checks.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import styles from '../../parts/parts.module.css';
import { idOf, type Project } from '../../projects/project-data.ts';
import { parts } from '../../words/en/parts.ts';
import { projects as words } from '../../words/en/projects.ts';
import { ModeChoice } from './ModeChoice.tsx';

interface CreateProjectProps {
  readonly onCreated: (id: string) => void;
  readonly onClose: () => void;
}

const ID = /^[\w.~-]+$/;

export function CreateProject({ onCreated, onClose }: CreateProjectProps) {
  const { data: environments = [] } = useEnvironments();
  const [name, setName] = useKept('name', '');
  const [typedId, setTypedId] = useKept<string | null>('typedId', null);
  const [description, setDescription] = useKept('description', '');
  const [mode, setMode] = useKept<Project['mode']>('mode', 'open');
  const [leftOut, setLeftOut] = useKept<ReadonlySet<string>>('leftOut', new Set());
  const mayNot = useMay('CREATE_PROJECT');
  const id = typedId ?? idOf(name);
  const idError = id !== '' && !ID.test(id) ? words.idWrong : undefined;
  const usable = environments.filter(({ enabled }) => enabled);
  const used = usable.filter((one) => !leftOut.has(one.name)).map((one) => one.name);
  const problem =
    (name.trim() === '' ? parts.fieldMissing(parts.name) : undefined) ??
    (id === '' ? parts.fieldMissing(words.id) : idError) ??
    (used.length === 0 ? words.environmentsMissing : undefined);
  return (
    <EditPanel<components['schemas']['projectCreated']>
      title={words.createTitle}
      mayNot={mayNot}
      problem={problem}
      label={words.create}
      save={() =>
        write(
          api.POST('/api/admin/projects', {
            body: { id, name: name.trim(), description: description.trim() || null, mode, environments: used },
          }),
        )
      }
      saved={{ canUndo: true, text: words.created(name.trim()), refresh: [keys.projects, keys.me] }}
      onSaved={(project) => onCreated(project.id)}
      onClose={onClose}
    >
      <Field label={parts.name} required>
        <TextInput autoFocus maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={words.id} hint={words.idHint} error={idError} required>
        <TextInput mono maxLength={100} value={id} onChange={(event) => setTypedId(event.target.value)} />
      </Field>
      <Field label={parts.description}>
        <TextArea
          rows={2}
          maxLength={2000}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
      <ModeChoice value={mode} onChange={setMode} />
      <fieldset className={styles.tight}>
        <legend className={styles.label}>{parts.environments}</legend>
        <Checks
          options={usable.map((one) => ({ value: one.name, label: <code>{one.name}</code> }))}
          values={used}
          onChange={(next) => setLeftOut(new Set(usable.map((one) => one.name).filter((one) => !next.includes(one))))}
        />
      </fieldset>
    </EditPanel>
  );
}
