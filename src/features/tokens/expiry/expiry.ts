import type { ApiToken } from '../../../model/api-token.ts';

const DAY_MS = 86_400_000;

/** The days before the expiry of a token at which Burgee warns, the largest first. */
export const WARNING_DAYS = [7, 1] as const;

/** The times of a token that decide about a warning. */
type Times = Pick<ApiToken, 'createdAt' | 'expiresAt' | 'seenAt'>;

/**
 * The smallest number of warning days that a token has reached; undefined if no warning is due. A token that was never used gets no warning, because
 * nothing depends on it. Neither does one that has expired, or one that was created for no longer than the warning days.
 */
export function warningDays({ createdAt, expiresAt, seenAt }: Times, nowMs: number): number | undefined {
  if (expiresAt === null || seenAt === null) return undefined;
  const expiresMs = Date.parse(expiresAt);
  if (expiresMs <= nowMs) return undefined;
  const lifetimeMs = expiresMs - Date.parse(createdAt);
  return WARNING_DAYS.findLast((days) => expiresMs - nowMs <= days * DAY_MS && lifetimeMs > days * DAY_MS);
}

/** The warning days whose event is not recorded yet; undefined if nothing is to be recorded. */
export function dueDays(token: ApiToken, nowMs: number): number | undefined {
  const days = warningDays(token, nowMs);
  const { expiryWarning, expiresAt } = token;
  const isRecorded = expiryWarning?.expiresAt === expiresAt && expiryWarning.days <= (days ?? 0);
  return isRecorded ? undefined : days;
}
