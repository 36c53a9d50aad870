import { useMemo } from 'react';
import { draftLink } from '../data/draft-link.ts';
import { hold, release } from '../data/drafts.ts';
import { useFeature } from '../data/feature.ts';
import { useKept } from '../data/kept.ts';
import { keys } from '../data/keys.ts';
import { useClosedByBack } from '../data/opened.ts';
import { showReceipt } from '../data/receipts.ts';
import { requestSettings, saveSettings, type Target } from '../data/save.ts';
import type { Sending } from '../data/sending.ts';
import type { Conflict } from '../domain/merge.ts';
import type { EnvironmentSettings } from '../domain/model.ts';
import { addedWhenOn, waitingMilestone, withAdded } from '../domain/waiting-milestone.ts';
import { EnvironmentMark } from '../kit/changes/EnvironmentMark.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { Dialog } from '../kit/overlays/Dialog.tsx';
import { differenceWords, type Sentence } from '../words/en/differences.ts';
import { parts } from '../words/en/parts.ts';
import { strategyWords } from '../words/en/rule-sentences.ts';
import { save as words } from '../words/en/save.ts';
import { Conflicts } from './Conflicts.tsx';
import { Difference } from './Difference.tsx';
import { FailureText } from './FailureText.tsx';
import { IsSaving } from './is-saving.ts';
import { OtherRequestsOf } from './OtherRequests.tsx';
import { Reason } from './Reason.tsx';
import { ReviewChoice, type ReviewWay, useRequested, useReviewWay, useScheduled } from './Review.tsx';
import styles from './Save.module.css';
import { SaveButtons } from './SaveButtons.tsx';
import { SettingsRule, useSegmentNames } from './SettingsRule.tsx';
import { type EnvironmentInfo, useEnvironmentInfo } from './use-env-info.ts';
import { useWrite } from './use-write.ts';
import { WhoChanges } from './WhoChanges.tsx';
import { plain } from './Words.tsx';

