import { useState } from 'react';
import { monitorSnippets } from '../../domain/monitor-snippets.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import styles from '../../parts/parts.module.css';
import { monitors, signals as words } from '../../words/en/admin/signals.ts';

interface MonitorSnippetsProps {
  readonly url: string;
  /** Without it, the text has the name of a variable. */
  readonly token?: string;
}

const TITLES = {
  curl: monitors.curlTitle,
  alertmanager: monitors.alertmanagerTitle,
  datadog: monitors.datadogTitle,
} as const;

/** What to enter at a monitor, with the address of the endpoint. */
export function MonitorSnippets({ url, token }: MonitorSnippetsProps) {
  const list = monitorSnippets({ url, token: token ?? '$SIGNAL_TOKEN' });
  const [id, setId] = useState<string>('curl');
  const chosen = list.find((one) => one.id === id) ?? list[0];
  if (!chosen) return null;
  const name = monitors[chosen.id];
  return (
    <div className={styles.stack}>
      <Field label={words.monitor}>
        <Select
          options={list.map((one) => ({ value: one.id, label: monitors[one.id] }))}
          value={chosen.id}
          onChange={setId}
        />
      </Field>
      <CodeBlock
        title={TITLES[chosen.id]}
        label={token === undefined ? name : monitors.withToken(name)}
        code={chosen.code}
      />
    </div>
  );
}
