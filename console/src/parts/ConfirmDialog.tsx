import { type ReactNode, useState } from 'react';
import type { Writing } from '../data/client.ts';
import { forget, useFormKey, useKept } from '../data/kept.ts';
import { keys } from '../data/keys.ts';
import type { MayNot } from '../data/may.ts';
import { Field } from '../kit/inputs/Field.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { Dialog } from '../kit/overlays/Dialog.tsx';
import { FailureText } from '../save/FailureText.tsx';
import { IsSaving } from '../save/is-saving.ts';
import { Reason } from '../save/Reason.tsx';
import { Restored } from '../save/Restored.tsx';
import { useScheduled } from '../save/Review.tsx';
import { SaveButtons } from '../save/SaveButtons.tsx';
import { type Saved, useWrite } from '../save/use-write.ts';
import { Words } from '../save/Words.tsx';
import { parts as words } from '../words/en/parts.ts';
import styles from './parts.module.css';

/** Does it at a time instead, by a change request of the project. */
export interface Later {
  readonly project: string;
  readonly act: (reason: string, at: Date) => Writing<{ readonly id: number }>;
}

interface ConfirmDialogProps<T> {
  readonly title: string;
  /** The name of what is typed in it, where the address does not show it. */
  readonly form?: string;
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
  readonly act: (reason: string) => Writing<T>;
  readonly saved: Saved;
  readonly onDone?: (value: T) => void;
  /** Undefined where this is not possible. */
  readonly later?: Later | undefined;
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
        <Reason value={reason} onChange={onReason} isNeeded={needsReason} label={reasonLabel} hint={reasonHint} />
      )}
    </>
  );
}

function Effects({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.happens}</h3>
      <ul className={styles.sentences}>
        {sentences.map((text) => (
          <li key={text}>
            <span>
              <Words text={text} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Does it, now or later, and closes the dialog afterwards. */
function useActing<T>(props: ConfirmDialogProps<T>, form: string, reason: string) {
  const { later, onClose } = props;
  const { run, isPending, failure } = useWrite();
  const scheduled = useScheduled();
  const close = () => {
    forget(form);
    onClose();
  };
  const act = () =>
    run(() => props.act(reason), {
      ...props.saved,
      onDone: (value) => {
        close();
        props.onDone?.(value);
      },
    });
  const actLater =
    later &&
    ((at: Date) =>
      void run(() => later.act(reason, at), {
        refresh: [keys.changeRequests()],
        onDone: ({ id }) => {
          close();
          scheduled(later.project, id, at);
        },
      }));
  return { act, actLater, close, isPending, failure };
}

/** Says what will happen, and asks for a reason. */
export function ConfirmDialog<T>(props: ConfirmDialogProps<T>) {
  const { title, sentences, label, danger = false, production = false, typed, needsReason = false, onClose } = props;
  const form = useFormKey(props.form);
  const [reason, setReason] = useKept('reason', '', form);
  const [name, setName] = useState('');
  const { act, actLater, close, isPending, failure } = useActing(props, form, reason);
  const isNameMissing = typed !== undefined && name !== typed ? words.nameMissing : undefined;
  const isReasonMissing = needsReason && reason.trim() === '' ? words.reasonMissing : undefined;
  const blocked = props.mayNot ?? props.blocked ?? isNameMissing ?? isReasonMissing;
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      production={production}
      hasDraft={reason !== ''}
      footer={
        <SaveButtons
          label={label}
          kind={danger ? 'danger' : production ? 'production' : 'primary'}
          isPending={isPending}
          saving={() => props.act(reason)}
          blocked={blocked}
          onSave={() => void act()}
          onLater={actLater}
          onCancel={close}
        />
      }
    >
      <div className={styles.stack}>
        <Restored form={form} />
        {sentences.length > 0 && <Effects sentences={sentences} />}
        <IsSaving value={isPending}>{props.children}</IsSaving>
        {props.blocked === undefined && (
          <Inputs dialog={props} name={name} onName={setName} reason={reason} onReason={setReason} />
        )}
        <FailureText failure={failure} conflict={props.conflict} />
      </div>
    </Dialog>
  );
}
