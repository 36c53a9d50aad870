import Type, { type Static } from 'typebox';
import type { ProjectStats } from './stats.ts';

export const OnboardingStatusSchema = Type.Union(
  [
    Type.Object({
      status: Type.Enum(['onboarding-started', 'onboarded'], {
        description:
          '`onboarding-started`: the project has no flag; `onboarded`: an SDK has reported a flag of the project',
      }),
    }),
    Type.Object({
      status: Type.Literal('first-flag-created', {
        description: 'The project has flags, but no SDK has reported one of them',
      }),
      feature: Type.String({ description: 'Name of the oldest flag' }),
    }),
  ],
  { description: 'Onboarding status of the project' },
);
type OnboardingStatus = Static<typeof OnboardingStatusSchema>;

/** Returns how far the introduction of the project is: no flags yet, flags that no SDK has reported, or flags that SDKs use. */
export function onboardingStatus({ firstFlag, isUsed }: ProjectStats): OnboardingStatus {
  if (isUsed) return { status: 'onboarded' };
  return firstFlag === null ? { status: 'onboarding-started' } : { status: 'first-flag-created', feature: firstFlag };
}
