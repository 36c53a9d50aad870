import Type from 'typebox';
import { Constraint } from '../../model/constraint.ts';
import { Nullable } from '../../model/primitives.ts';
import { StrategyParameters } from '../../model/strategy.ts';
import { StrategyVariant, Variant } from '../../model/variant.ts';

const ClientStrategy = Type.Object({
  name: Type.String(),
  parameters: Type.Optional(StrategyParameters),
  constraints: Type.Optional(Type.Array(Constraint)),
  segments: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Ids of the segments; only in version 2 of the list' }),
  ),
  variants: Type.Optional(Type.Array(StrategyVariant)),
});

/** A flag as SDKs receive it (contract: Client-API feature). */
export const ClientFeature = Type.Object(
  {
    name: Type.String(),
    type: Type.String(),
    enabled: Type.Boolean(),
    stale: Type.Boolean(),
    project: Type.String(),
    description: Nullable(Type.String()),
    impressionData: Type.Boolean(),
    strategies: Type.Array(ClientStrategy),
    variants: Type.Optional(Type.Array(Variant)),
    dependencies: Type.Optional(
      Type.Array(
        Type.Object({
          feature: Type.String(),
          enabled: Type.Optional(Type.Boolean()),
          variants: Type.Optional(Type.Array(Type.String())),
        }),
      ),
    ),
    strategy: Type.Optional(Type.String({ description: 'Legacy, version 1: name of the first strategy' })),
    parameters: Type.Optional(StrategyParameters),
  },
  { $id: 'clientFeature' },
);

/** The filters that a request for a list may have. */
export const ClientListQuery = Type.Object({
  tag: Type.Optional(
    Type.Array(Type.String({ pattern: '^[^:]+:[\\s\\S]' }), {
      description:
        'Only flags with one of these tags, written `<type>:<value>`; the parameter may also be called `tag[]`',
    }),
  ),
  project: Type.Optional(Type.Array(Type.String(), { description: 'Only flags of one of these projects: their ids' })),
  namePrefix: Type.Optional(Type.String({ description: 'Only flags whose names begin with this text' })),
});

const ClientSegment = Type.Object(
  { id: Type.Integer(), name: Type.String(), constraints: Type.Array(Constraint) },
  { description: 'A segment that a flag of the list uses' },
);

const EventId = Type.Integer({ description: 'The revision that the SDK has after the event' });

/** The events that bring an SDK up to date: the whole list, or only the changes. */
export const ClientDelta = Type.Object(
  {
    events: Type.Array(
      Type.Union([
        Type.Object({
          eventId: EventId,
          type: Type.Literal('hydration'),
          features: Type.Array(ClientFeature),
          segments: Type.Array(ClientSegment),
        }),
        Type.Object({ eventId: EventId, type: Type.Literal('feature-updated'), feature: ClientFeature }),
        Type.Object({
          eventId: EventId,
          type: Type.Literal('feature-removed'),
          featureName: Type.String(),
          project: Type.String(),
        }),
        Type.Object({ eventId: EventId, type: Type.Literal('segment-updated'), segment: ClientSegment }),
        Type.Object({
          eventId: EventId,
          type: Type.Literal('segment-removed'),
          segmentId: Type.Integer({ description: 'Id of a segment that no flag of the list uses any more' }),
        }),
      ]),
      { description: 'SDKs apply the events in this order' },
    ),
  },
  { $id: 'clientDelta' },
);

export const ClientFeatureList = Type.Object(
  {
    version: Type.Integer({
      description: 'Version of the format: 2 for callers of client specification 4.2.0 or newer, otherwise 1',
    }),
    features: Type.Array(ClientFeature),
    segments: Type.Optional(Type.Array(ClientSegment)),
    query: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    meta: Type.Optional(Type.Object({ revisionId: Type.Integer(), etag: Type.String(), queryHash: Type.String() })),
  },
  { $id: 'clientFeatures' },
);
