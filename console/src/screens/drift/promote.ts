import { type EnvironmentSettings, newStrategyId, type StrategyDraft } from '../../domain/model.ts';
import { same } from '../../domain/same.ts';

const contentOf = ({ id: _, ...content }: StrategyDraft) => content;

/**
 * The settings of the target after they became those of the source. Strategies with equal content keep their ids, then those with the same kind: so the
 * difference is as short as that of a copy by the server.
 */
export function promoted(source: EnvironmentSettings, target: EnvironmentSettings): EnvironmentSettings {
  const left = [...target.strategies];
  const take = (matches: (one: StrategyDraft) => boolean): string | undefined => {
    const at = left.findIndex(matches);
    return at < 0 ? undefined : left.splice(at, 1)[0]?.id;
  };
  const ids = source.strategies.map((one) => take((other) => same(contentOf(other), contentOf(one))));
  const strategies = source.strategies.map((one, index) => ({
    ...one,
    id: ids[index] ?? take((other) => other.name === one.name) ?? newStrategyId(),
  }));
  return { enabled: source.enabled, strategies, variants: source.variants };
}
