import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useStore } from '../../data/store.ts';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import styles from '../../parts/parts.module.css';
import { signOnSettings as words } from '../../words/en/admin/sign-on-settings.ts';
import { OwnFields, PolicyFields } from './ProviderFields.tsx';
import { type FormValues, problemOf, type Settings, saveSettings, sentencesOf, valuesOf } from './settings-data.ts';
import { forgetTrial, type Protocol, trials } from './trial-data.ts';

interface ProviderPanelProps {
  readonly protocol: Protocol;
  readonly settings: Settings;
  readonly onClose: () => void;
}

/** Whether anything but the switch differs: then the last trial was of other settings. */
const differsBeyondSwitch = (protocol: Protocol, before: FormValues, after: FormValues) =>
  sentencesOf(protocol, { ...before, enabled: after.enabled }, after).length > 0;

export function ProviderPanel({ protocol, settings, onClose }: ProviderPanelProps) {
  const [stored] = useState(settings);
  const [base] = useState(() => valuesOf(protocol, settings));
  const [values, setValues] = useKept('values', base, undefined, (all) => ({ ...all, secret: base.secret }));
  const mayNot = useMay('ADMIN');
  const trial = useStore(trials)[protocol];
  const way = words.tabs[protocol];
  const isOther = differsBeyondSwitch(protocol, base, values);
  const isTried = !isOther && trial !== undefined && trial !== 'other' && trial.isAccepted;
  const set = (changed: Partial<FormValues>) => setValues((before) => ({ ...before, ...changed }));
  const done = () => {
    if (isOther) forgetTrial(protocol);
    onClose();
  };
  return (
    <EditPanel<unknown>
      title={words.editTitle(way)}
      mayNot={mayNot}
      problem={problemOf(protocol, values)}
      sentences={sentencesOf(protocol, base, values)}
      effects={values.enabled && !base.enabled && !isTried && <Banner tone="warn">{words.trial.notEnabled}</Banner>}
      save={(reason) => saveSettings(protocol, stored, values, reason)}
      saved={{ text: words.saved(way), refresh: [keys.signOn(), keys.statistics] }}
      onSaved={done}
      onClose={onClose}
    >
      <Checkbox
        label={words.fields.enabled}
        hint={words.hints.enabled}
        checked={values.enabled}
        onChange={(enabled) => set({ enabled })}
      />
      <div className={styles.stack}>
        <OwnFields protocol={protocol} values={values} hasStored={base.secret !== ''} set={set} />
        <PolicyFields protocol={protocol} values={values} set={set} />
      </div>
    </EditPanel>
  );
}
