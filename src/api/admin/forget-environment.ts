import { Rejection } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';
import { forgetConfiguration } from '../../commands/project-environment.ts';
import type { Author } from '../../model/primitives.ts';
import type { Services } from '../services.ts';

/** Flags a commit changes at most: one of 100,000 would hold the loop for seconds. */
const FLAGS_PER_COMMIT = 64;

/**
 * Removes what the flags of a project have in an environment that the project does not have (any more), a few flags a commit. Nobody can
 * see what has not been removed yet; a crash leaves it, and it is removed before the project gets that environment again.
 */
export async function forgetEnvironment(
  { state, writer }: Services,
  project: string,
  environment: string,
  by: Author,
): Promise<Rejection | undefined> {
  const slicer = new Slicer();
  let features: string[] = [];
  const write = async () => {
    const outcome = await writer.submit(forgetConfiguration, { project, environment, features }, by);
    features = [];
    return outcome instanceof Rejection ? outcome : undefined;
  };
  for (const feature of state.lookup('featuresByProject', project)) {
    if (feature.environments.some((entry) => entry.environment === environment)) features.push(feature.name);
    const problem = features.length >= FLAGS_PER_COMMIT ? await write() : undefined;
    if (problem) return problem;
    if (slicer.spent) await slicer.pause();
  }
  return features.length > 0 ? write() : undefined;
}
