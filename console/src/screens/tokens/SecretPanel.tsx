import { useMemo, useState } from 'react';
import { BASE_PATH } from '../../base-path.ts';
import { snippets } from '../../domain/snippets.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { CodeBlock } from '../../kit/CodeBlock.tsx';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { Field } from '../../kit/Field.tsx';
import { Inspector } from '../../kit/Inspector.tsx';
import { Select } from '../../kit/Select.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { parts } from '../../words/en/parts.ts';
import { tokens as words } from '../../words/en/tokens.ts';
import styles from '../parts/parts.module.css';

interface SecretPanelProps {
  readonly secret: string;
  readonly kind: 'backend' | 'frontend';
  readonly flag?: string;
  readonly onClose: () => void;
}

/** The secret, which is nowhere but in this panel: after a reload it is gone. */
export function SecretPanel({ secret, kind, flag = words.flag, onClose }: SecretPanelProps) {
  const url = `${location.origin}${BASE_PATH}`;
  const list = useMemo(() => snippets({ url, token: secret, flag }).filter((one) => one.kind === kind), [url, secret, flag, kind]);
  const [language, setLanguage] = useState('');
  const shown = list.find(({ id }) => id === language) ?? list[0];
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
        <Field label={words.language} isLabelHidden>
          <Select value={shown?.id ?? null} onChange={setLanguage} options={list.map(({ id, language: label }) => ({ value: id, label }))} />
        </Field>
        {shown?.install && <CodeBlock title={words.install} label={words.install} code={shown.install} />}
        {shown && <CodeBlock title={words.code} label={words.code} code={shown.code} />}
      </div>
    </Inspector>
  );
}
