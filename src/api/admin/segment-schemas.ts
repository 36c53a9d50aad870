import Type from 'typebox';
import { CONSTRAINTS_MAX, Constraint } from '../../model/constraint.ts';
import { DateTime, Nullable, Text, UrlSafeName } from '../../model/primitives.ts';

const SegmentName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });

/** Contract: Segment (adminSegmentSchema). */
export const AdminSegmentSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Nullable(Type.String()),
    constraints: Type.Array(Constraint),
    usedInFeatures: Nullable(Type.Integer({ minimum: 0, description: 'Flags that use it, archived ones included' })),
    usedInProjects: Nullable(Type.Integer({ minimum: 0 })),
    project: Type.Optional(Nullable(Type.String({ description: 'Only project-specific segments have it' }))),
    createdBy: Nullable(Type.String()),
    createdAt: DateTime,
  },
  { $id: 'adminSegment' },
);

export const SegmentListSchema = Type.Object({ segments: Type.Array(AdminSegmentSchema) });

export const UpsertSegmentBody = Type.Object(
  {
    name: SegmentName,
    description: Type.Optional(Nullable(Text)),
    project: Type.Optional(Nullable(UrlSafeName)),
    constraints: Type.Array(Constraint, { maxItems: CONSTRAINTS_MAX }),
  },
  { $id: 'upsertSegment' },
);

export const SegmentNameBody = Type.Object({ name: SegmentName }, { $id: 'segmentName' });

/** Where a segment is used. */
export const SegmentStrategiesSchema = Type.Object(
  {
    strategies: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Of the strategy' }),
        featureName: Type.String(),
        projectId: Type.String(),
        environment: Type.String(),
        strategyName: Type.String(),
      }),
    ),
  },
  { $id: 'segmentStrategies' },
);
