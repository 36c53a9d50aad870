import { type ReactNode, useContext } from 'react';
import type { Writing } from '../data/client.ts';
import type { Failure } from '../data/failure.ts';
import { forget, useFormKey, useKept } from '../data/kept.ts';
import type { MayNot } from '../data/may.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Inspector } from '../kit/overlays/Inspector.tsx';
import { Difference } from '../save/Difference.tsx';
import { FailureText } from '../save/FailureText.tsx';
import { Reason } from '../save/Reason.tsx';
import { Restored } from '../save/Restored.tsx';
import { SaveButtons } from '../save/SaveButtons.tsx';
import { type Saved, useWrite } from '../save/use-write.ts';
import { parts as words } from '../words/en/parts.ts';
import { save as saveWords } from '../words/en/save.ts';
import styles from './parts.module.css';
import { Deleted, DeletedBanner } from './RowPanel.tsx';

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
  const { title, production = false, sentences, needsReason = false, onClose, children } = props;
  const form = useFormKey();
  const isDeleted = useContext(Deleted) !== undefined;
  const [reason, setReason] = useKept('reason', '');
  const { run, isPending, failure } = useWrite();
  const blocked = blockedBy(props, reason);
  const save = () =>
    void run(() => props.save(reason), {
      ...props.saved,
      onDone: (value) => {
        forget(form);
        props.onSaved(value);
      },
    });
  return (
    <Inspector
      title={title}
      production={production}
      onClose={onClose}
      footer={
        isDeleted ? (
          <Button kind="primary" onClick={onClose}>
            {words.close}
          </Button>
        ) : (
          <SaveButtons
            label={props.label ?? words.save}
            kind={production ? 'production' : 'primary'}
            isPending={isPending}
            saving={() => props.save(reason)}
            blocked={blocked}
            onSave={save}
            onCancel={() => {
              forget(form);
              onClose();
            }}
          />
        )
      }
    >
      <div className={styles.stack}>
        <DeletedBanner />
        <Restored form={form} />
        {typeof children === 'function' ? children(failure) : children}
        {sentences && sentences.length > 0 && (
          <Difference title={saveWords.difference} sentences={sentences.map((text) => ({ text }))} />
        )}
        {props.effects}
        {sentences && (needsReason || sentences.length > 0) && (
          <Reason value={reason} onChange={setReason} isNeeded={needsReason} />
        )}
        <FailureText failure={failure && props.isAtField?.(failure) ? null : failure} />
      </div>
    </Inspector>
  );
}
