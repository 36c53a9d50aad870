import { bodyOf, preparedAnswer } from '../../../base/prepared-answer.ts';
import { BROWSER_HEADERS } from '../../../http/browser-headers.ts';
import { OPEN_HEADERS } from '../../../http/caching.ts';
import { prepared } from '../../endpoint.ts';
import { LINK_PAGE_POLICY, type LinkPage, linkPageText } from './page.ts';

/** The page of a link. `path` must be the path that the code that creates the links uses. */
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
    summary: 'The page of an invitation link: the user chooses a password',
    page: {
      title: 'Choose a password',
      action: 'Set the password',
      successMessage: 'Welcome: the password is set.',
      isSignup: false,
    },
  },
  {
    operationId: 'getResetPasswordPage',
    path: '/reset-password',
    summary: 'The page of a password reset link',
    page: {
      title: 'Choose a new password',
      action: 'Set the password',
      successMessage: 'The password is set, and you are signed out everywhere.',
      isSignup: false,
    },
  },
  {
    operationId: 'getSignupPage',
    path: '/signup',
    summary: 'The page of a public signup link: the user creates an account',
    page: {
      title: 'Make an account',
      action: 'Make the account',
      successMessage: 'Welcome: there is an account with this password.',
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
 * The pages of links that admins hand out. The pages call the operations under `/auth/reset` and `/invite`. The link's token is in the query of the
 * address; this route does not read, log or forward it.
 */
export const linkPageEndpoints = ROUTES.map(({ operationId, path, summary, page }) => {
  const answer = preparedAnswer(200, HEADERS, bodyOf(Buffer.from(linkPageText(page))));
  return prepared(`GET ${path}`, operationId, {
    tag: 'Auth',
    access: { permission: 'NONE' },
    summary,
    responses: { 200: { description: 'The page', contentType: 'text/html' } },
    errors: [],
    serve: () => answer,
  });
});
