import Type, { type Static, type TSchema } from 'typebox';
import { MODEL_LIMITS } from './limits.ts';

/**
 * RFC 3339 date-time, UTC, millisecond precision when Burgee writes it. The pattern keeps out what the format allows but `Date` cannot
 * read: leap seconds and RFC 9557 suffixes, as in `…Z[Europe/Paris]`; and what would be in a year that the format does not have: offsets on its
 * first and its last day. A time that is not a number would never come.
 */
export const DateTime = Type.String({
  format: 'date-time',
  maxLength: 64,
  pattern: '^(?!(?:0000-01-01|9999-12-31).*[+-]\\d\\d:\\d\\d$)[^\\[]*:[0-5]\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)$',
});

/** An object with any keys, all values of one kind. Unlike TypeBox's `Record`, it also looks at keys that hold a line break. */
export const MapOf = <T extends TSchema>(
  value: T,
  options: { readonly description?: string; readonly maxProperties?: number } = {},
) => Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value, ...options });

/** A JSON value that may be null. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Longest name of anything: flags, projects, environments, segments, tokens. Characters. */
export const NAME_LENGTH_MAX = 100;

/** The characters that `encodeURIComponent` leaves as they are, for a class in a regular expression. Unleash takes the same ones. */
export const URL_SAFE_CHARACTERS = "A-Za-z0-9_.!~*'()-";

const URL_SAFE = `URL-safe: letters, digits and any of - . _ ~ ! * ' ( ); at most ${NAME_LENGTH_MAX} characters`;

/**
 * A name that travels in URLs as itself, as Unleash asks of flags, projects, environments, context fields, tag types and strategies.
 * `.` and `..` are refused: a URL library would resolve them away.
 */
export const UrlSafeName = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: `^(?!\\.{1,2}$)[${URL_SAFE_CHARACTERS}]+$`,
  description: URL_SAFE,
});

/** The id of a project or the name of an environment: `*` is none, because in tokens and filters it means all of them. */
export const ScopeName = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: `^(?!(?:\\.{1,2}|\\*)$)[${URL_SAFE_CHARACTERS}]+$`,
  description: `${URL_SAFE}; not *, which means all`,
});

/** The name of something that may or may not exist. */
export const NameReference = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });

const SORT_ORDER_MIN = -2_147_483_648;
export const SORT_ORDER_MAX = 2_147_483_647;

/** Where something stands among others of its kind: lower comes first. Bounded, so that there is always a number behind another. */
export const SortOrder = Type.Integer({ minimum: SORT_ORDER_MIN, maximum: SORT_ORDER_MAX });

/** As `SortOrder`; between two strategies there may be a fraction. */
export const StrategySortOrder = Type.Number({ minimum: SORT_ORDER_MIN, maximum: SORT_ORDER_MAX });

/** Free text shown to people. */
export const Text = Type.String({ maxLength: MODEL_LIMITS.textLength.max });

/** Who did something: `id` is a user's id, or one of the system ids below. */
export interface Author {
  readonly id: number;
  readonly name: string;
}

/** Ids that are no user's: what the service itself does, and what an admin token without a user does. Unleash's users know both. */
export const SYSTEM_USER_ID = -1337;
export const ADMIN_TOKEN_USER_ID = -42;
