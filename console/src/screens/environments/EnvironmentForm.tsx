import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readTagged, stated, type Written, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Checkbox } from '../../kit/Checkbox.tsx';
import { Field } from '../../kit/Field.tsx';
import { Select } from '../../kit/Select.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { FormPanel } from '../../save/FormPanel.tsx';
import { useWrite } from '../../save/use-write.ts';
import { environments as words } from '../../words/en/environments.ts';
import type { Environment } from './EnvironmentsScreen.tsx';

const TYPES = Object.entries(words.types).map(([value, label]) => ({ value, label }));

interface EnvironmentFormProps {
  readonly kind: 'create' | 'edit' | 'clone';
  readonly environment: Environment | undefined;
  readonly onClose: () => void;
}

/** The tag of what is edited, as it was when the form was opened. */
function useTag(name: string | undefined) {
  const [newer, setNewer] = useState<string | null>(null);
  const { data } = useQuery({
    queryKey: [...keys.environment(name ?? ''), 'tag-of-form'],
    queryFn: () => readTagged(api.GET('/api/admin/environments/{name}', { params: { path: { name: name ?? '' } } })),
    enabled: name !== undefined,
    staleTime: 0,
    refetchOnMount: true,
  });
  return [newer ?? data?.etag ?? null, setNewer] as const;
}

export function EnvironmentForm({ kind, environment, onClose }: EnvironmentFormProps) {
  const [name, setName] = useState(kind === 'edit' ? (environment?.name ?? '') : '');
  const [type, setType] = useState(environment?.type ?? 'development');
  const [needsReason, setNeedsReason] = useState(environment?.requireReason ?? false);
  const [isEnabled, setEnabled] = useState(environment?.enabled ?? true);
  const [tag, setTag] = useTag(kind === 'edit' ? environment?.name : undefined);
  const writing = useWrite();
  const mayNot = useMay('ADMIN');

  const save = async (): Promise<Written<unknown>> => {
    if (kind === 'create')
      return write(
        api.POST('/api/admin/environments', { body: { name, type, requireReason: needsReason }, headers: stated({}) }),
      );
    const path = { name: environment?.name ?? '' };
    if (kind === 'clone')
      return write(api.POST('/api/admin/environments/{name}/clone', { params: { path }, body: { name, type } }));
    const answer = await write(
      api.PUT('/api/admin/environments/update/{name}', {
        params: { path },
        headers: stated({ etag: tag }),
        body: { type, requireReason: needsReason },
      }),
    );
    if (!answer.ok) {
      if (answer.failure.status === 412) setTag(answer.failure.etag);
      return answer;
    }
    if (isEnabled === environment?.enabled) return answer;
    return isEnabled
      ? write(api.POST('/api/admin/environments/{name}/on', { params: { path } }))
      : write(api.POST('/api/admin/environments/{name}/off', { params: { path } }));
  };
  const submit = async () => {
    const done = await writing.run(save, kind === 'edit' ? words.saved(name) : words.created(name));
    if (done) onClose();
  };
  const title =
    kind === 'create' ? words.create : kind === 'clone' ? words.clone(environment?.name ?? '') : words.edit(name);
  return (
    <FormPanel
      title={title}
      production={type === 'production'}
      onClose={onClose}
      onSubmit={() => void submit()}
      submit={words.save}
      isPending={writing.isPending}
      mayNot={mayNot}
      failure={writing.failure}
      stale={words.changedMeanwhile}
    >
      {kind !== 'edit' && (
        <Field label={words.name} hint={words.nameHint} required>
          <TextInput mono autoFocus required value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
      )}
      <Field label={words.type} hint={words.typeHint}>
        <Select options={TYPES} value={type} onChange={setType} />
      </Field>
      {kind !== 'clone' && <Checkbox label={words.needsReason} checked={needsReason} onChange={setNeedsReason} />}
      {kind === 'edit' && (
        <Checkbox label={words.enabled} hint={words.enabledHint} checked={isEnabled} onChange={setEnabled} />
      )}
    </FormPanel>
  );
}
