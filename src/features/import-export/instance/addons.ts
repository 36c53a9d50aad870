import { invalid, type Rejection } from '../../../base/rejection.ts';
import { EVENT_TYPES } from '../../../model/event.ts';
import { addAddon, filterProblem } from '../../addons/commands.ts';
import { plainParameters } from '../../addons/parameters.ts';
import { PROVIDERS, providerOf } from '../../addons/providers/providers.ts';
import type { ImportRun } from './import-run.ts';
import type { Imported, InstanceImportInput } from './input.ts';

/**
 * Imports an integration, switched off and without its secrets, which the source does not show. One that is here already stays as it is, because
 * people have entered its secrets: integrations have no names, so provider and description decide, and the order if several have the same.
 */
export function importAddon(
  run: ImportRun,
  imported: Imported<'addons'>,
  { addons: all = [] }: Pick<InstanceImportInput, 'addons'>,
): Rejection | undefined {
  const { draft } = run.context;
  const isSame = ({ provider, description }: Pick<Imported<'addons'>, 'provider' | 'description'>) =>
    provider === imported.provider && (description || null) === (imported.description || null);
  const here = [...draft.values('addons')].filter(isSame).length;
  if (here > all.filter(isSame).indexOf(imported)) return undefined;
  const provider = providerOf(imported.provider);
  if (!provider) return invalid(`The provider must be one of ${PROVIDERS.map(({ name }) => name).join(', ')}.`);
  const problem = filterProblem(draft, imported);
  if (problem) return problem;
  const known: readonly string[] = EVENT_TYPES;
  const events = imported.events.filter((type) => known.includes(type));
  const { description, projects, environments } = imported;
  const parameters = plainParameters(provider, imported.parameters);
  addAddon(
    run.context,
    { provider: provider.name, description, enabled: false, events, projects, environments, parameters },
    0,
  );
  run.items.push({ kind: 'addons', name: nameOfAddon(imported), outcome: 'created' });
  return undefined;
}

/** The integration, for people. */
export function nameOfAddon({ provider, description }: Pick<Imported<'addons'>, 'provider' | 'description'>): string {
  return description ? `${provider} "${description.slice(0, 60)}"` : provider;
}
