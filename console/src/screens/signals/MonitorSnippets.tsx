import { useState } from 'react';
import { monitorSnippets } from '../../domain/monitor-snippets.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import { monitors, signals as words } from '../../words/en/admin/signals.ts';
import styles from '../parts/parts.module.css';

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
export function MonitorSnippets({ url, token = '$SIGNAL_TOKEN' }: MonitorSnippetsProps) {
  const list = monitorSnippets({ url, token });
  const [id, setId] = useState<string>('curl');
  const chosen = list.find((one) => one.id === id) ?? list[0];
  if (!chosen) return null;
  return (
    <div className={styles.stack}>
      <Field label={words.monitor}>
        <Select
          options={list.map((one) => ({ value: one.id, label: monitors[one.id] }))}
          value={chosen.id}
          onChange={setId}
        />
      </Field>
      <CodeBlock title={TITLES[chosen.id]} label={monitors[chosen.id]} code={chosen.code} />
    </div>
  );
}
