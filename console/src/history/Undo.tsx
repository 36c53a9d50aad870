import { Undo2 } from 'lucide-react';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { forget, useKept } from '../data/kept.ts';
import { keys } from '../data/keys.ts';
import { useOpened } from '../data/opened.ts';
import { type ReviewPlace, requestUndo, undo } from '../data/save.ts';
import type { Sending } from '../data/sending.ts';
import type { HistoryEntry } from '../domain/model.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { type Submit, submitByKey } from '../kit/overlays/submit.tsx';
import { CopySave } from '../save/CopySave.tsx';
import { ReviewChoice, useRequested, useReviewWay } from '../save/Review.tsx';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { afterUndo, useWrite } from '../save/use-write.ts';
import { Words } from '../save/Words.tsx';
import { undoWords } from '../words/en/history.ts';
import { parts as common } from '../words/en/parts.ts';
import { undo as words } from '../words/en/undo.ts';
import styles from './HistoryList.module.css';
import { UndoConflict } from './UndoConflict.tsx';
import { partsOf, requestable, togetherOf } from './undo-request.ts';
import { isDelivered, useIsInProduction } from './use-in-production.ts';
import { useMayUndo } from './use-may-undo.ts';
import { useSkippableReview } from './use-skippable-review.ts';
import { endUndoPreview, useUndoPreview } from './use-undo-preview.ts';

/** Without a review, no draft is looked for. */
const NOWHERE: ReviewPlace = { project: '', environment: '' };

interface UndoProps {
  readonly revision: number;
  /** The commit, if its changes are known: the form then says what the undo does. */
  readonly entry: HistoryEntry | undefined;
  readonly about?: string | undefined;
  readonly onDone?: (() => void) | undefined;
}

interface FormProps extends Pick<UndoProps, 'about' | 'onDone'> {
  /** The commits, the newest last. */
  readonly revisions: readonly number[];
  /** Those of the commits whose changes are known. */
  readonly entries: readonly HistoryEntry[];
  /** What is undone, if it has another name than its revision. */
  readonly what?: string | undefined;
  readonly onClose: () => void;
}

/** The button of a commit, and in its place the form that undoes it. */
export function Undo({ revision, entry, about, onDone }: UndoProps) {
  const [opened, setOpened] = useOpened('undo');
  const [wasOpen, setWasOpen] = useState(false);
  const mayNot = useMayUndo();
  const key = String(revision);
  // An answer can come when the form of another commit is open.
  const close = () => new URLSearchParams(location.search).get('undo') === key && setOpened('');
  if (opened === key)
    return (
      <UndoForm revisions={[revision]} entries={entry ? [entry] : []} about={about} onDone={onDone} onClose={close} />
    );
  const open = () => {
    setOpened(key);
    setWasOpen(true);
  };
  // The focus was in the form, which is gone.
  return (
    <Button size="small" icon={<Undo2 aria-hidden />} autoFocus={wasOpen} reason={mayNot} onClick={open}>
      {words.undo}
    </Button>
  );
}

/** The name of what is typed. */
const undoFormOf = (revisions: readonly number[]) => `undo ${revisions.join()}`;

/** Undoes the commits, or requests the undo where it has to be reviewed. */
function useUndoing({ revisions, entries, what, onDone, onClose }: FormProps, reason: string) {
  const newest = revisions.at(-1) ?? 0;
  const entry = togetherOf(revisions, entries);
  const { run, isPending, failure } = useWrite();
  // Browsers go back later: the form is still there when its undo is saved.
  const [isDone, setDone] = useState(false);
  const preview = useUndoPreview(newest, entry, !isPending && !isDone);
  const skippable = useSkippableReview(entries.flatMap(({ changes }) => changes));
  const place = preview.review ?? skippable.place;
  const way = useReviewWay(place ?? NOWHERE, { isReviewed: place !== null, maySkipReview: preview.review === null });
  const review = way.isRequest ? place : null;
  const requested = useRequested();
  const undoing = () => undo(revisions, reason);
  const requesting = (place: ReviewPlace) =>
    requestUndo({ place, parts: partsOf(revisions, entries, place), reason, draft: way.draft });
  const done = () => {
    setDone(true);
    forget(undoFormOf(revisions));
    onClose();
    onDone?.();
  };
  const save = () => {
    endUndoPreview(newest);
    void run(undoing, {
      ...afterUndo(what ?? words.revision(newest), entry === undefined || isDelivered(entry.changes)),
      onDone: done,
    });
  };
  const request = (place: ReviewPlace) =>
    void run(() => requesting(place), {
      refresh: [keys.changeRequests()],
      onDone: (id) => {
        done();
        if (id !== null) requested(place.project, id);
      },
    });
  return {
    save: () => (review ? request(review) : save()),
    saving: (): Sending<unknown> => (review ? requesting(review) : undoing()),
    isPending: isPending || !skippable.isKnown,
    entry,
    refusal: preview.refusal,
    review,
    way,
    refused: preview.refusal ?? failure,
  };
}

/** What the undo, or its request, does. */
function Does({ entry, about, review }: Pick<UndoProps, 'entry' | 'about'> & { readonly review: ReviewPlace | null }) {
  const segments = useSegmentNames();
  const changes = entry && review ? requestable(entry.changes, review) : entry?.changes;
  const does = entry && changes && undoWords({ ...entry, changes }, about, segments);
  return (
    <>
      {does && (
        <p>
          <Words text={words.does(does)} />
        </p>
      )}
      {review && changes && changes.length < (entry?.changes.length ?? 0) && <p>{words.onlyIn(review.environment)}</p>}
      <p>{words.hint}</p>
    </>
  );
}

/** Gives the focus to the entry of the list when the form goes with it: no button comes back where the commit is undone. */
function useFocusOfEntry() {
  const form = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = form.current;
    const item = element?.closest('li');
    return () => {
      if (element?.contains(document.activeElement)) item?.focus({ preventScroll: true });
    };
  }, []);
  return form;
}

/** What the undo does, how it is saved, and why. */
export function UndoForm(props: FormProps) {
  const { revisions, entries, about, onClose } = props;
  const form = useFocusOfEntry();
  const changes = entries.flatMap((one) => one.changes);
  const isInProduction = useIsInProduction(changes);
  const undoForm = undoFormOf(revisions);
  const [reason, setReason] = useKept('reason', '', undoForm);
  const { entry, save, saving, isPending, refusal, review, way, refused } = useUndoing(props, reason);
  const asksAgain = isInProduction && !review;
  const submit = useRef<Submit>(null);
  submit.current = (isSure) => {
    if (!isPending && !way.isPending && refusal === null && (isSure || !asksAgain)) save();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    submitByKey(event, submit);
    // A panel around the form stays open.
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    onClose();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for the whole form.
    <div ref={form} className={styles.undo} onKeyDown={onKeyDown}>
      {!refusal && <Does entry={entry} about={about} review={review} />}
      {refused && <UndoConflict failure={refused} changes={changes} />}
      <ReviewChoice way={way} />
      <Field label={words.reason}>
        <TextInput maxLength={500} autoFocus value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
      <div className={styles.buttons}>
        <CopySave saving={saving} />
        <Button
          size="small"
          onClick={() => {
            forget(undoForm);
            onClose();
          }}
        >
          {common.cancel}
        </Button>
        <Button
          size="small"
          kind={asksAgain ? 'production' : 'primary'}
          pending={isPending || way.isPending}
          reason={refusal ? words.cannot : undefined}
          onClick={save}
        >
          {review ? words.request(revisions) : words.run(revisions)}
        </Button>
      </div>
    </div>
  );
}
