import { useQuery } from '@tanstack/react-query';
import { Archive, Trash2 } from 'lucide-react';
import { useContext, useEffect, useMemo, useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { forget, useKept, useKeptForms } from '../../data/kept.ts';
import type { MayNot } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import type { StrategyDraft } from '../../domain/model.ts';
import { same } from '../../domain/same.ts';
import { DraftBar } from '../../kit/changes/DraftBar.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Submitting } from '../../kit/overlays/submit.tsx';
import { area, FieldList, text } from '../../parts/fields.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import parts from '../../parts/parts.module.css';
import { Deleted, DeletedBanner } from '../../parts/RowPanel.tsx';
import { Rows } from '../../parts/Rows.tsx';
import { intervalProblem, isInterval } from '../../release-plans/IntervalField.tsx';
import styles from '../../release-plans/Release.module.css';
import {
  addedMilestone,
  draftOf,
  emptyTemplate,
  type MilestoneDraft,
  type Owner,
  pagesOf,
  problemOf,
  sentencesOf,
  type Template,
  type TemplateDraft,
  templateQuery,
  useMayTemplate,
} from '../../release-plans/template-data.ts';
import { Restored } from '../../save/Restored.tsx';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { constraintsProblem } from '../../strategies/condition.ts';
import { templates as words } from '../../words/en/flags/release.ts';
import { parts as common } from '../../words/en/parts.ts';
import { CreateTemplate } from './CreateTemplate.tsx';
import { MilestoneEditor, milestoneName } from './MilestoneEditor.tsx';
import { SaveTemplate } from './SaveTemplate.tsx';
import { StrategyPanel } from './StrategyPanel.tsx';
import { ACTS, type Act, ConfirmAct } from './TemplateActs.tsx';

const formOf = (id: string) => `template ${id}`;

/** The template as it is edited. What others save is shown at once while nothing is edited here. */
function useTemplateDraft(template: Template | undefined, owner: Owner) {
  const form = formOf(template?.id ?? `new ${owner ?? ''}`);
  const stored = useMemo(() => (template ? draftOf(template) : undefined), [template]);
  const [base, setBase] = useState(() => stored ?? emptyTemplate());
  const [draft, setDraft] = useKept('draft', base, form);
  useEffect(() => {
    if (!stored || same(stored, base) || !same(draft, base)) return;
    setBase(stored);
  }, [stored, base, draft]);
  const change = (how: (milestones: readonly MilestoneDraft[]) => readonly MilestoneDraft[]) =>
    setDraft((before) => ({ ...before, milestones: how(before.milestones) }));
  return {
    form,
    base,
    draft,
    set: (values: Partial<TemplateDraft>) => setDraft((before) => ({ ...before, ...values })),
    setStrategies: (id: string, how: (strategies: readonly StrategyDraft[]) => readonly StrategyDraft[]) =>
      change((list) => list.map((one) => (one.id === id ? { ...one, strategies: how(one.strategies) } : one))),
    reset: (next: TemplateDraft) => {
      setBase(next);
      forget(form);
    },
  };
}

type Editing = ReturnType<typeof useTemplateDraft>;

const fields = {
  name: text(common.name, { max: 100, isRequired: true }),
  description: area(common.description, { max: 1000, hint: words.descriptionHint }),
};

interface MilestonesProps {
  readonly editing: Editing;
  readonly mayNot: MayNot;
  readonly onEdit: (id: string) => void;
}

function Milestones({ editing, mayNot, onEdit }: MilestonesProps) {
  const { draft, set } = editing;
  const { milestones } = draft;
  return (
    <section className={parts.stack} aria-label={words.milestones}>
      <div className={parts.tight}>
        <h2 className={parts.heading}>{words.milestones}</h2>
        <p className={parts.quiet}>{words.milestonesHint}</p>
      </div>
      <Rows
        isOrdered
        list={styles.milestones}
        items={milestones}
        nameOf={milestoneName}
        keyOf={({ id }) => id}
        reason={mayNot}
        addLabel={words.addMilestone}
        make={() => addedMilestone(milestones.length)}
        onChange={(next) => set({ milestones: next })}
      >
        {(row) => (
          <MilestoneEditor row={row} isLast={row.index === milestones.length - 1} mayNot={mayNot} onEdit={onEdit} />
        )}
      </Rows>
    </section>
  );
}

function Panel({
  editing,
  id,
  onClose,
}: {
  readonly editing: Editing;
  readonly id: string;
  readonly onClose: () => void;
}) {
  const milestone = editing.draft.milestones.find(({ strategies }) => strategies.some((one) => one.id === id));
  const strategy = milestone?.strategies.find((one) => one.id === id);
  if (!milestone || !strategy) return null;
  return (
    <StrategyPanel
      key={id}
      milestone={milestone.name}
      strategy={strategy}
      saved={strategyOf(editing.base, id)}
      onChange={(values) =>
        editing.setStrategies(milestone.id, (list) => list.map((one) => (one.id === id ? { ...one, ...values } : one)))
      }
      onRemove={() => {
        editing.setStrategies(milestone.id, (list) => list.filter((one) => one.id !== id));
        onClose();
      }}
      onClose={onClose}
    />
  );
}

function Actions({ template, onAsk }: { readonly template: Template; readonly onAsk: (act: Act) => void }) {
  const mayNot = useMayTemplate('DELETE', template.project ?? undefined);
  return (
    <>
      {template.archivedAt === null && (
        <Button icon={<Archive aria-hidden />} reason={mayNot} onClick={() => onAsk('archive')}>
          {common.archiveMenu}
        </Button>
      )}
      <Button icon={<Trash2 aria-hidden />} reason={mayNot} onClick={() => onAsk('delete')}>
        {common.deleteMenu}
      </Button>
    </>
  );
}

const strategiesOf = ({ milestones }: TemplateDraft) => milestones.flatMap(({ strategies }) => strategies);
const strategyOf = (template: TemplateDraft, id: string) => strategiesOf(template).find((one) => one.id === id);

/** A problem of the draft, in the order in which it is read. */
function draftProblem({ base, draft }: Editing): string | undefined {
  const wrong = draft.milestones.find(({ minutes }) => !isInterval(minutes));
  const ofStrategies = () =>
    strategiesOf(draft)
      .map(({ id, constraints }) => constraintsProblem(constraints, strategyOf(base, id)?.constraints))
      .find((problem) => problem !== undefined);
  return problemOf(draft) ?? (wrong && intervalProblem(wrong.minutes)) ?? ofStrategies();
}

interface FormProps {
  readonly editing: Editing;
  readonly mayNot: MayNot;
}

/** The fields and the milestones, with the panel of the strategy that is edited. */
function Form({ editing, mayNot }: FormProps) {
  const [edited, setEdited] = useOpened('edit');
  return (
    <>
      <div className={parts.card}>
        <FieldList
          fields={fields}
          values={editing.draft}
          mayNot={mayNot}
          onChange={(_, changed) => editing.set(changed)}
        />
      </div>
      <Milestones editing={editing} mayNot={mayNot} onEdit={setEdited} />
      {edited !== '' && mayNot === undefined && <Panel editing={editing} id={edited} onClose={() => setEdited('')} />}
    </>
  );
}

const crumbOf = (owner: Owner) => (
  <Link href={pagesOf(owner).list} className={parts.crumb}>
    {owner === undefined ? words.title : words.titleOf(owner)}
  </Link>
);

function Creator({ owner }: { readonly owner: Owner }) {
  const [, navigate] = useLocation();
  const mayNot = useMayTemplate('CREATE', owner);
  const pages = pagesOf(owner);
  const editing = useTemplateDraft(undefined, owner);
  return (
    <Page name={words.newTitle} above={crumbOf(owner)}>
      <div className={styles.editor}>
        <CreateTemplate
          owner={owner}
          form={editing.form}
          draft={editing.draft}
          blocked={mayNot ?? draftProblem(editing)}
          onCreated={({ id }) => {
            forget(editing.form);
            navigate(pages.one(id), { replace: true });
          }}
          onCancel={() => {
            forget(editing.form);
            navigate(pages.list);
          }}
        >
          <Restored form={editing.form} />
          <Form editing={editing} mayNot={mayNot} />
        </CreateTemplate>
      </div>
    </Page>
  );
}

function Editor({ template }: { readonly template: Template }) {
  const [, navigate] = useLocation();
  const owner = template.project ?? undefined;
  const mayNot = useMayTemplate('UPDATE', owner);
  const editing = useTemplateDraft(template, owner);
  const [ask, setAsk] = useOpened('ask');
  const [isReview, setReview] = useState(false);
  const segments = useSegmentNames();
  const { base, draft } = editing;
  const sentences = sentencesOf(base, draft, segments);
  const isDeleted = useContext(Deleted) === undefined ? undefined : common.isDeleted;
  const blocked = isDeleted ?? mayNot ?? draftProblem(editing);
  const act = ACTS.find((one) => one === ask);
  const review = () => setReview(true);
  return (
    <Page name={template.name} above={crumbOf(owner)} actions={<Actions template={template} onAsk={setAsk} />}>
      <Submitting className={styles.editor}>
        <DeletedBanner />
        {template.archivedAt ? <Banner>{words.archived}</Banner> : <p className={parts.quiet}>{words.use}</p>}
        <Restored form={editing.form} />
        <Form editing={editing} mayNot={mayNot} />
        <DraftBar
          count={sentences.length}
          reason={blocked}
          onReview={review}
          onDiscard={() => editing.reset(draftOf(template))}
        />
      </Submitting>
      {isReview && (
        <SaveTemplate
          template={template}
          form={editing.form}
          base={base}
          draft={draft}
          sentences={sentences}
          blocked={blocked}
          onClose={() => setReview(false)}
          onSaved={(saved) => {
            setReview(false);
            editing.reset(draftOf(saved));
          }}
        />
      )}
      {act && (
        <ConfirmAct
          act={act}
          template={template}
          onDone={() => act === 'delete' && navigate(pagesOf(owner).list)}
          onClose={() => setAsk('')}
        />
      )}
    </Page>
  );
}

function Stored({ id, owner }: { readonly id: string; readonly owner: Owner }) {
  const query = useQuery(templateQuery(id, owner));
  const hasTyped = useKeptForms().has(formOf(id));
  return (
    <Loaded query={query} hasTyped={hasTyped}>
      {(template) => <Editor key={template.id} template={template} />}
    </Loaded>
  );
}

/** One release template, or a new one. */
export function TemplatePage() {
  const { id, projectId } = useParams<{ id?: string; projectId?: string }>();
  return id === undefined ? <Creator owner={projectId} /> : <Stored id={id} owner={projectId} />;
}
