import { type ReactNode, useState } from 'react';
import type { Written } from '../../data/client.ts';
import type { MayNot } from '../../data/may.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { Dialog } from '../../kit/overlays/Dialog.tsx';
import { useWrite } from '../../save/use-write.ts';
import { parts as words } from '../../words/en/parts.ts';
import { Changes } from './EditPanel.tsx';
import { FailureText } from './FailureText.tsx';
import styles from './parts.module.css';

interface ConfirmDialogProps<T> {
  readonly title: string;
  /** What it does, in sentences. */
  readonly sentences: readonly string[];
  readonly label: string;
  readonly danger?: boolean;
  readonly production?: boolean;
  /** For what cannot be undone: this text must be typed. */
  readonly typed?: string;
  /** Why it cannot be done, such as what still uses the object. */
  readonly blocked?: string | undefined;
  readonly mayNot?: MayNot;
  readonly needsReason?: boolean;
  /** False: no reason is asked for. */
  readonly hasReason?: boolean;
  readonly reasonLabel?: string;
  /** What a 409 means here. */
  readonly conflict?: string;
  readonly reasonHint?: string;
  readonly children?: ReactNode;
  readonly act: (reason: string) => Promise<Written<T>>;
  readonly saved: {
    readonly text?: string;
    readonly canUndo?: boolean;
    readonly refresh?: readonly (readonly unknown[])[];
  };
  readonly onDone?: (value: T) => void;
  readonly onClose: () => void;
}

interface InputsProps {
  readonly dialog: Pick<
    ConfirmDialogProps<never>,
    'typed' | 'needsReason' | 'hasReason' | 'reasonLabel' | 'reasonHint'
  >;
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
}

/** The name that must be typed, and the reason. */
function Inputs({ dialog, name, onName, reason, onReason }: InputsProps) {
  const { typed, needsReason = false, hasReason = true, reasonLabel, reasonHint } = dialog;
  return (
    <>
      {typed !== undefined && (
        <Field label={words.typeName(typed)}>
          <TextInput mono value={name} onChange={(event) => onName(event.target.value)} />
        </Field>
      )}
      {hasReason && (
        <Field label={reasonLabel ?? words.reason} hint={reasonHint ?? words.reasonHint} required={needsReason}>
          <TextArea rows={2} maxLength={500} value={reason} onChange={(event) => onReason(event.target.value)} />
        </Field>
      )}
    </>
  );
}

/** Says what will happen, and asks for a reason. */
export function ConfirmDialog<T>(props: ConfirmDialogProps<T>) {
  const {
    title,
    sentences,
    label,
    danger = false,
    production = false,
    typed,
    needsReason = false,
    saved,
    onClose,
  } = props;
  const [reason, setReason] = useState('');
  const [name, setName] = useState('');
  const { run, isPending, failure } = useWrite();
  const isNameMissing = typed !== undefined && name !== typed ? words.nameMissing : undefined;
  const isReasonMissing = needsReason && reason.trim() === '' ? words.reasonMissing : undefined;
  const blocked = props.mayNot ?? props.blocked ?? isNameMissing ?? isReasonMissing;
  const act = () =>
    run(() => props.act(reason), {
      ...saved,
      onDone: (value) => {
        onClose();
        props.onDone?.(value);
      },
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      production={production}
      hasDraft={reason !== ''}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            kind={danger ? 'danger' : production ? 'production' : 'primary'}
            pending={isPending}
            reason={blocked}
            onClick={() => void act()}
          >
            {label}
          </Button>
        </>
      }
    >
      <div className={styles.stack}>
        {sentences.length > 0 && <Changes title={words.happens} sentences={sentences} />}
        {props.children}
        {props.blocked === undefined && (
          <Inputs dialog={props} name={name} onName={setName} reason={reason} onReason={setReason} />
        )}
        <FailureText failure={failure} conflict={props.conflict} />
      </div>
    </Dialog>
  );
}
