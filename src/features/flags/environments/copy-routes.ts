import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { type Answer, listPieces } from '../../../http/answer.ts';
import { Strategy } from '../../../model/strategy.ts';
import { Variant } from '../../../model/variant.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { previewCommand } from '../../shared/preview-command.ts';
import { CopyFields, copyFeatureEnvironment, type EnvironmentCopy, withoutId } from './copy.ts';
import { strategyDifference } from './strategy-difference.ts';

const route = routesOf('Features');

const { id: _id, ...content } = Strategy.properties;
const StrategyContent = Type.Object(content, { $id: 'strategyContent' });

const TargetSchema = Type.Object(
  {
    environment: Type.String({ description: 'Name of the target' }),
    isChanged: Type.Boolean({ description: 'False if the settings of the target are equal already' }),
    enabled: Type.Object(
      { before: Type.Boolean(), after: Type.Boolean() },
      { description: 'Whether the flag is on in the target' },
    ),
    variants: Type.Union([Type.Object({ before: Type.Array(Variant), after: Type.Array(Variant) }), Type.Null()], {
      description: 'Variants of the flag in the target; null if they do not change',
    }),
    removedStrategies: Type.Array(Strategy, { description: 'Strategies without a counterpart in the source' }),
    addedStrategies: Type.Array(StrategyContent, { description: 'Strategies without a counterpart in the target' }),
    changedStrategies: Type.Array(Type.Object({ before: Strategy, after: StrategyContent }), {
      description:
        'Strategies with a counterpart that differs. Counterparts have the same type, and the same title if there is one',
    }),
    unchangedStrategies: Type.Integer({ minimum: 0, description: 'Number of strategies that have the same content' }),
  },
  { $id: 'environmentCopy' },
);

const CopySchema = Type.Object(
  {
    source: Type.String({ description: 'Name of the environment that is copied' }),
    preview: Type.Boolean({ description: 'Whether nothing was changed, because the request asked for a preview' }),
    targets: Type.Array(TargetSchema, { description: 'The changes in each target, in the order of the request' }),
  },
  { $id: 'featureEnvironmentCopy' },
);

const copyEnvironment = route(
  'POST /api/admin/projects/:projectId/features/:featureName/environments/:environment/copy',
  'copyFeatureEnvironment',
  {
    access: {
      permission: [
        'UPDATE_FEATURE_ENVIRONMENT',
        'CREATE_FEATURE_STRATEGY',
        'DELETE_FEATURE_STRATEGY',
        'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
      ],
      project: 'path.projectId',
      environment: 'body.targets',
    },
    summary: 'Replaces the settings of a flag in other environments by its settings in this one, all or none',
    description:
      'Copied strategies get new ids. In each target, the caller needs the permissions for the changes: UPDATE_FEATURE_ENVIRONMENT to switch the ' +
      'flag, CREATE_FEATURE_STRATEGY and DELETE_FEATURE_STRATEGY to add and remove strategies, UPDATE_FEATURE_ENVIRONMENT_VARIANTS to change ' +
      'variants. With `preview=true` the request is checked in the same way, and answered with the same changes, but nothing is changed.',
    query: Type.Object({
      preview: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether only the changes are returned, and nothing is changed' }),
      ),
    }),
    body: Type.Object(CopyFields, { $id: 'copyFeatureEnvironment' }),
    responses: { 200: { description: 'The changes in each target', schema: CopySchema } },
    async handle({ params, query, body, caller, asker }, services) {
      const { projectId: project, featureName, environment } = params;
      const { targets, parts } = body;
      const input = { project, featureName, environment, targets, parts };
      const answer = (copies: readonly EnvironmentCopy[]) => copiesAnswer(environment, query.preview ?? false, copies);
      if (!query.preview) return change(services, caller, copyFeatureEnvironment, input, answer);
      const outcome = await previewCommand(services, caller, copyFeatureEnvironment, input, asker);
      return outcome instanceof Rejection ? outcome : answer(outcome);
    },
  },
);

function copiesAnswer(source: string, preview: boolean, copies: readonly EnvironmentCopy[]): Answer {
  return { status: 200, pieces: listPieces({ source, preview }, [['targets', copies, targetPieces]]) };
}

function* targetPieces({ before, after }: EnvironmentCopy): Generator<string> {
  const { removed, added, changed, unchanged } = yield* strategyDifference(before.strategies, after.strategies);
  const head = {
    environment: after.environment,
    isChanged: after !== before,
    enabled: { before: before.enabled, after: after.enabled },
    variants: after.variants === before.variants ? null : { before: before.variants, after: after.variants },
    unchangedStrategies: unchanged,
  };
  const pieceOf = (part: object) => [JSON.stringify(part)];
  yield* listPieces(head, [
    ['removedStrategies', removed, pieceOf],
    ['addedStrategies', added.map(withoutId), pieceOf],
    ['changedStrategies', changed.map((pair) => ({ ...pair, after: withoutId(pair.after) })), pieceOf],
  ]);
}

export const copyEndpoints = [copyEnvironment];
