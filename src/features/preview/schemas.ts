import Type, { type Static, type TSchema } from 'typebox';
import { CHANGE_ACTIONS } from '../../model/change-request.ts';
import { SdkContext } from '../../model/context.ts';
import { NameReference, Nullable } from '../../model/primitives.ts';
import { UnsavedChanges } from '../change-requests/unsaved-changes.ts';
import { RULE_MEASURES } from '../flags/rule-measures.ts';
import { TriedUndo } from '../history/schemas.ts';
import { Evaluation } from '../playground/schemas.ts';
import { PREVIEW_LIMITS } from './limits.ts';

const withDescription = <T extends object>(schema: T, description: string): T => ({ ...schema, description });

const FieldName = Type.String({ minLength: 1, maxLength: 100 });

/** The contexts: every combination of the three parts. */
export const PreviewContexts = Type.Object(
  {
    given: Type.Optional(
      Type.Array(SdkContext, {
        minItems: 1,
        maxItems: PREVIEW_LIMITS.previewContexts.max,
        description: 'Contexts as SDKs send them. Default, without `sets`: one context without fields',
      }),
    ),
    sets: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        maxItems: PREVIEW_LIMITS.previewContextSets.max,
        uniqueItems: true,
        description:
          'Ids of saved context sets that the caller may read (docs/use/personal-data.md). Their contexts are added to `given`',
      }),
    ),
    legalValuesOf: Type.Optional(
      Type.Array(FieldName, {
        maxItems: PREVIEW_LIMITS.previewFields.max,
        uniqueItems: true,
        description: 'Names of context fields. Each context is repeated with every combination of their legal values',
      }),
    ),
    madeUp: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({
            minimum: 1,
            maximum: PREVIEW_LIMITS.previewContexts.max,
            description: 'Number of ids',
          }),
          field: Type.Optional(withDescription({ ...FieldName, default: 'userId' }, 'The field that gets the ids')),
        },
        { description: 'Made-up ids. Each context is repeated with every id' },
      ),
    ),
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 32 - 1,
        default: 1,
        description:
          'Decides the made-up ids, and the random number of each context. The same seed gives the same result',
      }),
    ),
  },
  {
    description:
      'The contexts: every combination of `given` with `sets`, `legalValuesOf` and `madeUp`. Default: 1,000 made-up values of `userId`',
  },
);

export const PreviewBody = Type.Object(
  {
    project: Type.Optional(withDescription(NameReference, 'Id of the project of the changes')),
    environment: Type.Optional(
      withDescription(NameReference, 'Environment of the changes, in which the contexts are evaluated'),
    ),
    changes: Type.Optional(UnsavedChanges),
    changeRequest: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Id of an open change request, instead of `changes`' }),
    ),
    undo: Type.Optional(
      withDescription(TriedUndo, 'An undo, instead of `changes`: as POST /api/admin/history/:revision/undo makes it'),
    ),
    features: Type.Optional(
      Type.Array(NameReference, {
        maxItems: PREVIEW_LIMITS.previewFlags.max,
        description: 'Only these flags are compared. Default: all flags that the changes can affect',
      }),
    ),
    contexts: Type.Optional(PreviewContexts),
    examples: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: PREVIEW_LIMITS.previewExamples.max,
        default: 3,
        description: 'Maximum number of examples of each kind for each flag',
      }),
    ),
  },
  { $id: 'preview' },
);
export type PreviewRequest = Static<typeof PreviewBody>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

const Counts = Type.Object({
  offToOn: count('Contexts for which the flag is off before and on after the changes'),
  onToOff: count('Contexts for which the flag is on before and off after the changes'),
  otherVariant: count('Contexts for which the flag stays on and gets another variant or another payload'),
  unchanged: count('Contexts with the same result before and after the changes'),
});

const Result = Nullable(
  Type.Object(Evaluation, { description: 'The result with its reasons; null if SDKs do not get the flag' }),
);

const Example = Type.Object({
  kind: Type.Enum(['offToOn', 'onToOff', 'otherVariant', 'unchanged'], { description: 'Kind of the difference' }),
  context: SdkContext,
  before: Result,
  after: Result,
});

const measure = (description: string): TSchema =>
  Type.Object(
    {
      before: Nullable(Type.Number({ description: 'The value before the changes; null without the flag' })),
      after: Nullable(Type.Number({ description: 'The value after the changes; null without the flag' })),
      limit: Type.Number({ description: 'The maximum value' }),
    },
    { description },
  );

const Measures = Type.Object({
  evaluationCost: measure(RULE_MEASURES.evaluationCost),
  expressionCost: measure(RULE_MEASURES.expressionCost),
  featureBytes: measure(RULE_MEASURES.featureBytes),
  storedFeatureBytes: measure(RULE_MEASURES.storedFeatureBytes),
});

const PreviewedFlag = Type.Object(
  {
    name: Type.String({ description: 'Name of the flag' }),
    project: Type.String({ description: 'Id of its project' }),
    reason: Type.Enum(['changed', 'segment', 'parent'], {
      description: 'Whether the flag itself is changed, a segment that it uses, or a flag that it depends on',
    }),
    counts: withDescription(Counts, 'Number of contexts by difference'),
    staysOn: count('Number of `unchanged` contexts for which the flag is on, before and after'),
    examples: Type.Array(Example, { description: 'The first contexts of each kind' }),
    measures: withDescription(Measures, 'What the rules of the flag cost and weigh, beside the limits'),
    warnings: Type.Array(
      Type.Object({
        strategyId: Nullable(Type.String({ description: 'Id of the strategy; null for a dependency' })),
        message: Type.String({ description: 'A part of the rules that can never be true, and the reason' }),
      }),
      { description: 'Problems of the rules after the changes, such as missing segments and unknown strategies' },
    ),
  },
  { $id: 'previewedFlag' },
);

export const PreviewResponse = Type.Object(
  {
    revision: Type.Integer({ description: 'The revision on which the changes were tried' }),
    contexts: Type.Integer({ description: 'Number of contexts that were evaluated' }),
    changes: Type.Array(
      Type.Object({
        action: Type.Enum([...CHANGE_ACTIONS, 'undo'], { description: 'What the change does; `undo` is a whole undo' }),
        feature: Nullable(
          Type.String({ description: 'The changed flag; null if a segment is changed, or for an undo' }),
        ),
        needsChangeRequest: Type.Boolean({ description: 'Whether the change needs a change request' }),
        reason: Nullable(Type.String({ description: 'Why it needs a change request; null if it does not' })),
        review: Nullable(
          Type.Object(
            {
              project: Type.String({ description: 'Id of the project' }),
              environment: Type.String({ description: 'Name of the environment' }),
            },
            { description: 'Where the change request belongs; null if the change needs none' },
          ),
        ),
      }),
      { description: 'The changes, in order' },
    ),
    flags: Type.Array(PreviewedFlag, {
      description: 'The flags that the changes can affect and the caller may see, by name',
    }),
    examplesLeftOut: Type.Integer({
      description: 'Number of examples that are left out because the answer would be too long',
    }),
  },
  { $id: 'previewResponse' },
);
