import { Button, type ButtonKind } from '../kit/inputs/Button.tsx';
import { save as words } from '../words/en/save.ts';

interface SaveButtonsProps {
  readonly label: string;
  readonly kind?: ButtonKind;
  readonly isPending: boolean;
  /** Why it cannot be saved. */
  readonly blocked: string | undefined;
  /** The id of the form that the button submits. Without it, `onSave` is called. */
  readonly form?: string | undefined;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

/** The end of every dialog and panel that saves. */
export function SaveButtons({ label, kind = 'primary', isPending, blocked, form, onSave, onCancel }: SaveButtonsProps) {
  return (
    <>
      <Button onClick={onCancel}>{words.cancel}</Button>
      <Button
        kind={kind}
        pending={isPending}
        reason={blocked}
        {...(form === undefined ? { onClick: onSave } : { type: 'submit', form })}
      >
        {label}
      </Button>
    </>
  );
}
