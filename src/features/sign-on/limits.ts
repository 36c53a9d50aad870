import { fixed, limit } from '../../model/limits.ts';

export const SIGN_ON_LIMITS = {
  signupTokens: limit('public signup links', 100, 1_000, 'SIGNUP_TOKENS_LIMIT', { counts: 'signupTokens' }),
  usersOfSignupToken: fixed('users who signed up with one public signup link', 1_000),
  sessionsOfUser: limit(
    'sessions of a user at the same time (beyond them, the oldest one ends)',
    50,
    1_000,
    'MAX_PARALLEL_SESSIONS',
  ),
};
