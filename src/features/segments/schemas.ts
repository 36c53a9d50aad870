import Type from 'typebox';
import { MODEL_LIMITS } from '../../model/limits.ts';
import { DateTime, NAME_LENGTH_MAX, NameReference, Nullable } from '../../model/primitives.ts';
import { Segment } from '../../model/segment.ts';
import { answeredFields } from '../shared/entity-fields.ts';
import { SegmentFields } from './commands.ts';

/** Contract: Segment (adminSegmentSchema). */
export const AdminSegmentSchema = Type.Object(
  {
    ...answeredFields(Segment, 'id', 'name', 'description', 'constraints'),
    usedInFeatures: Nullable(
      Type.Integer({
        minimum: 0,
        description:
          'Flags that use the segment, also archived flags, and flags that would use it if an open change request were applied',
      }),
    ),
    usedInProjects: Nullable(Type.Integer({ minimum: 0 })),
    project: Type.Optional(
      Nullable(
        Type.String({
          description: 'Project that the segment belongs to; left out if every project can use the segment',
        }),
      ),
    ),
    createdBy: Nullable(Type.String()),
    createdAt: DateTime,
  },
  { $id: 'adminSegment' },
);

export const SegmentListSchema = Type.Object({ segments: Type.Array(AdminSegmentSchema) });

export const UpsertSegmentBody = Type.Object(SegmentFields, { $id: 'upsertSegment' });

export const SegmentNameBody = Type.Object({ name: SegmentFields.name }, { $id: 'segmentName' });

/** Where a segment is used. */
export const SegmentStrategiesSchema = Type.Object(
  {
    strategies: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the strategy' }),
        featureName: Type.String(),
        projectId: Type.String(),
        environment: Type.String(),
        strategyName: Type.String(),
      }),
    ),
    changeRequestStrategies: Type.Array(
      Type.Object({
        id: Type.Optional(
          Type.String({ description: 'Id of the strategy; left out for a strategy that does not exist yet' }),
        ),
        featureName: Type.String({ description: 'Name of the flag' }),
        projectId: Type.String({ description: 'Id of the flag’s project' }),
        environment: Type.String({ description: 'Environment that the strategy is in, or would be in' }),
        strategyName: Type.String({ description: 'Type of the strategy' }),
        changeRequest: Type.Object(
          {
            id: Type.Integer({ description: 'Id of the change request' }),
            title: Type.String({ description: 'Title of the change request' }),
          },
          { description: 'The change request with which the strategy would use the segment' },
        ),
      }),
      { description: 'Strategies that would use the segment if an open change request were applied' },
    ),
  },
  { $id: 'segmentStrategies' },
);

/** The segments that a strategy gets in place of its earlier segments. */
export const StrategySegments = Type.Object(
  {
    projectId: NameReference,
    environmentId: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: 'Name of the environment' }),
    strategyId: Type.String({ minLength: 1 }),
    segmentIds: Type.Array(Type.Integer({ minimum: 1 }), {
      maxItems: MODEL_LIMITS.strategySegments.max,
      description: 'All segments that the strategy must have afterwards; other segments are removed',
    }),
  },
  { $id: 'updateFeatureStrategySegments' },
);
