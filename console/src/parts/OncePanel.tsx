import type { ReactNode } from 'react';
import { useClosedByBack } from '../data/opened.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { CopyButton } from '../kit/inputs/CopyButton.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Inspector } from '../kit/overlays/Inspector.tsx';
import { parts as words } from '../words/en/parts.ts';
import styles from './parts.module.css';

interface ShownOnceProps {
  readonly label: string;
  readonly secret: string;
}

/** A link or a token that the server answers once: it is nowhere but here. */
export function ShownOnce({ label, secret }: ShownOnceProps) {
  return (
    <>
      <Banner tone="warn">{words.once}</Banner>
      <Field label={label}>
        <TextInput mono readOnly value={secret} onFocus={(event) => event.target.select()} />
      </Field>
      <div>
        <CopyButton text={secret} label={label.toLowerCase()} isLabelShown />
      </div>
    </>
  );
}

interface OncePanelProps extends ShownOnceProps {
  readonly title: string;
  /** What to do with it. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** After a reload, the secret is gone. */
export function OncePanel({ title, children, onClose, ...rest }: OncePanelProps) {
  useClosedByBack(true, onClose);
  return (
    <Inspector
      title={title}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <div className={styles.stack}>
        <ShownOnce {...rest} />
        {children}
      </div>
    </Inspector>
  );
}
