import { useEffect, useRef, useState } from 'react';
import type { components } from '../../api/schema.d.ts';
import { api, stated, write } from '../../data/client.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { DraftBar } from '../../kit/DraftBar.tsx';
import { Field } from '../../kit/Field.tsx';
import { Select } from '../../kit/Select.tsx';
import { TextArea, TextInput } from '../../kit/TextInput.tsx';
import { useWrite } from '../../save/use-write.ts';
import { projects as words } from '../../words/en/projects.ts';
import { useStickinesses } from '../feature/Parameters.tsx';
import { MODES } from '../projects/ProjectsScreen.tsx';
import styles from './Project.module.css';

type Project = components['schemas']['projectOverview'];

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly mode: Project['mode'];
  readonly defaultStickiness: string;
  readonly featureLimit: string;
  readonly pattern: string;
  readonly example: string;
}

const draftOf = (project: Project): Draft => ({
  name: project.name,
  description: project.description ?? '',
  mode: project.mode,
  defaultStickiness: project.defaultStickiness,
  featureLimit: project.featureLimit === null ? '' : String(project.featureLimit),
  pattern: project.featureNaming.pattern ?? '',
  example: project.featureNaming.example ?? '',
});

interface FieldsProps {
  readonly mine: Draft;
  readonly mayNot: MayNot;
  readonly onChange: (values: Partial<Draft>) => void;
}

function Fields({ mine, mayNot, onChange: set }: FieldsProps) {
  const stickinesses = useStickinesses();
  const isReadOnly = mayNot !== undefined;
  return (
    <>
      <Field label={words.name} required>
        <TextInput readOnly={isReadOnly} value={mine.name} onChange={(event) => set({ name: event.target.value })} />
      </Field>
      <Field label={words.description}>
        <TextArea
          readOnly={isReadOnly}
          value={mine.description}
          onChange={(event) => set({ description: event.target.value })}
        />
      </Field>
      <Field label={words.mode}>
        <Select
          options={MODES.map((option) => ({ ...option, reason: mayNot }))}
          value={mine.mode}
          onChange={(mode) => set({ mode: mode as Draft['mode'] })}
        />
      </Field>
      <Field label={words.stickiness}>
        <Select
          options={stickinesses.map((option) => ({ ...option, reason: mayNot }))}
          value={mine.defaultStickiness}
          onChange={(defaultStickiness) => set({ defaultStickiness })}
        />
      </Field>
      <Field label={words.limit} hint={words.limitHint}>
        <TextInput
          readOnly={isReadOnly}
          inputMode="numeric"
          value={mine.featureLimit}
          onChange={(event) => set({ featureLimit: event.target.value.replace(/\D/g, '') })}
        />
      </Field>
      <Field label={words.pattern} hint={words.patternHint}>
        <TextInput
          readOnly={isReadOnly}
          mono
          value={mine.pattern}
          onChange={(event) => set({ pattern: event.target.value })}
        />
      </Field>
      {mine.pattern !== '' && (
        <Field label={words.example}>
          <TextInput
            readOnly={isReadOnly}
            mono
            value={mine.example}
            onChange={(event) => set({ example: event.target.value })}
          />
        </Field>
      )}
    </>
  );
}

interface ProjectSettingsProps {
  readonly id: string;
  readonly project: Project;
  readonly etag: string | null;
}

export function ProjectSettings({ id, project, etag }: ProjectSettingsProps) {
  const saved = draftOf(project);
  const [draft, setDraft] = useState<Draft | null>(null);
  const tag = useRef(etag);
  useEffect(() => {
    if (draft === null) tag.current = etag;
  }, [draft, etag]);
  const writing = useWrite();
  const mayNot = useMay('UPDATE_PROJECT', id);
  const mine = draft ?? saved;
  const set = (values: Partial<Draft>) => setDraft({ ...mine, ...values });
  const changed = (Object.keys(saved) as (keyof Draft)[]).filter((key) => saved[key] !== mine[key]).length;
  const save = async () => {
    const body = {
      name: mine.name,
      description: mine.description,
      mode: mine.mode,
      defaultStickiness: mine.defaultStickiness,
      featureLimit: mine.featureLimit === '' ? null : Number(mine.featureLimit),
      featureNaming:
        mine.pattern === '' ? null : { ...project.featureNaming, pattern: mine.pattern, example: mine.example || null },
    };
    const params = { path: { projectId: id } };
    const done = await writing.run(async () => {
      const answer = await write(
        api.PUT('/api/admin/projects/{projectId}', { params, headers: stated({ etag: tag.current }), body }),
      );
      // The next attempt is on what is saved now.
      if (!answer.ok && answer.failure.status === 412) tag.current = answer.failure.etag;
      return answer;
    }, words.saved(mine.name));
    if (done) setDraft(null);
  };
  const archive = () =>
    writing.run(
      () => write(api.POST('/api/admin/projects/archive/{projectId}', { params: { path: { projectId: id } } })),
      words.archived(project.name),
    );
  return (
    <div className={styles.settings}>
      {mayNot && <Banner>{mayNot}</Banner>}
      <Fields mine={mine} mayNot={mayNot} onChange={set} />
      {writing.failure && (
        <Banner tone={writing.failure.status === 412 ? 'warn' : 'bad'}>
          {writing.failure.status === 412 ? words.changedMeanwhile : writing.failure.message}
        </Banner>
      )}
      <DraftBar
        count={draft ? changed : 0}
        pending={writing.isPending}
        reason={mayNot}
        onReview={() => void save()}
        onDiscard={() => setDraft(null)}
      />
      <div>
        <p className={styles.quiet}>{words.archiveHint}</p>
        <Button kind="danger" reason={mayNot} pending={writing.isPending} onClick={() => void archive()}>
          {words.archive}
        </Button>
      </div>
    </div>
  );
}
