import { createHash } from 'node:crypto';
import { EMAIL_LENGTH_MAX } from '../../../model/user.ts';
import { PASSWORD_LENGTH_MAX, passwordProblems } from '../passwords/password.ts';
import { LINK_PAGE_SCRIPT } from './script.ts';

/** The texts and properties in which the pages of links differ. */
export interface LinkPage {
  readonly title: string;
  /** Label of the button. */
  readonly action: string;
  /** The message after success. The script appends a sentence in which "it" means the password, so the message must mention the password. */
  readonly successMessage: string;
  /** Whether users enter their email and name on the page. The links of the other pages belong to a known user. */
  readonly isSignup: boolean;
}

const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 10vh auto 0; padding: 0 1rem; }
label { display: block; margin-top: 1rem; }
label input { display: block; box-sizing: border-box; width: 100%; font: inherit; padding: 0.4rem; }
label.beside input { display: inline; width: auto; }
button { font: inherit; margin-top: 1rem; padding: 0.4rem 1rem; }
#problems { color: light-dark(#a40000, #ff9d9d); }
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page loads nothing and runs only its own script. Only that script sends requests, and only to this service. */
export const LINK_PAGE_POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(LINK_PAGE_SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The script fills in the email of the link's user. Password managers store the email with the password. */
const KNOWN_PERSON = '<label>For <input id="email" autocomplete="username" readonly></label>';

const NEW_PERSON = `<label>Email <input id="email" type="email" autocomplete="username" maxlength="${EMAIL_LENGTH_MAX}" required></label>
<label>Name (may be left empty) <input id="name" autocomplete="name"></label>`;

const passwordInput = (id: string) =>
  `<input id="${id}" type="password" autocomplete="new-password" aria-describedby="rules" maxlength="${PASSWORD_LENGTH_MAX}" required>`;

/** The password rules, with the same texts as the errors. */
const RULES = passwordProblems('')
  .map((rule) => `<li>${rule}</li>`)
  .join('\n');

/** The whole page. It is the same for every user: the script asks the service for the user of the link. */
export function linkPageText({ title, action, successMessage, isSignup }: LinkPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – Burgee</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<noscript><p>This page needs JavaScript.</p></noscript>
<p id="message" role="status"></p>
<form id="form" method="post" data-page="${isSignup ? 'signup' : 'password'}" data-done="${successMessage}" hidden>
${isSignup ? NEW_PERSON : KNOWN_PERSON}
<label>Password ${passwordInput('password')}</label>
<label>The same password again ${passwordInput('again')}</label>
<label class="beside"><input id="show" type="checkbox"> Show what I type</label>
<ul id="rules">
${RULES}
</ul>
<ul id="problems" role="alert"></ul>
<button id="button">${action}</button>
</form>
<p id="next" hidden>You manage flags over HTTP. On <a id="docs" href="docs">the page of the API</a>, sign on with <code>login</code> (under Auth).
Then you can try all operations that your role allows, for example create a personal token for scripts.</p>
</main>
<script>${LINK_PAGE_SCRIPT}</script>
</body>
</html>
`;
}
