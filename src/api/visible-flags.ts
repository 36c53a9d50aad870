import type { CompiledFlag } from '../evaluation/compile.ts';
import type { Services } from './services.ts';

/** Compiled flags that SDKs of the environment see, project by project; `projects` null means all of them. Lazy: compiles as it goes. */
export function* visibleFlags(
  { state, flagViews }: Pick<Services, 'state' | 'flagViews'>,
  environment: string,
  projects: ReadonlySet<string> | null,
): Generator<CompiledFlag> {
  const flags = flagViews.environment(environment);
  const ids = projects ?? Array.from(state.values('projects'), (project) => project.id);
  for (const id of [...ids].sort()) yield* flags.ofProject(id);
}
