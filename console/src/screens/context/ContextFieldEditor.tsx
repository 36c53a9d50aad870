import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read, readTagged, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import type { ContextField } from '../../domain/model.ts';
import { Checkbox } from '../../kit/Checkbox.tsx';
import { Field } from '../../kit/Field.tsx';
import { TextArea, TextInput } from '../../kit/TextInput.tsx';
import { DeleteButton } from '../../save/DeleteButton.tsx';
import { FormPanel } from '../../save/FormPanel.tsx';
import { type Use, UsedBy } from '../../save/UsedBy.tsx';
import { useWrite } from '../../save/use-write.ts';
import { context as words } from '../../words/en/segments.ts';
import { ValuesEditor } from '../feature/ValuesEditor.tsx';

interface ContextFieldEditorProps {
  readonly field: ContextField | undefined;
  readonly onClose: () => void;
}

const FIELD = '/api/admin/context/{contextField}';

/** The field as it was when the editor was opened, and what uses it. */
function useOpened(name: string | undefined) {
  const params = { path: { contextField: name ?? '' } };
  const { data: opened } = useQuery({
    queryKey: ['own', 'opened-context-field', name],
    queryFn: () => readTagged(api.GET(FIELD, { params })),
    enabled: name !== undefined,
    gcTime: 0,
  });
  const { data: uses } = useQuery({
    queryKey: keys.contextField(name ?? '', 'strategies'),
    queryFn: async () => (await read(api.GET(`${FIELD}/strategies`, { params }))).strategies,
    enabled: name !== undefined,
  });
  return { opened, uses };
}

function NameField({ name, onChange }: { readonly name: string; readonly onChange: (name: string) => void }) {
  return (
    <Field label={words.name} hint={words.nameHint} required>
      <TextInput mono autoFocus required value={name} onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}

function Uses({ uses }: { readonly uses: readonly Use[] }) {
  return (
    <section>
      <h3>{words.usedBy}</h3>
      <UsedBy uses={uses} none={words.unused} />
    </section>
  );
}

export function ContextFieldEditor({ field, onClose }: ContextFieldEditorProps) {
  const [name, setName] = useState(field?.name ?? '');
  const [description, setDescription] = useState(field?.description ?? '');
  const [isSticky, setSticky] = useState(field?.stickiness ?? false);
  const [values, setValues] = useState<readonly string[]>(field?.legalValues.map(({ value }) => value) ?? []);
  const [newerTag, setNewerTag] = useState<string | null>(null);
  const params = { path: { contextField: field?.name ?? '' } };
  const { opened, uses } = useOpened(field?.name);
  const writing = useWrite();
  const mayNot = useMay(field ? 'UPDATE_CONTEXT_FIELD' : 'CREATE_CONTEXT_FIELD');
  const mayNotDelete = useMay('DELETE_CONTEXT_FIELD');
  const submit = async () => {
    // Descriptions of values that stay are kept.
    const legalValues = values.map((value) => field?.legalValues.find((one) => one.value === value) ?? { value });
    const done = await writing.run(
      async () => {
        if (!field)
          return write<unknown>(
            api.POST('/api/admin/context', { body: { name, description, stickiness: isSticky, legalValues } }),
          );
        const headers = stated({ etag: newerTag ?? opened?.etag ?? null });
        const answer = await write<unknown>(
          api.PUT(FIELD, { params, headers, body: { description, stickiness: isSticky, legalValues } }),
        );
        if (!answer.ok && answer.failure.status === 412) setNewerTag(answer.failure.etag);
        return answer;
      },
      field ? words.saved(name) : words.created(name),
    );
    if (done) onClose();
  };
  const remove = async () => {
    const done = await writing.run(() => write(api.DELETE(FIELD, { params })), words.deleted(name));
    if (done) onClose();
  };
  return (
    <FormPanel
      title={field ? <code>{field.name}</code> : words.create}
      onClose={onClose}
      onSubmit={() => void submit()}
      submit={words.save}
      isPending={writing.isPending}
      mayNot={mayNot}
      failure={writing.failure}
      stale={words.changedMeanwhile}
      before={
        field && (
          <DeleteButton
            label={words.remove}
            sure={words.removeNow}
            mayNot={mayNotDelete}
            onDelete={() => void remove()}
          />
        )
      }
    >
      {!field && <NameField name={name} onChange={setName} />}
      <Field label={words.description}>
        <TextArea rows={2} value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
      <Checkbox label={words.sticky} checked={isSticky} onChange={setSticky} />
      <ValuesEditor label={words.values} values={values} onChange={setValues} />
      <p>{words.valuesHint}</p>
      {field && <Uses uses={uses ?? []} />}
    </FormPanel>
  );
}
