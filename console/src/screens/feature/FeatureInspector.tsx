import type { Feature } from '../../domain/model.ts';
import { CopyDialog } from '../../flags/CopyDialog.tsx';
import { useEnvironmentInfo } from '../../save/use-env-info.ts';
import { EnvironmentVariants } from './EnvironmentVariants.tsx';
import { StrategyEditor } from './StrategyEditor.tsx';
import { usePanel } from './use-panel.ts';

function Opened({
  flag,
  environment,
  id,
  onClose,
}: {
  readonly flag: Feature;
  readonly environment: string;
  readonly id: string;
  readonly onClose: () => void;
}) {
  const info = useEnvironmentInfo({ project: flag.project, environment });
  const props = { flag, environment, isProduction: info.isProduction, onClose };
  if (id === 'copy') return <CopyDialog {...props} />;
  if (id === 'variants') return <EnvironmentVariants {...props} />;
  return <StrategyEditor key={id} {...props} id={id} />;
}

/** The panel at the right: what the address says is edited. */
export function FeatureInspector({ flag }: { readonly flag: Feature }) {
  const { open, close } = usePanel();
  if (!open || !flag.environments.some(({ name }) => name === open.environment)) return null;
  return (
    <Opened
      key={`${open.environment} ${open.id}`}
      flag={flag}
      environment={open.environment}
      id={open.id}
      onClose={close}
    />
  );
}
