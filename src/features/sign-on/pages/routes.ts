import { bodyOf, preparedAnswer } from '../../../base/prepared-answer.ts';
import { BROWSER_HEADERS } from '../../../http/browser-headers.ts';
import { OPEN_HEADERS } from '../../../http/caching.ts';
import { prepared } from '../../endpoint.ts';
import { LINK_PAGE_POLICY, type LinkPage, linkPageText } from './page.ts';

/** Where a link leads, and what is there. `addressOf` and what makes the links say the paths. */
interface LinkRoute {
  readonly operationId: string;
  readonly path: string;
  readonly summary: string;
  readonly page: LinkPage;
}

const ROUTES: readonly LinkRoute[] = [
  {
    operationId: 'getInvitationPage',
    path: '/new-user',
    summary: 'The page to which an invitation leads: whoever opens it chooses a password',
    page: {
      title: 'Choose a password',
      action: 'Set the password',
      done: 'Welcome: the password is set.',
      isSignup: false,
    },
  },
  {
    operationId: 'getResetPasswordPage',
    path: '/reset-password',
    summary: 'The page to which a link for a new password leads',
    page: {
      title: 'Choose a new password',
      action: 'Set the password',
      done: 'The password is set, and wherever you were signed on you are no longer.',
      isSignup: false,
    },
  },
  {
    operationId: 'getSignupPage',
    path: '/signup',
    summary: 'The page to which a public signup link leads: whoever opens it makes an account of their own',
    page: {
      title: 'Make an account',
      action: 'Make the account',
      done: 'Welcome: there is an account with this password.',
      isSignup: true,
    },
  },
];

const HEADERS = {
  ...BROWSER_HEADERS,
  ...OPEN_HEADERS,
  'content-security-policy': LINK_PAGE_POLICY,
  'content-type': 'text/html; charset=utf-8',
};

/**
 * The pages behind links that admins hand out. What they do is done by the operations under `/auth/reset` and `/invite`; the link's token is in the
 * address, which nobody here looks at, logs, or passes on.
 */
export const linkPageEndpoints = ROUTES.map(({ operationId, path, summary, page }) => {
  const answer = preparedAnswer(200, HEADERS, bodyOf(Buffer.from(linkPageText(page))));
  return prepared({
    operationId,
    method: 'get',
    path,
    tag: 'Auth',
    access: { permission: 'NONE' },
    summary,
    responses: { 200: { description: 'The page', contentType: 'text/html' } },
    errors: [],
    serve: () => answer,
  });
});