interface SaveDialogProps {
  readonly target: Target;
  readonly base: EnvironmentSettings;
  readonly mine: EnvironmentSettings;
  readonly conflicts?: readonly Conflict[];
  /** Others saved in between, or a conflict was decided: the draft is now this. */
  readonly onRebase: (base: EnvironmentSettings, mine: EnvironmentSettings, conflicts: readonly Conflict[]) => void;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

interface Saving extends SaveDialogProps {
  readonly way: ReviewWay;
  readonly reason: string;
  readonly sentences: readonly Sentence[];
}

/** Saves the difference, or adds it to a change request. */
function useSaving({ target, base, mine, way, reason, sentences, onRebase, onSaved }: Saving) {
  const { run, isPending, failure } = useWrite();
  const requested = useRequested();
  const scheduled = useScheduled();

  const requesting = () => requestSettings(target, base, mine, { reason, draft: way.draft });
  const changing = () => saveSettings(target, base, mine, reason);
  const request = () =>
    run(requesting, {
      onDone: ({ id }) => {
        onSaved();
        requested(target.project, id);
      },
    });
  const later = (at: Date) =>
    void run(() => requestSettings(target, base, mine, { reason, scheduledAt: at.toISOString() }), {
      refresh: [keys.changeRequests()],
      onDone: ({ id }) => {
        onSaved();
        scheduled(target.project, id, at);
      },
    });
  const save = () =>
    run(
      async () => {
        hold(target);
        const outcome = await changing();
        if (outcome.kind !== 'saved') release(target);
        if (outcome.kind !== 'refused') return { ok: true, value: outcome, etag: null, revision: null };
        return { ok: false, failure: outcome.revisions.length > 0 ? outcome.failure.afterPart() : outcome.failure };
      },
      {
        refresh: [keys.feature(target.project, target.feature)],
        onDone: (outcome) => {
          if (outcome.kind === 'changed') return onRebase(outcome.base, outcome.merged, outcome.conflicts);
          onSaved();
          showReceipt(receiptText(target, sentences), outcome.revisions);
        },
      },
    );
  return {
    save: () => void (way.isRequest ? request() : save()),
    saving: (): Sending<unknown> => (way.isRequest ? requesting() : changing()),
    later,
    isPending,
    failure,
  };
}

function Title({ target, info }: { readonly target: Target; readonly info: EnvironmentInfo }) {
  return (
    <span className={styles.line}>
      <code>{target.feature}</code>
      <EnvironmentMark name={target.environment} production={info.isProduction} protected={info.isReviewed} />
    </span>
  );
}

/** The rule after the save. Without settings, it is not known yet. */
function Afterwards({ settings }: { readonly settings: EnvironmentSettings | undefined }) {
  return (
    <section>
      <h3>{words.rule}</h3>
      {settings ? <SettingsRule settings={settings} /> : <Skeleton rows={1} />}
    </section>
  );
}

/** The milestone that starts when the flag is switched on. It is read where the page does not show the flag. */
function useWaitingMilestone({ project, feature, environment }: Target) {
  const { data, isPending } = useFeature(project, feature);
  const waiting = useMemo(
    () => waitingMilestone(data?.value.environments.find(({ name }) => name === environment)),
    [data, environment],
  );
  return { waiting, isKnown: !isPending };
}

/** What the receipt says: the first change, and how many others there are. */
function receiptText({ feature, environment }: Target, [first, ...others]: readonly Sentence[]): string {
  return `${feature} · ${environment}: ${first ? plain(first.text) : ''}${others.length > 0 ? ` (+${others.length})` : ''}`;
}

/** The one way to save: the difference in sentences, who changes, the reason, and then the save or the request for a review. */
export function SaveDialog(props: SaveDialogProps) {
  const { target, base, mine, conflicts = [], onClose, onRebase } = props;
  useClosedByBack(true, onClose);
  const segments = useSegmentNames();
  const info = useEnvironmentInfo(target);
  const way = useReviewWay(target, info);
  const [reason, setReason] = useKept('reason', '', `review ${target.project}/${target.feature}/${target.environment}`);
  const sentences = differenceWords(base, mine, segments, target.feature);
  const { waiting, isKnown } = useWaitingMilestone(target);
  const initial = base.enabled ? undefined : info.firstStrategy;
  const added = useMemo(() => addedWhenOn(mine, waiting, initial), [mine, waiting, initial]);
  const effects = [
    ...(waiting ? [words.milestoneStarts(waiting.name)] : []),
    ...(initial && added.includes(initial) ? [words.defaultAdded(strategyWords(initial, segments))] : []),
  ].map((text) => ({ text, after: true }));
  const { save, later, saving, isPending, failure } = useSaving({ ...props, way, reason, sentences });
  const isReasonNeeded = info.needsReason && !way.isRequest;
  const missing = isReasonNeeded && reason.trim() === '' ? words.reasonNeeded : undefined;
  const blocked = missing ?? (conflicts.length > 0 ? words.conflicts : undefined);
  // What is not known yet decides whether this is a save or a request.
  const isWaiting = isPending || !info.isKnown || way.isPending;
  const label = way.isRequest ? words.request : info.isProduction ? words.saveTo(target.environment) : parts.save;
  return (
    <Dialog
      open
      onClose={onClose}
      production={info.isProduction}
      hasDraft={reason !== ''}
      size="large"
      title={<Title target={target} info={info} />}
      footer={
        <SaveButtons
          label={label}
          kind={info.isProduction && !way.isRequest ? 'production' : 'primary'}
          isPending={isWaiting}
          saving={saving}
          link={() => draftLink(target, { base, mine })}
          blocked={blocked}
          onSave={save}
          onLater={info.isReviewed ? undefined : later}
          onCancel={onClose}
        />
      }
    >
      <div className={styles.body}>
        {conflicts.length > 0 && (
          <Conflicts
            settings={mine}
            conflicts={conflicts}
            onDecide={(settings, left) => onRebase(base, settings, left)}
          />
        )}
        <Difference
          title={words.difference}
          sentences={mine.enabled ? [...sentences, ...effects] : sentences}
          json={{ before: base, after: mine }}
        />
        <Afterwards settings={isKnown && info.isKnown ? withAdded(mine, added) : undefined} />
        <IsSaving value={isPending}>
          <WhoChanges target={target} base={base} mine={mine} starting={added} />
        </IsSaving>
        <OtherRequestsOf target={target} except={way.choice?.value} />
        <ReviewChoice way={way} feature={target.feature} />
        <Reason value={reason} onChange={setReason} isNeeded={isReasonNeeded} isFirst={conflicts.length === 0} />
        <FailureText failure={failure} />
      </div>
    </Dialog>
  );
}
