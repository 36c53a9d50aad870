import { Button } from '../../kit/inputs/Button.tsx';
import { CopyButton } from '../../kit/inputs/CopyButton.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { parts } from '../../words/en/parts.ts';
import { tokens as words } from '../../words/en/tokens.ts';
import styles from '../parts/parts.module.css';
import { Snippets } from './Snippets.tsx';

interface SecretPanelProps {
  readonly secret: string;
  readonly kind: 'backend' | 'frontend';
  readonly flag?: string;
  readonly onClose: () => void;
}

/** The secret, which is nowhere but in this panel: after a reload it is gone. */
export function SecretPanel({ secret, kind, flag = words.flag, onClose }: SecretPanelProps) {
  return (
    <Inspector
      title={words.onceTitle}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {parts.done}
        </Button>
      }
    >
      <div className={styles.stack}>
        <Banner tone="warn">{words.once}</Banner>
        <Field label={words.secret}>
          <TextInput mono readOnly value={secret} onFocus={(event) => event.target.select()} />
        </Field>
        <div>
          <CopyButton text={secret} label={words.secret.toLowerCase()} isLabelShown />
        </div>
        <h3 className={styles.heading}>{words.snippet}</h3>
        <Snippets token={secret} flag={flag} kind={kind} />
      </div>
    </Inspector>
  );
}
