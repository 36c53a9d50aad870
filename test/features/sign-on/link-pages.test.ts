import { describe, expect, it } from 'vitest';
import { loggerTo } from '../../../src/base/logger.ts';
import { passwordProblems } from '../../../src/features/people/passwords/password.ts';
import { accepted } from '../../support/admin.ts';
import { Page } from '../../support/page.ts';
import { startTestService, useService } from '../../support/service.ts';

const STRONG = 'Battery-Staple-7';
const GONE = 'This link is not valid: it was used, has expired, or was replaced. Ask an admin for another one.';

const service = useService({ env: { BASE_URI_PATH: '/flags' } });
let people = 0;

/** The link at the address of the test service, because a test cannot choose the address in links. */
const here = (link: string) => service.url + link.slice(link.indexOf('/flags') + '/flags'.length);

async function invited(): Promise<{ link: string; email: string; id: number }> {
  const email = `person-${++people}@example.org`;
  const { body } = await accepted(service, 'createUser', { body: { email, rootRole: 'Viewer', sendEmail: false } });
  return { link: here(body.inviteLink), email, id: body.id };
}

async function signupLink(): Promise<string> {
  const body = { name: `team ${++people}`, expiresAt: '2100-01-01T00:00:00.000Z' };
  return here((await accepted(service, 'createPublicSignupToken', { body })).body.url);
}

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [id, value] of Object.entries(fields)) page.of(id).value = value;
  await page.of('form').fire('submit');
}

const opens = async (email: string, password = STRONG) =>
  (await service.call('login', { body: { email, password } })).status === 200;

