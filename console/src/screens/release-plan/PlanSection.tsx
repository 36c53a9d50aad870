import type { Feature } from '../../domain/model.ts';
import type { EnvironmentInfo } from '../../save/use-env-info.ts';
import { PlanActs } from './PlanActs.tsx';
import type { Plan } from './plan-data.ts';
import { ReleasePlan } from './ReleasePlan.tsx';

interface PlanSectionProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly info: EnvironmentInfo;
  readonly plan: Plan | undefined;
}

/** The release plan of a flag in one environment, with its dialogs. It is loaded only for flags that have one, or get one. */
export function PlanSection({ flag, environment, info, plan }: PlanSectionProps) {
  return (
    <>
      {plan && <ReleasePlan flag={flag} environment={environment} plan={plan} />}
      <PlanActs flag={flag} environment={environment} info={info} plan={plan} />
    </>
  );
}
