import { useState } from 'react';
import { publicUrl } from '../data/base.ts';
import { useUiConfig } from '../data/settings.ts';
import { snippets } from '../domain/snippets.ts';
import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { CodeBlock } from '../kit/texts/CodeBlock.tsx';
import { tokens as words } from '../words/en/tokens.ts';
import styles from './Snippets.module.css';

interface SnippetsProps {
  readonly token: string;
  readonly flag: string;
  readonly kind: 'backend' | 'frontend';
  /** Of the token: the application reports it. */
  readonly appName?: string;
}

/** Code that works when it is pasted: with the address of this Burgee and the token. */
export function Snippets({ token, flag, kind, appName = '' }: SnippetsProps) {
  const config = useUiConfig();
  const list = snippets({ url: publicUrl(config?.unleashUrl), token, flag, appName }).filter(
    (one) => one.kind === kind,
  );
  const [id, setId] = useState(list[0]?.id ?? '');
  const chosen = list.find((one) => one.id === id) ?? list[0];
  if (!chosen) return null;
  return (
    <div className={styles.snippets}>
      <Field label={words.language}>
        <Select
          options={list.map(({ id: value, language: label }) => ({ value, label }))}
          value={chosen.id}
          onChange={setId}
        />
      </Field>
      {chosen.install && <CodeBlock title={words.install} label={words.install} code={chosen.install} />}
      <CodeBlock title={words.code} label={`${chosen.language} ${words.code}`} code={chosen.code} />
    </div>
  );
}
