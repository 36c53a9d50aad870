import type { Feature } from '../domain/model.ts';
import type { EnvironmentInfo } from '../save/use-env-info.ts';
import { PlanActs } from './PlanActs.tsx';
import type { Plan, Safeguard, SafeguardCheck } from './plan-data.ts';
import { ReleasePlan } from './ReleasePlan.tsx';
import { Safeguards } from './Safeguards.tsx';

interface PlanSectionProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly info: EnvironmentInfo;
  readonly plan: Plan | undefined;
  /** Those of the flag itself. */
  readonly guards: readonly Safeguard[];
  readonly checks: readonly SafeguardCheck[];
}

/** The release plan and the safeguards of a flag in one environment, with their dialogs. It is loaded only for flags that have them, or get them. */
export function PlanSection({ flag, environment, info, plan, guards, checks }: PlanSectionProps) {
  const of = { flag, environment, checks };
  return (
    <>
      {plan && <ReleasePlan {...of} plan={plan} />}
      {guards.length > 0 && <Safeguards {...of} plan={undefined} guards={guards} />}
      <PlanActs flag={flag} environment={environment} info={info} plan={plan} guards={guards} />
    </>
  );
}
