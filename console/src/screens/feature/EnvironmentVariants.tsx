import type { Feature } from '../../domain/model.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import styles from '../../strategies/Editor.module.css';
import { useEnvironmentDraft } from '../../strategies/use-environment-draft.ts';
import { VariantsEditor } from '../../strategies/VariantsEditor.tsx';
import { strategyEditor, feature as words } from '../../words/en/flags/feature.ts';
import { DraftCopies } from './DraftCopies.tsx';
import { editOf } from './use-panel.ts';

interface EnvironmentVariantsProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly isProduction: boolean;
  readonly onClose: () => void;
}

/** Variants of the flag in an environment, for SDKs that do not know variants of strategies. */
export function EnvironmentVariants({ flag, environment, isProduction, onClose }: EnvironmentVariantsProps) {
  const env = useEnvironmentDraft(flag, environment);
  return (
    <Inspector
      production={isProduction}
      onClose={onClose}
      title={
        <span className={styles.title}>
          {words.variants} <EnvironmentMark name={environment} production={isProduction} />
        </span>
      }
      footer={
        <>
          <DraftCopies env={env} edit={editOf(environment, 'variants')} />
          <Button kind="primary" onClick={onClose}>
            {strategyEditor.done}
          </Button>
        </>
      }
    >
      <VariantsEditor
        variants={env.shown.variants}
        stickiness="default"
        onChange={(variants) => env.change((settings) => ({ ...settings, variants }))}
      />
    </Inspector>
  );
}
