import { type FormEvent, type ReactNode, useId } from 'react';
import type { Failure } from '../data/failure.ts';
import type { MayNot } from '../data/may.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Inspector } from '../kit/overlays/Inspector.tsx';
import { save as words } from '../words/en/save.ts';
import styles from './FormPanel.module.css';

interface FormPanelProps {
  readonly title: ReactNode;
  readonly production?: boolean;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  /** What the button says. */
  readonly submit: string;
  readonly isPending: boolean;
  readonly mayNot?: MayNot;
  readonly failure: Failure | null;
  /** What a 412 says. The form keeps what was typed. */
  readonly stale?: string;
  /** Such as a button that deletes. */
  readonly before?: ReactNode;
  readonly children: ReactNode;
}

/** A form in the panel at the right: its buttons, and what the server refused. */
export function FormPanel(props: FormPanelProps) {
  const {
    title,
    production = false,
    onClose,
    onSubmit,
    submit,
    isPending,
    mayNot,
    failure,
    stale,
    before,
    children,
  } = props;
  const id = useId();
  const isStale = stale !== undefined && failure?.status === 412;
  const onForm = (event: FormEvent) => {
    event.preventDefault();
    if (mayNot === undefined && !isPending) onSubmit();
  };
  return (
    <Inspector
      title={title}
      production={production}
      onClose={onClose}
      footer={
        <>
          {before}
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" form={id} pending={isPending} reason={mayNot}>
            {submit}
          </Button>
        </>
      }
    >
      <form id={id} className={styles.form} onSubmit={onForm}>
        {children}
        {failure && (
          <Banner tone={isStale ? 'warn' : 'bad'}>
            {isStale ? stale : (failure.details[0]?.message ?? failure.message)}
          </Banner>
        )}
      </form>
    </Inspector>
  );
}
