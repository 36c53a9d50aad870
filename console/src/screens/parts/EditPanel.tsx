import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { Written } from '../../data/client.ts';
import type { MayNot } from '../../data/may.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextArea } from '../../kit/inputs/TextInput.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { useWrite } from '../../save/use-write.ts';
import { Words } from '../../save/Words.tsx';
import { parts as words } from '../../words/en/parts.ts';
import { FailureText } from './FailureText.tsx';
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
  readonly save: (reason: string) => Promise<Written<T>>;
  readonly saved: {
    readonly text?: string;
    readonly canUndo?: boolean;
    readonly refresh?: readonly (readonly unknown[])[];
  };
  readonly onSaved: (value: T) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Where one object is edited: its fields, the difference in sentences, the reason, and the button that saves. */
export function EditPanel<T>(props: EditPanelProps<T>) {
  const {
    title,
    production = false,
    mayNot,
    sentences,
    effects,
    needsReason = false,
    saved,
    onSaved,
    onClose,
    children,
  } = props;
  const [reason, setReason] = useState('');
  const [isTouched, setTouched] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const { run, isPending, failure } = useWrite();
  const isUnchanged = sentences?.length === 0;
  const isReasonMissing = needsReason && reason.trim() === '' ? words.reasonMissing : undefined;
  const blocked = mayNot ?? (isUnchanged ? words.unchanged : undefined) ?? props.problem ?? isReasonMissing;
  const save = () => run(() => props.save(reason), { ...saved, onDone: onSaved });
  const onKeyDown = (event: KeyboardEvent) => {
    // The panel closes by this key, but not over what was typed.
    if (event.key === 'Escape' && !event.defaultPrevented && isTouched) {
      event.preventDefault();
      setAsked(true);
    }
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || blocked !== undefined || isPending) return;
    event.preventDefault();
    void save();
  };
  return (
    <Inspector
      title={title}
      production={production}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            kind={production ? 'production' : 'primary'}
            pending={isPending}
            reason={blocked}
            onClick={() => void save()}
          >
            {props.label ?? words.save}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a key for the whole panel. */}
      <div className={styles.stack} onKeyDown={onKeyDown} onChange={() => setTouched(true)}>
        {children}
        {sentences && sentences.length > 0 && <Changes sentences={sentences} />}
        {effects}
        {sentences && (needsReason || sentences.length > 0) && (
          <Field label={words.reason} hint={words.reasonHint} required={needsReason}>
            <TextArea rows={2} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
          </Field>
        )}
        {isAsked && <NotSaved onDiscard={onClose} />}
        <FailureText failure={failure} />
      </div>
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

export function Changes({
  sentences,
  title = words.changes,
}: {
  readonly sentences: readonly string[];
  readonly title?: string;
}) {
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{title}</h3>
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
