import type { Steps } from '../../base/yield-control.ts';
import { ImportProblems } from '../../commands/import-problems.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../../model/strategy-type.ts';
import type { StateReader } from '../../state/collections.ts';
import type { ImportData } from './features-batch-schemas.ts';

/** What an import does that its sender may not expect. */
export function* importWarnings(state: StateReader, environment: string, data: ImportData): Steps<ImportProblems> {
  const warnings = new ImportProblems();
  for (const { name } of data.features) {
    if (state.get('features', name))
      warnings.add(`These features exist; their configuration in ${environment} is replaced:`, name);
    yield;
  }
  const custom = new Set<string>();
  for (const { name } of data.featureStrategies) {
    if (!BUILT_IN_STRATEGY_NAMES.has(name)) custom.add(name);
    yield;
  }
  for (const name of custom)
    warnings.add('These strategies are custom; only SDKs that have them can evaluate them:', name);
  for (const { name, legalValues } of data.contextFields ?? []) {
    const existing = state.get('contextFields', name);
    const values = new Set(existing?.legalValues.map(({ value }) => value));
    if (existing && (legalValues ?? []).some(({ value }) => !values.has(value))) {
      warnings.add('These context fields exist and keep the legal values they have:', name);
    }
    yield;
  }
  for (const { feature } of data.links ?? []) warnings.add('The links of these features are not imported:', feature);
  return warnings;
}
