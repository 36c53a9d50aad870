import Type, { type Static, type TSchema } from 'typebox';
import { MapOf, Nullable } from '../../model/primitives.ts';

/** Sources may leave it out, or say null. */
function Lax<S extends TSchema>(schema: S) {
  return Type.Optional(Nullable(schema));
}

const Text = Type.String({ maxLength: 1_000_000 });
const Name = Type.String({ minLength: 1, maxLength: 1_000 });

/** Operators that are not known here are kept: an SDK may know them. */
export const ToldConstraint = Type.Object({
  contextName: Type.String(),
  operator: Type.String(),
  caseInsensitive: Lax(Type.Boolean()),
  inverted: Lax(Type.Boolean()),
  values: Lax(Type.Array(Text)),
  value: Lax(Text),
});
export type ToldConstraint = Static<typeof ToldConstraint>;

const ToldPayload = Type.Object({ type: Type.String(), value: Text });

export const ToldVariant = Type.Object({
  name: Name,
  weight: Type.Number({ minimum: 0 }),
  weightType: Lax(Type.String()),
  stickiness: Lax(Type.String()),
  payload: Lax(ToldPayload),
  overrides: Lax(Type.Array(Type.Object({ contextName: Type.String(), values: Type.Array(Text) }))),
});
export type ToldVariant = Static<typeof ToldVariant>;

const ToldStrategy = Type.Object({
  name: Name,
  parameters: Lax(MapOf(Nullable(Type.Union([Text, Type.Number(), Type.Boolean()])))),
  constraints: Lax(Type.Array(ToldConstraint)),
  segments: Lax(Type.Array(Type.Integer())),
  variants: Lax(Type.Array(ToldVariant)),
});
export type ToldStrategy = Static<typeof ToldStrategy>;

/** A flag as lists of the client API tell it. */
export const ToldFlag = Type.Object({
  name: Name,
  type: Lax(Type.String()),
  enabled: Type.Boolean(),
  project: Lax(Name),
  stale: Lax(Type.Boolean()),
  description: Lax(Text),
  impressionData: Lax(Type.Boolean()),
  strategies: Lax(Type.Array(ToldStrategy)),
  variants: Lax(Type.Array(ToldVariant)),
  dependencies: Lax(
    Type.Array(Type.Object({ feature: Name, enabled: Lax(Type.Boolean()), variants: Lax(Type.Array(Type.String())) })),
  ),
});
export type ToldFlag = Static<typeof ToldFlag>;

/** A segment as lists of version 2 tell it. */
export const ToldSegment = Type.Object({
  id: Type.Integer(),
  name: Lax(Type.String()),
  constraints: Lax(Type.Array(ToldConstraint)),
});
export type ToldSegment = Static<typeof ToldSegment>;

/** What a source says of a scope. */
export const ToldScope = Type.Object({
  environment: Name,
  projects: Type.Array(Name, { description: '`*` for all of them' }),
  etag: Nullable(Type.String({ description: 'What the source calls this content' })),
  features: Type.Array(ToldFlag),
  segments: Type.Array(ToldSegment, { description: 'Those that strategies of these flags name, and others may' }),
  removed: Nullable(
    Type.Array(Name, {
      description:
        'Null: the flags are all that there are, and what is not told is gone. Otherwise they are what has changed, and these are gone',
    }),
  ),
  removedSegments: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Of what has changed: gone, where no flag names them' }),
  ),
});
export type ToldScope = Static<typeof ToldScope>;

/** A scope that nobody asks the source for any more. */
export const ForgottenScope = Type.Object({
  environment: Name,
  projects: Type.Array(Name),
  kept: Type.Array(Name, {
    description: 'Those of its projects that somebody does ask for: a scope of their own from now on',
  }),
});
export type ForgottenScope = Static<typeof ForgottenScope>;

export const MirrorInput = Type.Object({
  scopes: Type.Array(ToldScope, { description: 'Become visible together' }),
  forgotten: Type.Optional(Type.Array(ForgottenScope, { description: 'What no other scope holds of them goes' })),
});
