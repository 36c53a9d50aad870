import type { CompiledFlag } from '../evaluation/compile.ts';
import type { Services } from './services.ts';

type Sources = Pick<Services, 'state' | 'flagViews'>;

/**
 * Compiled flags that SDKs of the environment see, project by project, a few dozen at a time; `projects` null means all of them. Lazy:
 * compiles as it goes, and yields empty lists meanwhile.
 */
export function* visibleChunks(
  { state, flagViews }: Sources,
  environment: string,
  projects: ReadonlySet<string> | null,
): Generator<readonly CompiledFlag[]> {
  const flags = flagViews.environment(environment);
  const ids = projects ?? Array.from(state.values('projects'), (project) => project.id);
  for (const id of [...ids].sort()) yield* flags.ofProject(id);
}

/** The same, flag by flag. */
export function* visibleFlags(
  sources: Sources,
  environment: string,
  projects: ReadonlySet<string> | null,
): Generator<CompiledFlag> {
  for (const flags of visibleChunks(sources, environment, projects)) yield* flags;
}
