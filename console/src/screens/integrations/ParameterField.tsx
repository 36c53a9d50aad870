import { Button } from '../../kit/inputs/Button.tsx';
import { CopyButton } from '../../kit/inputs/CopyButton.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import styles from '../../parts/parts.module.css';
import { Words } from '../../save/Words.tsx';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import { MASK, type Parameter, urlProblem } from './integration-data.ts';

const LENGTH_MAX = 10_000;
/** A provider with a parameter of this name signs with it, by the Standard Webhooks scheme. */
const SIGNING_SECRET = 'signingSecret';
const KEY_BYTES = 32;

function newSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  /** A value is stored, which the server never shows. */
  readonly hasStored: boolean;
  readonly onChange: (value: string) => void;
}

/** A parameter of a provider, as the API describes it. */
export function ParameterField(props: ParameterFieldProps) {
  const { parameter, value, hasStored, onChange } = props;
  const { name, displayName, type, description, placeholder, required, sensitive } = parameter;
  if (value === MASK && hasStored) return <Kept label={displayName} onReplace={() => onChange('')} />;
  // A new signing secret is copied from the field.
  const isHidden = sensitive && type === 'text' && name !== SIGNING_SECRET;
  const control = { mono: true, value, placeholder, maxLength: LENGTH_MAX };
  return (
    <>
      <Field
        label={displayName}
        hint={<Words text={description} />}
        error={urlProblem(parameter, value)}
        required={required}
      >
        {type === 'textfield' ? (
          <TextArea {...control} rows={3} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <TextInput
            {...control}
            inputMode={type === 'url' ? 'url' : undefined}
            {...(isHidden && { type: 'password', autoComplete: 'new-password' })}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      {name === SIGNING_SECRET && <Generated value={value} label={displayName} onChange={onChange} />}
      {hasStored && (
        <div>
          <Button size="small" aria-label={`${words.keep}: ${displayName}`} onClick={() => onChange(MASK)}>
            {words.keep}
          </Button>
        </div>
      )}
    </>
  );
}

function Kept({ label, onReplace }: { readonly label: string; readonly onReplace: () => void }) {
  return (
    <div className={styles.tight}>
      <span className={styles.label}>{label}</span>
      <p className={styles.quiet}>{words.secretKept}</p>
      <Button size="small" aria-label={`${words.replace}: ${label}`} onClick={onReplace}>
        {words.replace}
      </Button>
    </div>
  );
}

interface GeneratedProps extends Pick<ParameterFieldProps, 'value' | 'onChange'> {
  readonly label: string;
}

/** A new secret, which must be copied before it is saved. */
function Generated({ value, label, onChange }: GeneratedProps) {
  return (
    <div className={styles.row}>
      <Button
        size="small"
        aria-label={`${words.generate}: ${label}`}
        onClick={() => {
          onChange(newSigningSecret());
        }}
      >
        {words.generate}
      </Button>
      {value !== '' && (
        <>
          <CopyButton text={value} label={label} />
          <span className={styles.quiet}>{words.generated}</span>
        </>
      )}
    </div>
  );
}
