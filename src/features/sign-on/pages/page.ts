import { createHash } from 'node:crypto';
import { EMAIL_LENGTH_MAX } from '../../../model/user.ts';
import { PASSWORD_LENGTH_MAX, passwordProblems } from '../../people/passwords/password.ts';
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

/** The look of the console, whose style sheet this page does not load. */
const STYLE = `:root { color-scheme: light dark; font: 14px/20px system-ui, sans-serif; color: light-dark(#1a1d24, #eceef1); background: light-dark(#f9fafc, #111318); }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 16px; box-sizing: border-box; }
main { box-sizing: border-box; width: 100%; max-width: 400px; padding: 24px; background: light-dark(#fff, #191c21); border: 1px solid light-dark(#e3e5e8, #2c3036); border-radius: 10px; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 28px; letter-spacing: -0.01em; }
label { display: block; margin-top: 16px; font-size: 13px; font-weight: 500; }
label input { display: block; box-sizing: border-box; width: 100%; min-height: 32px; margin-top: 4px; padding: 5px 10px; font: 14px/20px system-ui, sans-serif; color: inherit; background: light-dark(#fff, #111318); border: 1px solid light-dark(#82868e, #757a83); border-radius: 6px; }
label input[readonly] { color: light-dark(#555a63, #a9adb5); background: none; border-color: transparent; padding-inline: 0; }
label.beside { display: flex; gap: 8px; align-items: center; font-weight: 400; }
label.beside input { width: 16px; min-height: 24px; margin: 0; }
ul { margin: 12px 0 0; padding-inline-start: 18px; color: light-dark(#555a63, #a9adb5); font-size: 13px; }
button, .open { display: inline-block; min-height: 32px; margin-top: 16px; padding: 5px 14px; font: 500 14px/20px system-ui, sans-serif; color: light-dark(#fff, #15181d); background: light-dark(#20242c, #eceef1); border: 1px solid transparent; border-radius: 6px; text-decoration: none; cursor: pointer; }
:focus-visible { outline: 2px solid light-dark(#1d5fd0, #7fb0ff); outline-offset: 2px; }
[hidden] { display: none; }
#message:empty { display: none; }
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
<div role="alert"><ul id="problems"></ul></div>
<button id="button">${action}</button>
</form>
<p id="next" hidden><a id="open" class="open" href=".">Sign on to Burgee</a></p>
</main>
<script>${LINK_PAGE_SCRIPT}</script>
</body>
</html>
`;
}
