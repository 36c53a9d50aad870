import Type, { type Static, type TSchema } from 'typebox';
import { MODEL_LIMITS } from './limits.ts';

/**
 * An RFC 3339 date-time. Burgee writes it in UTC, with milliseconds. The pattern refuses texts that the format allows but `Date` cannot read: leap
 * seconds and RFC 9557 suffixes, as in `…Z[Europe/Paris]`. It also refuses offsets on the first and on the last day of the format, because they would
 * give a year outside of the format. Such a time would be NaN, and every comparison with it would be false.
 */
export const DateTime = Type.String({
  format: 'date-time',
  maxLength: 64,
  pattern: '^(?!(?:0000-01-01|9999-12-31).*[+-]\\d\\d:\\d\\d$)[^\\[]*:[0-5]\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)$',
});

/** An object with any keys, all values of one type. Unlike TypeBox's `Record`, it also checks keys that contain a line break. */
export const MapOf = <T extends TSchema>(
  value: T,
  options: { readonly description?: string; readonly maxProperties?: number } = {},
) => Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value, ...options });

/** A JSON value that may be null. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Maximum length of every name (flags, projects, environments, segments, tokens), in characters. */
export const NAME_LENGTH_MAX = 100;

/** The characters that `encodeURIComponent` does not escape, for a class in a regular expression. Unleash accepts the same ones. */
export const URL_SAFE_CHARACTERS = "A-Za-z0-9_.!~*'()-";

const URL_SAFE = `URL-safe: letters, digits and any of - . _ ~ ! * ' ( ); at most ${NAME_LENGTH_MAX} characters`;

/**
 * A name that needs no escaping in URLs, as Unleash requires for flags, projects, environments, context fields, tag types and strategies.
 * `.` and `..` are refused: a URL library would remove them as relative path segments.
 */
export const UrlSafeName = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: `^(?!\\.{1,2}$)[${URL_SAFE_CHARACTERS}]+$`,
  description: URL_SAFE,
});

/** The id of a project or the name of an environment: `*` is refused, because in tokens and filters it means all. */
export const ScopeName = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: `^(?!(?:\\.{1,2}|\\*)$)[${URL_SAFE_CHARACTERS}]+$`,
  description: `${URL_SAFE}; not *, which means all`,
});

/** The name of an object that possibly does not exist. */
export const NameReference = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });

const SORT_ORDER_MIN = -2_147_483_648;
export const SORT_ORDER_MAX = 2_147_483_647;

/** Position in a list: lower comes first. The bounds leave room for a higher number, which a new last item gets. */
export const SortOrder = Type.Integer({ minimum: SORT_ORDER_MIN, maximum: SORT_ORDER_MAX });

/** Same as `SortOrder`, but fractions are allowed, to insert a strategy between two others. */
export const StrategySortOrder = Type.Number({ minimum: SORT_ORDER_MIN, maximum: SORT_ORDER_MAX });

/** The stored form of a secret: its hash (model/token-secret.ts). */
export const HashedSecret = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' });

/** Free text shown to people. */
export const Text = Type.String({ maxLength: MODEL_LIMITS.textLength.max });

/** The author of a change: `id` is a user's id, or one of the two ids below. */
export interface Author {
  readonly id: number;
  readonly name: string;
}

/** Author ids that belong to no user: the service itself, and an admin token without a user. Unleash uses the same ids. */
export const SYSTEM_USER_ID = -1337;
export const ADMIN_TOKEN_USER_ID = -42;
