/**
 * The browser script of the page of a link, as text. It checks the link and sends the form, with public operations of the API. Their URLs are
 * relative to the page, so that a base path, a proxy or a trailing slash does not matter. Texts from the service are shown as text, never as markup.
 * The link's token is removed from the address after it is used; until then it stays, so that a reload works.
 */
export const LINK_PAGE_SCRIPT = `'use strict';
{
  const byId = (id) => document.getElementById(id);
  const [form, message, problems, button] = ['form', 'message', 'problems', 'button'].map(byId);
  const [email, password, again] = ['email', 'password', 'again'].map(byId);
  const isSignup = form.dataset.page === 'signup';
  const token = new URLSearchParams(location.search).get(isSignup ? 'invite' : 'token') || '';
  const inPath = encodeURIComponent(token);
  const folder = location.pathname.replace(/[^/]+[/]?$/, '');
  let signsOnAs;

  /** Shows the problems and hides the rules, because the problems repeat some of the rules. */
  const showProblems = (texts) => {
    byId('rules').hidden = texts.length > 0;
    problems.replaceChildren(...texts.map((text) => {
      const item = document.createElement('li');
      item.textContent = text;
      return item;
    }));
  };

  /** The body of the response, or the problems. */
  const ask = async (address, body) => {
    const sent = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    let answer, text;
    try {
      answer = await fetch(folder + address, { ...sent, credentials: 'omit', cache: 'no-store' });
      text = await answer.text();
    } catch {
      return { problems: ['The service does not answer. Try again in a moment.'] };
    }
    let content = {};
    try {
      content = JSON.parse(text);
    } catch {}
    if (answer.ok) return { content };
    const details = (content.details || []).map((detail) => detail.message);
    const fallback = content.message || 'The service answered ' + answer.status + '. Try again in a moment.';
    return { problems: details.length > 0 ? [...new Set(details)] : [fallback] };
  };

  const checkLink = () => ask(isSignup ? 'invite/' + inPath + '/validate' : 'auth/reset/validate?token=' + inPath);

  const useLink = () => {
    if (!isSignup) return ask('auth/reset/password', { token, password: password.value });
    const name = byId('name').value.trim();
    signsOnAs = email.value.trim();
    const person = { email: signsOnAs, password: password.value };
    return ask('invite/' + inPath + '/signup', name === '' ? person : { ...person, name });
  };

  const open = async () => {
    if (token === '') {
      message.textContent = 'This link is incomplete: its token is missing. Open the whole link that you received.';
      return;
    }
    const { content, problems } = await checkLink();
    if (problems) {
      message.textContent = problems.join(' ');
      return;
    }
    if (!isSignup) {
      email.value = content.email || content.name || 'user ' + content.id;
      signsOnAs = content.email || 'your username';
    }
    message.textContent = '';
    form.hidden = false;
  };

  const submit = async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    if (password.value !== again.value) {
      showProblems(['The two passwords are not the same.']);
      again.focus();
      return;
    }
    button.disabled = true;
    showProblems([]);
    const { problems } = await useLink();
    button.disabled = false;
    if (problems) {
      showProblems(problems);
      password.focus();
      return;
    }
    history.replaceState(null, '', location.pathname);
    message.textContent = form.dataset.done + ' You sign on with it and ' + signsOnAs + '.';
    form.remove();
    byId('next').hidden = false;
  };

  byId('open').href = folder;
  byId('show').addEventListener('change', (event) => {
    password.type = again.type = event.target.checked ? 'text' : 'password';
  });
  form.addEventListener('submit', submit);
  open();
}
`;
