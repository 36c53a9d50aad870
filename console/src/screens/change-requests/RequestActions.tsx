import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay, useMe } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import type { ChangeRequest } from '../../domain/model.ts';
import { isClosed } from '../../domain/requested.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Menu, type MenuEntry } from '../../kit/overlays/Menu.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { path } from '../../paths.ts';
import { requests as words } from '../../words/en/change-requests.ts';
import { useIsAuthor } from './RequestDifference.tsx';
import { discard, move, type State } from './request-data.ts';

type Act = keyof typeof words.done;
const ACTS = Object.keys(words.done) as Act[];

const TARGETS: Readonly<Record<Exclude<Act, 'discard'>, State>> = {
  send: 'In review',
  approve: 'Approved',
  reject: 'Rejected',
  takeBack: 'Draft',
  cancel: 'Cancelled',
  apply: 'Applied',
  schedule: 'Scheduled',
};

interface ActDialogProps {
  readonly request: ChangeRequest;
  readonly act: Act;
  readonly mayNot: MayNot;
  readonly production: boolean;
  readonly onClose: () => void;
}

function ActDialog({ request: shown, act, mayNot, production, onClose }: ActDialogProps) {
  // The request as the person saw it: the page behind the dialog shows changes of others as they come.
  const [request] = useState(shown);
  const [, navigate] = useLocation();
  const [time, setTime] = useKept('time', '');
  const isSchedule = act === 'schedule';
  const at = Date.parse(time);
  const timeError = isSchedule && !(at > Date.now()) ? words.timeMissing : undefined;
  const run = (comment: string) => {
    if (act === 'discard') return discard(request);
    const text = comment.trim();
    return move(request, {
      state: TARGETS[act],
      ...(text && { comment: text }),
      ...(isSchedule && { scheduledAt: new Date(at).toISOString() }),
    });
  };
  return (
    <ConfirmDialog<unknown>
      title={words.titles[act]}
      sentences={[words.says[act]]}
      label={words.acts[act].replace('…', '')}
      danger={act === 'reject' || act === 'cancel' || act === 'discard'}
      production={production && (act === 'apply' || isSchedule)}
      mayNot={mayNot ?? timeError}
      reasonLabel={words.comment}
      reasonHint={words.commentHint}
      hasReason={act !== 'discard'}
      conflict={words.stale}
      act={run}
      saved={{
        text: act === 'apply' ? `${words.done.apply}: ${request.title}` : words.done[act],
        isDelivered: act === 'apply',
        refresh: [keys.changeRequest(request.id), keys.changeRequests()],
      }}
      onDone={() => {
        if (act === 'discard') navigate(path('projectChangeRequests', { projectId: request.project }));
      }}
      onClose={onClose}
    >
      {isSchedule && (
        <Field label={words.time} hint={words.timeHint} error={time !== '' ? timeError : undefined} required>
          <TextInput type="datetime-local" value={time} onChange={(event) => setTime(event.target.value)} />
        </Field>
      )}
    </ConfirmDialog>
  );
}

/** What can be done in each state: the button that goes on is the last. */
function useActs(request: ChangeRequest) {
  const { state, project, environment } = request;
  const me = useMe().data?.user.id;
  const onlyAuthor = useIsAuthor(request) ? undefined : words.onlyAuthor;
  const isOwn =
    me === request.createdBy.id ||
    [...request.features, ...request.segments].some(({ changes }) =>
      changes.some(({ createdBy }) => createdBy.id === me),
    );
  const hasApproved = request.approvals.some(({ createdBy }) => createdBy.id === me);
  const mayNotApprove = useMay('APPROVE_CHANGE_REQUEST', project, environment);
  const mayNotApply = useMay('APPLY_CHANGE_REQUEST', project, environment);
  const approve = mayNotApprove ?? (isOwn ? words.own : hasApproved ? words.alreadyApproved : undefined);
  const reject = mayNotApprove ?? (isOwn ? words.own : undefined);
  const acts: { act: Act; reason: string | undefined; isMain?: boolean }[] = [];
  if (state === 'Draft')
    acts.push({ act: 'discard', reason: onlyAuthor }, { act: 'send', reason: onlyAuthor, isMain: true });
  if (state === 'In review')
    acts.push({ act: 'reject', reason: reject }, { act: 'approve', reason: approve, isMain: true });
  if (state === 'Approved' || state === 'Scheduled') {
    acts.push(
      { act: 'reject', reason: reject },
      { act: 'schedule', reason: mayNotApply },
      { act: 'apply', reason: mayNotApply, isMain: true },
    );
  }
  if (state === 'Approved' && request.approvals.length < request.minApprovals)
    acts.unshift({ act: 'approve', reason: approve });
  const menu: { act: Act; reason: string | undefined }[] = [];
  if (state === 'In review' || state === 'Approved') menu.push({ act: 'takeBack', reason: onlyAuthor });
  if (state !== 'Draft' && !isClosed(request)) menu.push({ act: 'cancel', reason: onlyAuthor });
  return { acts, menu };
}

interface RequestActionsProps {
  readonly request: ChangeRequest;
  readonly production: boolean;
  readonly onRename: () => void;
}

export function RequestActions({ request, production, onRename }: RequestActionsProps) {
  const [text, setAsked] = useOpened('ask');
  const { acts, menu } = useActs(request);
  // Others may change the state while it is asked about: the dialog stays, and says so when it is refused.
  const asked = ACTS.find((act) => act === text);
  const onlyAuthor = useIsAuthor(request) ? undefined : words.onlyAuthor;
  const labelOf = (act: Act) =>
    act === 'schedule' && request.state === 'Scheduled' ? words.acts.reschedule : words.acts[act];
  const entries: MenuEntry[] = [
    { label: words.rename, reason: onlyAuthor, onSelect: onRename },
    ...menu.map(
      ({ act, reason }): MenuEntry => ({
        label: labelOf(act),
        reason,
        danger: act === 'cancel',
        onSelect: () => setAsked(act),
      }),
    ),
  ];
  return (
    <>
      {acts.map(({ act, reason, isMain }) => (
        <Button
          key={act}
          kind={!isMain ? 'secondary' : act === 'apply' && production ? 'production' : 'primary'}
          reason={reason}
          onClick={() => setAsked(act)}
        >
          {labelOf(act)}
        </Button>
      ))}
      {!isClosed(request) && <Menu icon={<Ellipsis aria-hidden />} label={words.more} entries={entries} />}
      {asked && (
        <ActDialog
          request={request}
          act={asked}
          mayNot={[...acts, ...menu].find(({ act }) => act === asked)?.reason}
          production={production}
          onClose={() => setAsked('')}
        />
      )}
    </>
  );
}
