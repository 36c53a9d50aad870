import { useRef } from 'react';
import { Button, type ButtonKind } from '../kit/inputs/Button.tsx';
import { useSubmit } from '../kit/overlays/submit.tsx';
import { save as words } from '../words/en/save.ts';
import { CopySave, type CopySaveProps } from './CopySave.tsx';

interface SaveButtonsProps extends CopySaveProps {
  readonly label: string;
  readonly kind?: ButtonKind;
  readonly isPending: boolean;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

/** The end of every dialog and panel that saves. */
export function SaveButtons({ label, kind = 'primary', isPending, onSave, onCancel, ...copies }: SaveButtonsProps) {
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
      <Button ref={button} kind={kind} pending={isPending} reason={copies.blocked} onClick={onSave}>
        {label}
      </Button>
    </>
  );
}