describe('the page of a link', () => {
  it('shows the email of an invited user, accepts a password, and confirms it', async () => {
    const { link, email } = await invited();
    expect(new URL(link).pathname).toBe('/flags/new-user');
    expect((await Page.open(link.replace('?', '/?'))).of('email').value).toBe(email);
    const page = await Page.open(link);
    expect(page.of('email').value).toBe(email);
    await fill(page, { password: STRONG, again: STRONG });
    expect(page.of('form').removed).toBe(true);
    expect(page.of('message').textContent).toBe(`Welcome: the password is set. You sign on with it and ${email}.`);
    expect(page.of('next').hidden).toBe(false);
    expect(page.address).toBe('/flags/new-user');
    expect(await opens(email)).toBe(true);
  });

  it('accepts a new password with a reset link', async () => {
    const { id, email } = await invited();
    const { body } = await accepted(service, 'resetUserPassword', { body: { id } });
    const page = await Page.open(here(body.resetPasswordUrl));
    await fill(page, { password: STRONG, again: STRONG });
    expect(page.of('message').textContent).toContain(`You sign on with it and ${email}.`);
    expect(await opens(email)).toBe(true);
  });

  it('lets the user of a public signup link create an account', async () => {
    const page = await Page.open(await signupLink());
    await fill(page, { email: 'not an email', password: STRONG, again: STRONG });
    expect(page.problems).toHaveLength(1);
    const email = 'own-account@example.org';
    await fill(page, { email: ` ${email} `, name: 'Own Account', password: STRONG, again: STRONG });
    expect(page.problems).toEqual([]);
    expect(page.of('message').textContent).toContain(`You sign on with it and ${email}.`);
    expect(await opens(email)).toBe(true);
    const again = await Page.open(await signupLink());
    await fill(again, { email, password: STRONG, again: STRONG });
    expect(again.problems).toEqual([expect.stringContaining('No account can be created with this email')]);
    expect(again.of('form').removed).toBe(false);
  });

  it('shows the password rules first, and the broken rules after a failed attempt', async () => {
    const { link, email } = await invited();
    const page = await Page.open(link);
    for (const rule of passwordProblems('')) expect(page.html).toContain(`<li>${rule}</li>`);
    await fill(page, { password: 'weak', again: 'weak' });
    expect(page.problems).toEqual(passwordProblems('weak'));
    await fill(page, { password: STRONG, again: `${STRONG}x` });
    expect(page.problems).toEqual(['The two passwords are not the same.']);
    expect(page.of('form').removed).toBe(false);
    expect(page.of('button').disabled).toBe(false);
    await fill(page, { password: STRONG, again: STRONG });
    expect(await opens(email)).toBe(true);
  });

  it('reports an invalid link, on opening the page or on sending the form', async () => {
    const { link } = await invited();
    const [first, second] = [await Page.open(link), await Page.open(link)];
    await fill(first, { password: STRONG, again: STRONG });
    await fill(second, { password: STRONG, again: STRONG });
    expect(second.problems).toEqual([GONE]);
    for (const address of [link, `${service.url}/reset-password?token=${encodeURIComponent('<b>&"')}`]) {
      const page = await Page.open(address);
      expect([page.of('message').textContent, page.of('form').hidden]).toEqual([GONE, true]);
    }
    for (const path of ['/new-user', '/reset-password?token=', '/signup?invite=']) {
      const page = await Page.open(service.url + path);
      expect(page.of('message').textContent).toMatch(/^This link is incomplete/);
    }
    const unknown = await Page.open(`${service.url}/signup?invite=..%2F..`);
    expect(unknown.of('form').hidden).toBe(true);
  });

  it('reports that the service does not answer, and lets the user try again', async () => {
    const other = await startTestService();
    const { body } = await accepted(other, 'createUser', { body: { email: 'late@example.org', rootRole: 'Viewer' } });
    const page = await Page.open(other.url + new URL(body.inviteLink).pathname + new URL(body.inviteLink).search);
    await other.close();
    await fill(page, { password: STRONG, again: STRONG });
    expect(page.problems).toEqual(['The service does not answer. Try again in a moment.']);
    expect(page.of('button').disabled).toBe(false);
  });

  it('shows the typed passwords on request', async () => {
    const page = await Page.open((await invited()).link);
    const show = page.of('show');
    show.checked = true;
    await show.fire('change');
    expect([page.of('password').type, page.of('again').type]).toEqual(['text', 'text']);
    show.checked = false;
    await show.fire('change');
    expect([page.of('password').type, page.of('again').type]).toEqual(['password', 'password']);
  });

  it.each(['/new-user', '/reset-password', '/signup'])(
    '%s has no external resources, is never cached, and sends no referrer',
    async (path) => {
      const { headers, html } = await Page.open(service.url + path);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-frame-options')).toBe('DENY');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(
        /^default-src 'none'; script-src 'sha256-[^ ;]+'; style-src 'sha256-[^ ;]+'; connect-src 'self';/,
      );
      for (const part of ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
        expect(policy).toContain(part);
      expect(policy).not.toMatch(/unsafe|http|\*/);
      // No external resource, nothing that the policy would block, and a label for every field.
      expect(html).not.toMatch(/\s(?:src|style|on\w+)=|<link|@import|url\(|https?:/);
      expect(html.match(/<input/g)?.length).toBe(html.match(/<label[^>]*>(?:[^<]*<input|<input)/g)?.length);
      expect(html.match(/autocomplete="new-password"/g)).toHaveLength(2);
      expect(html).toMatch(/autocomplete="username"/);
    },
  );

  it('writes no token to the log', async () => {
    const lines: string[] = [];
    const logger = loggerTo(
      'debug',
      (line) => lines.push(line),
      () => 0,
    );
    const logged = await startTestService({ logger, env: { LOG_LEVEL: 'debug' } });
    const { body } = await accepted(logged, 'createUser', { body: { email: 'quiet@example.org', rootRole: 'Viewer' } });
    const { pathname, search, searchParams } = new URL(body.inviteLink);
    const page = await Page.open(logged.url + pathname + search);
    await fill(page, { password: 'weak', again: 'weak' });
    await fill(page, { password: STRONG, again: STRONG });
    await logged.close();
    const log = lines.join('');
    expect(log).toContain('/new-user');
    expect(log).toContain('/auth/reset/validate');
    for (const secret of [searchParams.get('token') ?? '', STRONG]) expect(log).not.toContain(secret);
  });
});
