import { Field } from '../kit/inputs/Field.tsx';
import { TextArea } from '../kit/inputs/TextInput.tsx';
import { save as words } from '../words/en/save.ts';

interface ReasonProps {
  readonly value: string;
  readonly onChange: (reason: string) => void;
  readonly isNeeded?: boolean;
  /** The dialog begins here. */
  readonly isFirst?: boolean;
  readonly label?: string | undefined;
  readonly hint?: string | undefined;
}

/** Why something is saved. */
export function Reason({
  value,
  onChange,
  isNeeded = false,
  isFirst = false,
  label = words.reason,
  hint = words.reasonHint,
}: ReasonProps) {
  return (
    <Field label={label} hint={hint} required={isNeeded}>
      <TextArea
        rows={2}
        maxLength={500}
        data-autofocus={isFirst || undefined}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
