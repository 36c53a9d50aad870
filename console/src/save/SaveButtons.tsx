import { useRef } from 'react';
import { Button, type ButtonKind } from '../kit/inputs/Button.tsx';
import { useSubmit } from '../kit/overlays/submit.tsx';
import { save as words } from '../words/en/save.ts';
import { CopySave, type CopySaveProps } from './CopySave.tsx';
import { Later } from './Later.tsx';

interface SaveButtonsProps extends CopySaveProps {
  readonly label: string;
  readonly kind?: ButtonKind;
  readonly isPending: boolean;
  readonly onSave: () => void;
  /** Saves at a time instead. Undefined where this is not possible. */
  readonly onLater?: ((at: Date) => void) | undefined;
  readonly onCancel: () => void;
}

/** The end of every dialog and panel that saves. */
export function SaveButtons({
  label,
  kind = 'primary',
  isPending,
  onSave,
  onLater,
  onCancel,
  ...copies
}: SaveButtonsProps) {
  const button = useRef<HTMLButtonElement>(null);
  useSubmit((isSure) => {
    if (isPending) return;
    // A button that cannot be used says why when it has the focus.
    if (copies.blocked !== undefined || (kind === 'production' && !isSure)) button.current?.focus();
    else onSave();
  });
  return (
    <>
      <CopySave {...copies} />
      <Button onClick={onCancel}>{words.cancel}</Button>
      {onLater && <Later blocked={copies.blocked} isPending={isPending} onChoose={onLater} />}
      <Button ref={button} kind={kind} pending={isPending} reason={copies.blocked} onClick={onSave}>
        {label}
      </Button>
    </>
  );
}
