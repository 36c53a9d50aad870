import { useState } from 'react';
import { useLocation } from 'wouter';
import { useMyDrafts } from '../data/feature.ts';
import type { DraftChoice, ReviewPlace } from '../data/save.ts';
import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { toast } from '../kit/notices/toast.ts';
import { path } from '../paths.ts';
import { parts } from '../words/en/parts.ts';
import { save as words } from '../words/en/save.ts';
import styles from './Save.module.css';

const NEW = 'new';
const SKIP = 'skip';

type Draft = ReturnType<typeof useMyDrafts>['drafts'][number];

export interface ReviewWay {
  /** The change goes into a change request. */
  readonly isRequest: boolean;
  readonly draft: DraftChoice;
  /** Until the drafts of the person are read, it is not known where the change goes. */
  readonly isPending: boolean;
  /** The ways that are offered, and the one that is chosen. Null: the environment asks for no review. */
  readonly choice: {
    readonly drafts: readonly Draft[];
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly maySkip: boolean;
  } | null;
}

interface Reviewed {
  readonly isReviewed: boolean;
  readonly maySkipReview: boolean;
}

/** How a change of an environment is saved: into a draft of the person, into a new one, or without a review if they may skip it. */
export function useReviewWay(
  { project, environment }: ReviewPlace,
  { isReviewed, maySkipReview }: Reviewed,
): ReviewWay {
  const { drafts, isPending } = useMyDrafts(project, environment, isReviewed);
  const [chosen, setChosen] = useState('');
  if (!isReviewed) return { isRequest: false, draft: undefined, isPending: false, choice: null };
  const isThere =
    chosen === NEW || (chosen === SKIP && maySkipReview) || drafts.some(({ id }) => String(id) === chosen);
  const value = isThere ? chosen : String(drafts[0]?.id ?? NEW);
  return {
    isRequest: value !== SKIP,
    draft: isThere && value !== SKIP ? value : undefined,
    isPending,
    choice: { drafts, value, onChange: setChosen, maySkip: maySkipReview },
  };
}

/** Into which draft the change goes: it may have changes of other flags, which are then reviewed together with it. */
function hintOf({ drafts, value, maySkip }: NonNullable<ReviewWay['choice']>, feature: string | undefined): string {
  if (value === SKIP) return words.skipHint;
  const draft = drafts.find(({ id }) => String(id) === value);
  const others = draft?.features.filter((name) => name !== feature).join(', ');
  const where = draft ? words.requestHintDraft(draft.title, draft.id, others ?? '') : words.requestHint;
  return maySkip ? `${words.reviewSkippable} ${where} ${words.skipOffer}` : `${words.reviewNeeded} ${where}`;
}

interface ReviewChoiceProps {
  readonly way: ReviewWay;
  /** The flag that is changed, if there is only one. */
  readonly feature?: string | undefined;
}

export function ReviewChoice({ way: { choice, isPending }, feature }: ReviewChoiceProps) {
  if (!choice || isPending) return null;
  const { drafts, value, onChange, maySkip } = choice;
  const options = [
    ...drafts.map(({ id, title }) => ({ value: String(id), label: words.addToDraft(title, id) })),
    { value: NEW, label: words.newRequest },
    ...(maySkip ? [{ value: SKIP, label: words.skipReview }] : []),
  ];
  return (
    <div className={styles.review}>
      <Banner tone={value === SKIP ? 'warn' : 'neutral'}>{hintOf(choice, feature)}</Banner>
      {options.length > 1 && (
        <Field label={words.howToSave}>
          <Select value={value} onChange={onChange} options={options} />
        </Field>
      )}
    </div>
  );
}

/** What follows when a change was left to a change request that waits for a time. */
export function useScheduled() {
  const requested = useRequested();
  return (project: string, id: number, at: Date) => requested(project, id, words.scheduled(id, at));
}

/** What follows when a change was added to a change request: a notice that leads to it. */
export function useRequested() {
  const [, navigate] = useLocation();
  return (project: string, id: number, text = words.requested(id)) => {
    const address = path('changeRequest', { projectId: project, id });
    toast({
      tone: 'good',
      text,
      about: address,
      action: { label: parts.open, onSelect: () => navigate(address) },
    });
  };
}
