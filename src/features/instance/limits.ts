import { fixed, limit } from '../../model/limits.ts';

export const INSTANCE_LIMITS = {
  banners: limit('banners', 100, 1_000, 'BANNERS_LIMIT', { counts: 'banners' }),
  splashesOfUser: fixed('splash screens that one user has seen', 200, {
    counts: 'seenSplashes',
    ofUser: 'seenSplashesByUser',
  }),
  feedbackOfUser: fixed('feedback questions of one user', 200, { counts: 'feedback', ofUser: 'feedbackByUser' }),
  frontendOrigins: fixed('origins whose pages may call the frontend API', 100),
  reportTokens: fixed('tokens in one request of a relay to validate tokens', 1_000),
};
