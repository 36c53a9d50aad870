/**
 * What the page of a link does, as the browser's text: it asks about the link, and sends the form, with the operations that everybody has
 * (reset-password.ts, signup.ts). They are looked for beside the page, so that a base path, a proxy in front, or a slash behind the path changes nothing. What the service tells is shown as text,
 * never as markup. The link's token leaves the address once it is used up; until then a reload has to find it.
 */
export const LINK_PAGE_SCRIPT = `'use strict';
{
  const byId = (id) => document.getElementById(id);
  const [form, told, problems, button] = ['form', 'told', 'problems', 'button'].map(byId);
  const [email, password, again] = ['email', 'password', 'again'].map(byId);
  const isSignup = form.dataset.page === 'signup';
  const token = new URLSearchParams(location.search).get(isSignup ? 'invite' : 'token') || '';
  const inPath = encodeURIComponent(token);
  const beside = location.pathname.replace(/[^/]+[/]?$/, '');
  let signsOnAs;

  /** In place of the rules, of which they are some. */
  const showProblems = (texts) => {
    byId('rules').hidden = texts.length > 0;
    problems.replaceChildren(...texts.map((text) => {
      const item = document.createElement('li');
      item.textContent = text;
      return item;
    }));
  };

  /** What the service says, or, as problems, why it does not. */
  const ask = async (address, body) => {
    const sent = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    let answer, text;
    try {
      answer = await fetch(beside + address, { ...sent, credentials: 'omit', cache: 'no-store' });
      text = await answer.text();
    } catch {
      return { problems: ['The service does not answer. Try again in a moment.'] };
    }
    let said = {};
    try {
      said = JSON.parse(text);
    } catch {}
    if (answer.ok) return { said };
    const details = (said.details || []).map((detail) => detail.message);
    const otherwise = said.message || 'The service answered ' + answer.status + '. Try again in a moment.';
    return { problems: details.length > 0 ? [...new Set(details)] : [otherwise] };
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
      told.textContent = 'This link is not whole: nothing says whose it is. Open it as you were sent it.';
      return;
    }
    const { said, problems } = await checkLink();
    if (problems) {
      told.textContent = problems.join(' ');
      return;
    }
    if (!isSignup) {
      email.value = said.email || said.name || 'user ' + said.id;
      signsOnAs = said.email || 'your username';
    }
    told.textContent = '';
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
    told.textContent = form.dataset.done + ' You sign on with it and ' + signsOnAs + '.';
    form.remove();
    byId('next').hidden = false;
  };

  byId('docs').href = beside + 'docs';
  byId('show').addEventListener('change', (event) => {
    password.type = again.type = event.target.checked ? 'text' : 'password';
  });
  form.addEventListener('submit', submit);
  open();
}
`;
