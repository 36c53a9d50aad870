import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, read, readTagged, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { reportPresence } from '../../data/presence.ts';
import { useProjects } from '../../data/settings.ts';
import type { Constraint, Segment } from '../../domain/model.ts';
import { Combobox } from '../../kit/Combobox.tsx';
import { Field } from '../../kit/Field.tsx';
import { TextArea, TextInput } from '../../kit/TextInput.tsx';
import { DeleteButton } from '../../save/DeleteButton.tsx';
import { Difference } from '../../save/Difference.tsx';
import { FormPanel } from '../../save/FormPanel.tsx';
import { type Use, UsedBy } from '../../save/UsedBy.tsx';
import { useWrite } from '../../save/use-write.ts';
import { constraintSentences, type Sentence } from '../../words/en/differences.ts';
import { segments as words } from '../../words/en/segments.ts';
import { Constraints } from '../feature/Constraints.tsx';

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly project: string | null;
  readonly constraints: readonly Constraint[];
}

const draftOf = (segment: Segment | undefined): Draft => ({
  name: segment?.name ?? '',
  description: segment?.description ?? '',
  project: segment?.project ?? null,
  constraints: segment?.constraints ?? [],
});

function sentencesOf(before: Draft, after: Draft): Sentence[] {
  const texts: Sentence[] = [];
  if (before.name !== after.name) texts.push({ text: words.renamed(before.name, after.name) });
  if (before.description !== after.description) texts.push({ text: words.described });
  if (before.project !== after.project) texts.push({ text: words.moved });
  for (const text of constraintSentences(before.constraints, after.constraints)) texts.push({ text });
  return texts;
}

function useUses(id: number | undefined) {
  const { data } = useQuery({
    queryKey: keys.segment(id ?? 0, 'strategies'),
    queryFn: async () =>
      (await read(api.GET('/api/admin/segments/{id}/strategies', { params: { path: { id: id ?? 0 } } }))).strategies,
    enabled: id !== undefined,
  });
  return (data ?? []) as readonly { id: string; featureName: string; projectId: string; environment: string }[];
}

/** The tag of the segment, as it was when the editor was opened. */
function useOpened(id: number | undefined) {
  const [newer, setNewer] = useState<string | null>(null);
  const { data } = useQuery({
    queryKey: ['own', 'opened-segment', id],
    queryFn: () => readTagged(api.GET('/api/admin/segments/{id}', { params: { path: { id: id ?? 0 } } })),
    enabled: id !== undefined,
    gcTime: 0,
  });
  return [newer ?? data?.etag ?? null, setNewer] as const;
}

interface SegmentEditorProps {
  readonly segment: Segment | undefined;
  readonly onClose: () => void;
}

async function save(
  id: number | undefined,
  draft: Draft,
  reason: string,
  etag: string | null,
  onStale: (etag: string | null) => void,
) {
  const body = { ...draft, constraints: [...draft.constraints] };
  if (id === undefined) return write<unknown>(api.POST('/api/admin/segments', { headers: stated({ reason }), body }));
  const params = { path: { id } };
  const answer = await write<unknown>(
    api.PUT('/api/admin/segments/{id}', { params, headers: stated({ reason, etag }), body }),
  );
  if (!answer.ok && answer.failure.status === 412) onStale(answer.failure.etag);
  return answer;
}

function Uses({ uses, isChanged }: { readonly uses: readonly Use[]; readonly isChanged: boolean }) {
  return (
    <section>
      <h3>{isChanged && uses.length > 0 ? words.willAffect(uses.length) : words.usedBy}</h3>
      <UsedBy uses={uses} none={words.unused} />
    </section>
  );
}

/** Edits a segment. Before it is saved, the editor says what changes and for which strategies. */
export function SegmentEditor({ segment, onClose }: SegmentEditorProps) {
  const id = segment?.id;
  const [base] = useState(() => draftOf(segment));
  const [draft, setDraft] = useState(base);
  const [reason, setReason] = useState('');
  const [tag, setTag] = useOpened(id);
  const uses = useUses(id);
  const writing = useWrite();
  const mayNot = useMay(
    id === undefined ? ['CREATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'] : ['UPDATE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'],
    draft.project ?? undefined,
  );
  const mayNotDelete = useMay(['DELETE_SEGMENT', 'UPDATE_PROJECT_SEGMENT'], draft.project ?? undefined);
  useEffect(() => (id === undefined ? undefined : reportPresence('segment', String(id), 'editing')), [id]);
  const set = (values: Partial<Draft>) => setDraft({ ...draft, ...values });
  const sentences = sentencesOf(base, draft);

  const submit = async () => {
    const done = await writing.run(
      () => save(id, draft, reason, tag, setTag),
      id === undefined ? words.created(draft.name) : words.saved(draft.name),
      true,
    );
    if (done) onClose();
  };
  const remove = async () => {
    if (id === undefined) return;
    const done = await writing.run(
      () => write(api.DELETE('/api/admin/segments/{id}', { params: { path: { id } }, headers: stated({ reason }) })),
      words.deleted(draft.name),
      true,
    );
    if (done) onClose();
  };
  return (
    <FormPanel
      title={segment?.name ?? words.create}
      onClose={onClose}
      onSubmit={() => void submit()}
      submit={words.save}
      isPending={writing.isPending}
      mayNot={mayNot}
      failure={writing.failure}
      stale={words.changedMeanwhile}
      before={
        id !== undefined && (
          <DeleteButton
            label={words.remove}
            sure={words.removeNow}
            mayNot={mayNotDelete ?? (uses.length > 0 ? words.inUse(uses.length) : undefined)}
            onDelete={() => void remove()}
          />
        )
      }
    >
      <SegmentFields draft={draft} onChange={set} />
      {id !== undefined && sentences.length > 0 && (
        <Difference title={words.changes} sentences={sentences} json={{ before: base, after: draft }} />
      )}
      {id !== undefined && <Uses uses={uses} isChanged={sentences.length > 0} />}
      <Field label={words.reason}>
        <TextInput maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormPanel>
  );
}

function SegmentFields({
  draft,
  onChange: set,
}: {
  readonly draft: Draft;
  readonly onChange: (values: Partial<Draft>) => void;
}) {
  const { data: projects } = useProjects();
  return (
    <>
      <Field label={words.name} required>
        <TextInput required value={draft.name} onChange={(event) => set({ name: event.target.value })} />
      </Field>
      <Field label={words.description}>
        <TextArea rows={2} value={draft.description} onChange={(event) => set({ description: event.target.value })} />
      </Field>
      <Field label={words.project} hint={words.projectHint}>
        <Combobox
          options={(projects ?? []).map(({ id: value, name: label }) => ({ value, label }))}
          value={draft.project}
          placeholder={words.allProjects}
          onChange={(project) => set({ project })}
        />
      </Field>
      <Constraints constraints={draft.constraints} onChange={(constraints) => set({ constraints })} />
    </>
  );
}
