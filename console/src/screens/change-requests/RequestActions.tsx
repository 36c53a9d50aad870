import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useMay, useMe } from '../../data/may.ts';
import type { ChangeRequest } from '../../domain/model.ts';
import { Button } from '../../kit/Button.tsx';
import { Dialog } from '../../kit/Dialog.tsx';
import { Field } from '../../kit/Field.tsx';
import { Menu, type MenuEntry } from '../../kit/Menu.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { changeRequests as words } from '../../words/en/change-requests.ts';
import { save } from '../../words/en/save.ts';

type State = ChangeRequest['state'];

interface RequestActionsProps {
  readonly request: ChangeRequest;
  readonly isProduction: boolean;
  readonly isPending: boolean;
  readonly onState: (state: State, more?: { scheduledAt: string }) => void;
  readonly onDiscard: () => void;
}

function ScheduleDialog({
  onClose,
  onSchedule,
}: {
  readonly onClose: () => void;
  readonly onSchedule: (at: string) => void;
}) {
  const [when, setWhen] = useState('');
  return (
    <Dialog
      open
      size="small"
      title={words.schedule}
      onClose={onClose}
      hasDraft={when !== ''}
      footer={
        <>
          <Button onClick={onClose}>{save.cancel}</Button>
          <Button
            kind="primary"
            reason={when === '' ? words.when : undefined}
            onClick={() => onSchedule(new Date(when).toISOString())}
          >
            {words.scheduleRun}
          </Button>
        </>
      }
    >
      <Field label={words.when} hint={words.whenHint}>
        <TextInput type="datetime-local" value={when} onChange={(event) => setWhen(event.target.value)} />
      </Field>
    </Dialog>
  );
}

/** The next states that make sense. What the person may not do is disabled with the reason. */
export function RequestActions({ request, isProduction, isPending, onState, onDiscard }: RequestActionsProps) {
  const { data: me } = useMe();
  const [isScheduling, setScheduling] = useState(false);
  const { project, environment, state } = request;
  const mayNotApprove = useMay('APPROVE_CHANGE_REQUEST', project, environment);
  const mayNotApply = useMay('APPLY_CHANGE_REQUEST', project, environment);
  const isAdmin = me?.permissions.some(({ permission }) => permission === 'ADMIN') ?? false;
  const isAuthor = me?.user.id === request.createdBy.id;
  const hasPart =
    isAuthor || request.features.some(({ changes }) => changes.some(({ createdBy }) => createdBy.id === me?.user.id));
  const notAuthor = isAuthor || isAdmin ? undefined : words.onlyAuthor;
  const approve = mayNotApprove ?? (hasPart ? words.own : undefined);

  const more: MenuEntry[] = [];
  if (state === 'In review' || state === 'Approved')
    more.push({ label: words.withdraw, reason: notAuthor, onSelect: () => onState('Draft') });
  if (state === 'Approved' || state === 'Scheduled')
    more.push({ label: words.schedule, reason: mayNotApply, onSelect: () => setScheduling(true) });
  if (state !== 'Draft')
    more.push({ label: words.cancelRequest, danger: true, reason: notAuthor, onSelect: () => onState('Cancelled') });
  if (state === 'Draft') more.push({ label: words.discard, danger: true, reason: notAuthor, onSelect: onDiscard });
  if (state === 'Applied' || state === 'Rejected' || state === 'Cancelled') return null;
  return (
    <>
      {state === 'Draft' && (
        <Button kind="primary" pending={isPending} reason={notAuthor} onClick={() => onState('In review')}>
          {words.send}
        </Button>
      )}
      {state === 'In review' && (
        <>
          <Button pending={isPending} reason={approve} onClick={() => onState('Rejected')}>
            {words.reject}
          </Button>
          <Button kind="primary" pending={isPending} reason={approve} onClick={() => onState('Approved')}>
            {words.approve}
          </Button>
        </>
      )}
      {(state === 'Approved' || state === 'Scheduled') && (
        <Button
          kind={isProduction ? 'production' : 'primary'}
          pending={isPending}
          reason={mayNotApply}
          onClick={() => onState('Applied')}
        >
          {words.applyTo(environment)}
        </Button>
      )}
      <Menu label={words.title} icon={<Ellipsis aria-hidden />} kind="secondary" align="end" entries={more} />
      {isScheduling && (
        <ScheduleDialog
          onClose={() => setScheduling(false)}
          onSchedule={(scheduledAt) => {
            setScheduling(false);
            onState('Scheduled', { scheduledAt });
          }}
        />
      )}
    </>
  );
}
