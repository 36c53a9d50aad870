import { Button, type ButtonKind } from '../kit/inputs/Button.tsx';
import { save as words } from '../words/en/save.ts';
import { CopySave, type CopySaveProps } from './CopySave.tsx';

interface SaveButtonsProps extends CopySaveProps {
  readonly label: string;
  readonly kind?: ButtonKind;
  readonly isPending: boolean;
  /** The id of the form that the button submits. Without it, `onSave` is called. */
  readonly form?: string | undefined;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

/** The end of every dialog and panel that saves. */
export function SaveButtons({
  label,
  kind = 'primary',
  isPending,
  form,
  onSave,
  onCancel,
  ...copies
}: SaveButtonsProps) {
  return (
    <>
      <CopySave {...copies} />
      <Button onClick={onCancel}>{words.cancel}</Button>
      <Button
        kind={kind}
        pending={isPending}
        reason={copies.blocked}
        {...(form === undefined ? { onClick: onSave } : { type: 'submit', form })}
      >
        {label}
      </Button>
    </>
  );
}
