import Type from 'typebox';
import { Nullable } from '../../model/primitives.ts';

/** Maximum length of a revision of the index: a commit number, a mark and a key. */
const REVISION_CHARS_MAX = 64;

export const FlagIndexQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      maxLength: REVISION_CHARS_MAX,
      description: 'The `burgee-index-revision` of an earlier answer: only what is different since then',
    }),
  ),
  fields: Type.Optional(
    Type.Enum(['fingerprints', 'details'], {
      description:
        'Adds columns: the fingerprints of the settings in each environment; or the details, which are the times of creation, tags and descriptions',
    }),
  ),
});

const perFlag = (description: string) => Type.String({ description: `One character for each flag: ${description}` });

const FlagIndexBlock = Type.Object(
  {
    names: Type.String({
      description:
        'The names of the flags, separated by spaces, each without the characters that it shares with the name before it',
    }),
    shared: perFlag(
      'the code of the digit 0, plus the number of characters that its name shares with the name before it',
    ),
    projects: Type.Array(Type.Array(Type.Unknown(), { minItems: 2, maxItems: 2 }), {
      description: 'Pairs of a project and the number of consecutive flags that it contains',
    }),
    types: perFlag('the index of its type in `types`'),
    marks: perFlag('1 if it is stale, plus 2 if it is archived'),
    states: Type.Array(
      perFlag('1 if it is on, plus 2 if it has strategies; `-` if its project does not have the environment'),
      { description: 'One text for each environment' },
    ),
    changedFrom: Type.Integer({ description: 'Start time of `changed`, in minutes since 1970' }),
    changed: Type.Array(perFlag('a digit in base 64'), {
      description:
        'When each flag was changed last, in minutes after `changedFrom`: the digits of one place, the highest place first. The digits are `A` to `Z`, ' +
        '`a` to `z`, `0` to `9`, `-`, `_`',
    }),
    fingerprints: Type.Optional(
      Type.Array(Type.Array(Type.String()), {
        description:
          'For each environment, a fingerprint for each flag. Equal strategies and variants have equal fingerprints; empty: there are none',
      }),
    ),
    createdFrom: Type.Optional(
      Type.Integer({ description: 'With `details`: start time of `created`, in milliseconds since 1970' }),
    ),
    created: Type.Optional(
      Type.Array(perFlag('a digit in base 64'), {
        description: 'When each flag was created, in milliseconds after `createdFrom`: digits, as in `changed`',
      }),
    ),
    tagSets: Type.Optional(
      Type.Array(Type.Array(Type.String()), {
        description: 'The lists of tags that flags have, each tag as `type:value`',
      }),
    ),
    tags: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0 }), { description: 'For each flag, the index of its tags in `tagSets`' }),
    ),
    descriptions: Type.Optional(
      Type.Array(Type.String(), { description: 'For each flag, its description; empty: there is none' }),
    ),
  },
  { $id: 'flagIndexBlock' },
);

export const FlagIndexSchema = Type.Object(
  {
    isWhole: Type.Boolean({
      description: 'Whether the answer contains all flags. Otherwise it contains those that changed',
    }),
    environments: Type.Array(Type.String(), { description: 'The names of all environments' }),
    types: Type.Array(Type.String(), { description: 'The types of flags' }),
    lifetimes: Type.Optional(
      Type.Array(Nullable(Type.Number()), {
        description:
          'With `details`: for how many days flags of each type are expected to be needed; null: without an end',
      }),
    ),
    removed: Type.Array(Type.String(), {
      description: 'Names of flags that the caller no longer sees; empty if `isWhole`',
    }),
    blocks: Type.Array(FlagIndexBlock, { description: 'The flags, by column' }),
    favorites: Type.Array(Type.String(), {
      description: 'The names of all flags that the caller marked as favourites',
    }),
  },
  { $id: 'flagIndex' },
);
