import type { ReactNode } from 'react';
import type { Writing } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import type { MayNot } from '../data/may.ts';
import { type FlagChange, requestChanges, type Target } from '../data/save.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { ReviewChoice, useRequested, useReviewWay } from '../save/Review.tsx';
import type { EnvironmentInfo } from '../save/use-env-info.ts';
import { save as saveWords } from '../words/en/save.ts';
import { refreshed } from './plan-data.ts';

interface PlanDialogProps {
  readonly target: Target;
  readonly info: EnvironmentInfo;
  readonly title: string;
  readonly sentences: readonly string[];
  readonly label: string;
  readonly danger?: boolean;
  readonly mayNot: MayNot;
  /** Why it cannot be done yet, such as a missing name. */
  readonly problem?: string | undefined;
  /** What the notice says. */
  readonly done: string;
  /** SDKs see the change. */
  readonly isDelivered?: boolean;
  readonly send: (reason: string) => Writing<unknown>;
  /** Where a review is needed, the changes of a change request. Undefined: it needs no review. */
  readonly changes?: readonly FlagChange[];
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Asks before something of a release plan is changed. Where changes need a review, it goes into the draft of a change request. */
export function PlanDialog(props: PlanDialogProps) {
  const { target, info, title, sentences, label, danger = false, mayNot, problem, done, isDelivered = false } = props;
  const { send, changes, children, onClose } = props;
  const requested = useRequested();
  const way = useReviewWay(target, { ...info, isReviewed: info.isReviewed && changes !== undefined });
  const later =
    info.isKnown && !info.isReviewed && changes
      ? {
          project: target.project,
          act: (reason: string, at: Date) => requestChanges(target, changes, { reason, scheduledAt: at.toISOString() }),
        }
      : undefined;
  const isRequest = way.isRequest && changes !== undefined;
  return (
    <ConfirmDialog<unknown>
      title={title}
      sentences={sentences}
      label={isRequest ? saveWords.request : label}
      danger={danger && !isRequest}
      production={info.isProduction && !isRequest}
      mayNot={mayNot ?? problem}
      needsReason={info.needsReason && !isRequest}
      act={(reason): Writing<unknown> =>
        isRequest ? requestChanges(target, changes, { reason, draft: way.draft }) : send(reason)
      }
      saved={
        isRequest
          ? { refresh: [keys.changeRequests()] }
          : { text: done, canUndo: true, isDelivered, refresh: refreshed(target) }
      }
      later={later}
      onDone={(value) => isRequest && requested(target.project, (value as { readonly id: number }).id)}
      onClose={onClose}
    >
      {children}
      <ReviewChoice way={way} feature={target.feature} />
    </ConfirmDialog>
  );
}
