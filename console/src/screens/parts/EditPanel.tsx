import { type FormEvent, type KeyboardEvent, type ReactNode, useCallback, useId, useState } from 'react';
import type { Writing } from '../../data/client.ts';
import type { Failure } from '../../data/failure.ts';
import type { MayNot } from '../../data/may.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Edited } from '../../kit/inputs/edited.ts';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { Difference } from '../../save/Difference.tsx';
import { FailureText } from '../../save/FailureText.tsx';
import { Reason } from '../../save/Reason.tsx';
import { SaveButtons } from '../../save/SaveButtons.tsx';
import { saveByKey } from '../../save/save-key.ts';
import { type Saved, useWrite } from '../../save/use-write.ts';
import { parts as words } from '../../words/en/parts.ts';
import { save as saveWords } from '../../words/en/save.ts';
import styles from './parts.module.css';

interface EditPanelProps<T> {
  readonly title: ReactNode;
  readonly production?: boolean;
  /** Why it cannot be saved yet, such as a missing name; a missing permission wins. */
  readonly problem?: string | undefined;
  readonly mayNot: MayNot;
  /** The difference in sentences. A new object has none: the fields say it. */
  readonly sentences?: readonly string[];
  /** What else changes with it. */
  readonly effects?: ReactNode;
  readonly needsReason?: boolean;
  readonly label?: string;
  /** Enter in a field saves. Not for panels with forms of their own, or with fields in which Enter adds to a list. */
  readonly isForm?: boolean;
  /** Whether a field shows why it was refused. */
  readonly isAtField?: (failure: Failure) => boolean;
  readonly save: (reason: string) => Writing<T>;
  readonly saved: Saved;
  readonly onSaved: (value: T) => void;
  readonly onClose: () => void;
  readonly children: ReactNode | ((failure: Failure | null) => ReactNode);
}

/** What blocks the button, in the order in which it can be mended. */
function blockedBy<T>({ mayNot, sentences, problem, needsReason }: EditPanelProps<T>, reason: string) {
  const isUnchanged = sentences?.length === 0 ? words.unchanged : undefined;
  const isReasonMissing = needsReason && reason.trim() === '' ? words.reasonMissing : undefined;
  return mayNot ?? isUnchanged ?? problem ?? isReasonMissing;
}

/** Where one object is edited: its fields, the difference in sentences, the reason, and the button that saves. */
export function EditPanel<T>(props: EditPanelProps<T>) {
  const { title, production = false, sentences, needsReason = false, isForm = false, onClose, children } = props;
  const [reason, setReason] = useState('');
  const [isTouched, setTouched] = useState(false);
  const touch = useCallback(() => setTouched(true), []);
  const [isAsked, setAsked] = useState(false);
  const { run, isPending, failure } = useWrite();
  const id = useId();
  const blocked = blockedBy(props, reason);
  const isBlocked = blocked !== undefined || isPending;
  const save = () => void run(() => props.save(reason), { ...props.saved, onDone: props.onSaved });
  // Buttons, such as those that order a list, are known by their differences alone.
  const [sentencesAtFirst] = useState(sentences?.length);
  const hasDraft = isTouched || sentences?.length !== sentencesAtFirst;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBlocked) save();
  };
  const Body = isForm ? 'form' : 'div';
  return (
    <Inspector
      title={title}
      production={production}
      onClose={onClose}
      onEscape={hasDraft ? () => setAsked(true) : onClose}
      footer={
        <SaveButtons
          label={props.label ?? words.save}
          kind={production ? 'production' : 'primary'}
          isPending={isPending}
          saving={() => props.save(reason)}
          blocked={blocked}
          form={isForm ? id : undefined}
          onSave={save}
          onCancel={onClose}
        />
      }
    >
      <Body
        className={styles.stack}
        onKeyDown={(event: KeyboardEvent) => saveByKey(event, isBlocked, save)}
        onChange={touch}
        {...(isForm && { id, noValidate: true, onSubmit })}
      >
        <Edited value={touch}>{typeof children === 'function' ? children(failure) : children}</Edited>
        {sentences && sentences.length > 0 && (
          <Difference title={saveWords.difference} sentences={sentences.map((text) => ({ text }))} />
        )}
        {props.effects}
        {sentences && (needsReason || sentences.length > 0) && (
          <Reason value={reason} onChange={setReason} isNeeded={needsReason} />
        )}
        {isAsked && <NotSaved onDiscard={onClose} />}
        <FailureText failure={failure && props.isAtField?.(failure) ? null : failure} />
      </Body>
    </Inspector>
  );
}

function NotSaved({ onDiscard }: { readonly onDiscard: () => void }) {
  return (
    <Banner
      tone="warn"
      action={
        <Button size="small" onClick={onDiscard}>
          {words.discard}
        </Button>
      }
    >
      {words.notSaved}
    </Banner>
  );
}
