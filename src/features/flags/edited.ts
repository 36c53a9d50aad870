import { type Feature, featureEnvironment } from '../../model/feature.ts';
import type { Strategy } from '../../model/strategy.ts';
import { type EditedKinds, type Params, partsWithConstraints } from '../shared/entity-tags.ts';

const text = (value: unknown) => String(value);

/** The flag of the path: some routes name it as a child of other flags. */
const flagName = ({ featureName, child }: Params) => text(featureName ?? child);

function* partsOfFlag(feature: Feature): Generator<unknown> {
  // Collaborators and the time of the change are recorded after the command.
  const { environments, collaborators, changedAt, ...rest } = feature;
  yield rest;
  for (const { strategies, ...environment } of environments) {
    yield environment;
    yield* partsWithConstraints(strategies);
  }
}

export const edited: EditedKinds<'feature' | 'featureEnvironment' | 'strategy'> = {
  feature: {
    find: (reader, params) => reader.get('features', flagName(params)),
    parts: partsOfFlag,
    events: (params) => ({ feature: flagName(params) }),
    shownBy: (params, { project }: Feature) => ({ projectId: project, featureName: flagName(params) }),
  },
  featureEnvironment: {
    find(reader, params) {
      const feature = reader.get('features', flagName(params));
      return feature && featureEnvironment(feature, text(params.environment));
    },
    *parts({ strategies, ...environment }: ReturnType<typeof featureEnvironment>) {
      yield environment;
      yield* partsWithConstraints(strategies);
    },
    events: (params) => ({ feature: flagName(params), environment: text(params.environment) }),
  },
  strategy: {
    find(reader, { featureName, environment, strategyId }) {
      const feature = reader.get('features', text(featureName));
      return feature && featureEnvironment(feature, text(environment)).strategies.find(({ id }) => id === strategyId);
    },
    parts: (strategy: Strategy) => partsWithConstraints([strategy]),
    events: ({ featureName, environment, strategyId }) => ({
      feature: text(featureName),
      environment: text(environment),
      id: strategyId,
      types: ['feature-strategy-add', 'feature-strategy-update'],
    }),
  },
};
