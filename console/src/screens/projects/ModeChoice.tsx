import { Segmented } from '../../kit/inputs/Segmented.tsx';
import type { FieldOf } from '../../parts/fields.tsx';
import styles from '../../parts/parts.module.css';
import type { Project } from '../../projects/project-data.ts';
import { projects as words } from '../../words/en/projects.ts';

interface ModeChoiceProps {
  readonly value: Project['mode'];
  readonly onChange: (mode: Project['mode']) => void;
}

export function ModeChoice({ value, onChange }: ModeChoiceProps) {
  return (
    <div className={styles.tight}>
      <span className={styles.label}>{words.mode}</span>
      <Segmented
        label={words.mode}
        value={value}
        onChange={onChange}
        options={(['open', 'protected', 'private'] as const).map((mode) => ({ value: mode, label: words.modes[mode] }))}
      />
      <p className={styles.quiet}>{words.modeHints[value]}</p>
    </div>
  );
}

export const mode: FieldOf<Project['mode']> = {
  label: words.mode,
  first: 'open',
  show: ({ value, onChange }) => <ModeChoice value={value} onChange={onChange} />,
};
