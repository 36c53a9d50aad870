import Type, { type Static, type TSchema } from 'typebox';
import { MapOf, Nullable } from '../../model/primitives.ts';

/** A property that a source may omit or set to null. */
function Lax<S extends TSchema>(schema: S) {
  return Type.Optional(Nullable(schema));
}

const Text = Type.String({ maxLength: 1_000_000 });
const Name = Type.String({ minLength: 1, maxLength: 1_000 });

/** Unknown operators are kept: an SDK may know them. */
export const SourceConstraint = Type.Object({
  contextName: Type.String(),
  operator: Type.String(),
  caseInsensitive: Lax(Type.Boolean()),
  inverted: Lax(Type.Boolean()),
  values: Lax(Type.Array(Text)),
  value: Lax(Text),
});
export type SourceConstraint = Static<typeof SourceConstraint>;

const SourcePayload = Type.Object({ type: Type.String(), value: Text });

export const SourceVariant = Type.Object({
  name: Name,
  weight: Type.Number({ minimum: 0 }),
  weightType: Lax(Type.String()),
  stickiness: Lax(Type.String()),
  payload: Lax(SourcePayload),
  overrides: Lax(Type.Array(Type.Object({ contextName: Type.String(), values: Type.Array(Text) }))),
});
export type SourceVariant = Static<typeof SourceVariant>;

const SourceStrategy = Type.Object({
  name: Name,
  parameters: Lax(MapOf(Nullable(Type.Union([Text, Type.Number(), Type.Boolean()])))),
  constraints: Lax(Type.Array(SourceConstraint)),
  segments: Lax(Type.Array(Type.Integer())),
  variants: Lax(Type.Array(SourceVariant)),
});
export type SourceStrategy = Static<typeof SourceStrategy>;

/** A flag in the form of the client API's lists. */
export const SourceFlag = Type.Object({
  name: Name,
  type: Lax(Type.String()),
  enabled: Type.Boolean(),
  project: Lax(Name),
  stale: Lax(Type.Boolean()),
  description: Lax(Text),
  impressionData: Lax(Type.Boolean()),
  strategies: Lax(Type.Array(SourceStrategy)),
  variants: Lax(Type.Array(SourceVariant)),
  dependencies: Lax(
    Type.Array(Type.Object({ feature: Name, enabled: Lax(Type.Boolean()), variants: Lax(Type.Array(Type.String())) })),
  ),
});
export type SourceFlag = Static<typeof SourceFlag>;

/** A segment in the form of the client API's lists of version 2. */
export const SourceSegment = Type.Object({
  id: Type.Integer(),
  name: Lax(Type.String()),
  constraints: Lax(Type.Array(SourceConstraint)),
});
export type SourceSegment = Static<typeof SourceSegment>;

/** The content of a scope, or a change of it, as a source sends it. */
export const SourceScope = Type.Object({
  environment: Name,
  projects: Type.Array(Name, { description: '`*` for all projects' }),
  etag: Nullable(Type.String({ description: 'The ETag with which the source identifies this content' })),
  features: Type.Array(SourceFlag),
  segments: Type.Array(SourceSegment, {
    description: 'The segments that strategies of these flags name; other segments are allowed',
  }),
  removed: Nullable(
    Type.Array(Name, {
      description:
        'Null: `features` has all flags of the scope, and missing flags are removed. A list: `features` has only changed flags, and the flags in the list are removed',
    }),
  ),
  removedSegments: Type.Optional(
    Type.Array(Type.Integer(), {
      description: 'With a list in `removed`: ids of segments that are removed if no flag names them',
    }),
  ),
});
export type SourceScope = Static<typeof SourceScope>;

/** A scope that is no longer requested from the source. */
export const ForgottenScope = Type.Object({
  environment: Name,
  projects: Type.Array(Name),
  kept: Type.Array(Name, {
    description: 'The projects of the scope that are still requested: they become a scope of their own',
  }),
});
export type ForgottenScope = Static<typeof ForgottenScope>;

export const MirrorInput = Type.Object({
  scopes: Type.Array(SourceScope, { description: 'The scopes become visible together' }),
  forgotten: Type.Optional(
    Type.Array(ForgottenScope, { description: 'Flags of these scopes that no other scope contains are removed' }),
  ),
});
