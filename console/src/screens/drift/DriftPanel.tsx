import { useState } from 'react';
import { useFeature } from '../../data/feature.ts';
import { useMay } from '../../data/may.ts';
import type { Conflict } from '../../domain/merge.ts';
import { type EnvironmentSettings, type Feature, settingsOf } from '../../domain/model.ts';
import { CopyDialog } from '../../flags/CopyDialog.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { SaveDialog } from '../../save/SaveDialog.tsx';
import { useEnvironmentInfo } from '../../save/use-env-info.ts';
import { promoted } from './promote.ts';

interface PanelProps {
  readonly flag: Feature;
  readonly base: string;
  readonly environment: string;
  readonly onClose: () => void;
}

/** A reviewed environment takes no copy: the same difference goes into a change request. */
function Request({ flag, base, environment, onClose }: PanelProps) {
  const settings = (name: string): EnvironmentSettings => {
    const found = flag.environments.find((one) => one.name === name);
    return found ? settingsOf(found) : { enabled: false, strategies: [], variants: [] };
  };
  const [asked, setAsked] = useState(() => {
    const target = settings(environment);
    return { base: target, mine: promoted(settings(base), target), conflicts: [] as readonly Conflict[] };
  });
  return (
    <SaveDialog
      target={{ project: flag.project, feature: flag.name, environment }}
      base={asked.base}
      mine={asked.mine}
      conflicts={asked.conflicts}
      onRebase={(before, mine, conflicts) => setAsked({ base: before, mine, conflicts })}
      onClose={onClose}
      onSaved={onClose}
    />
  );
}

function Opened(props: PanelProps) {
  const { flag, base, environment, onClose } = props;
  const info = useEnvironmentInfo({ project: flag.project, environment });
  const source = useEnvironmentInfo({ project: flag.project, environment: base });
  const mayNot = useMay(
    ['UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'],
    flag.project,
    environment,
  );
  if (!info.isKnown) return null;
  if (info.isReviewed) return <Request {...props} />;
  return (
    <CopyDialog
      flag={flag}
      environment={base}
      isProduction={source.isProduction}
      initialTargets={[environment]}
      hasName
      mayNot={mayNot}
      onClose={onClose}
    />
  );
}

interface DriftPanelProps extends Omit<PanelProps, 'flag'> {
  readonly project: string;
  readonly name: string;
}

/** The exact difference of a flag between two environments, and the copy of the base. */
export function DriftPanel({ project, name, ...rest }: DriftPanelProps) {
  const query = useFeature(project, name);
  if (query.data) return <Opened {...rest} flag={query.data.value} />;
  return (
    <Inspector title={<code>{name}</code>} onClose={rest.onClose}>
      <Loaded query={query}>{() => null}</Loaded>
    </Inspector>
  );
}
