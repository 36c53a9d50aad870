import type { ReactNode } from 'react';
import { Button } from '../../kit/inputs/Button.tsx';
import { CopyButton } from '../../kit/inputs/CopyButton.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { parts } from '../../words/en/parts.ts';
import { people as words } from '../../words/en/people.ts';
import styles from '../parts/parts.module.css';

interface OncePanelProps {
  readonly title: string;
  /** What to do with it. */
  readonly children: ReactNode;
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A link or a token that the server answers once: it is nowhere but in this panel. */
export function OncePanel({ title, children, label, secret, onClose }: OncePanelProps) {
  return (
    <Inspector
      title={title}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {parts.done}
        </Button>
      }
    >
      <div className={styles.stack}>
        <Banner tone="warn">{words.copyNow}</Banner>
        <p>{children}</p>
        <Field label={label}>
          <TextInput mono readOnly value={secret} onFocus={(event) => event.target.select()} />
        </Field>
        <div>
          <CopyButton text={secret} label={label.toLowerCase()} isLabelShown />
        </div>
      </div>
    </Inspector>
  );
}
