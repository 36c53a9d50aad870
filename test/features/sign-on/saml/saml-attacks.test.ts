import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../../src/model/role.ts';
import { putUser } from '../../../support/people.ts';
import type { TestService } from '../../../support/service.ts';
import { Browser, formOf, locationOf } from '../browser.ts';
import { emailsOf, startAddressed } from '../service.ts';
import {
  type Answered,
  answered,
  handOver,
  introduce,
  isSignedOn,
  type SamlWorld,
  startSamlWorld,
} from './saml-world.ts';

const VICTIM = 'admin@example.com';
const ATTACKER = 'mallory@example.com';

const SIGNATURE = /<(\w+:)?Signature[ >][\s\S]*?<\/(\w+:)?Signature>/;
const ASSERTION = /<saml:Assertion[\s\S]*<\/saml:Assertion>/;

let world: SamlWorld;
let service: TestService;

beforeAll(async () => {
  world = await startSamlWorld();
  service = await startAddressed();
  await introduce(world, service.url);
});

afterAll(async () => {
  await service.close();
  await world.provider.end();
});

beforeEach(async () => {
  await putUser(service, 1, { email: VICTIM, rootRole: ROLE_ID.admin });
});

const sessions = () => service.running.services.state.size('sessions');

/** Posts a changed answer, and checks that it begins no session. */
async function refused(answer: Answered, xml: string, what: string): Promise<void> {
  const before = sessions();
  const page = await handOver(answer, xml);
  expect([400, 401, 403, 413], `${what}: ${page.status} ${page.text}`).toContain(page.status);
  expect(await isSignedOn(service.url, answer.browser), what).toBe(false);
  expect(sessions(), what).toBe(before);
}

/** The answer to the attacker's own sign-on. */
const mallory = (sign = 'assertion') => answered(world, service.url, { nameId: ATTACKER, sign });

/** The parts for signature wrapping. */
function piecesOf(xml: string) {
  const assertion = ASSERTION.exec(xml)?.[0] ?? '';
  const [ownSignature = ''] = SIGNATURE.exec(assertion) ?? [];
  const asVictim = (text: string) => text.replaceAll(ATTACKER, VICTIM).replace(/ ID="_assertion/, ' ID="_evil');
  const bare = assertion.replace(ownSignature, '');
  return { assertion, signature: ownSignature, bare, asVictim, evil: asVictim(bare) };
}

const inside = (outer: string, tag: string, inner: string) =>
  outer.replace(new RegExp(`</${tag}>$`), `${inner}</${tag}>`);

/** The eight classic signature wrapping attacks: one element is verified and another one is read. */
const WRAPPINGS: Readonly<Record<string, { readonly sign: string; wrap(xml: string): string }>> = {
  'the signed response within the signature of another': {
    sign: 'both',
    wrap: (xml) => {
      const [outer = ''] = SIGNATURE.exec(xml.replace(ASSERTION, '')) ?? [];
      const { evil } = piecesOf(xml);
      const original = xml.replace(outer, '').replace(/^<\?xml[^>]*>/, '');
      const wrapping = outer.replace(/(<\/(\w+:)?Signature>)$/, `${original}$1`);
      return xml
        .replace(outer, wrapping)
        .replace(ASSERTION, () => evil)
        .replace(/ ID="_response/, ' ID="_evil_r');
    },
  },
  'the signed response before its signature, beside another': {
    sign: 'both',
    wrap: (xml) => {
      const [outer = ''] = SIGNATURE.exec(xml.replace(ASSERTION, '')) ?? [];
      const { evil } = piecesOf(xml);
      const original = xml.replace(outer, '').replace(/^<\?xml[^>]*>/, '');
      return xml
        .replace(outer, () => original + outer)
        .replace(
          /(<saml:Assertion(?![\s\S]*<saml:Assertion)[\s\S]*<\/saml:Assertion>)(<\/samlp:Response>)$/,
          (_all, _one, end) => evil + end,
        );
    },
  },
  'another assertion before the signed one': {
    sign: 'assertion',
    wrap: (xml) => xml.replace(ASSERTION, (signed) => piecesOf(xml).evil + signed),
  },
  'the signed assertion within another': {
    sign: 'assertion',
    wrap: (xml) => xml.replace(ASSERTION, (signed) => inside(piecesOf(xml).evil, 'saml:Assertion', signed)),
  },
  'the signature in another assertion, the signed one behind it': {
    sign: 'assertion',
    wrap: (xml) => {
      const { assertion, bare, asVictim } = piecesOf(xml);
      return xml.replace(ASSERTION, () => asVictim(assertion) + bare);
    },
  },
  'the signed assertion within the signature of another': {
    sign: 'assertion',
    wrap: (xml) => {
      const { assertion, signature, bare, asVictim } = piecesOf(xml);
      const wrapping = signature.replace(/(<\/(\w+:)?Signature>)$/, `${bare}$1`);
      return xml.replace(ASSERTION, () =>
        asVictim(assertion.replace(signature, '')).replace(/(<saml:Subject>)/, `${wrapping}$1`),
      );
    },
  },
  'another assertion in an extension': {
    sign: 'assertion',
    wrap: (xml) => {
      const { evil } = piecesOf(xml);
      return xml.replace('<samlp:Status>', `<samlp:Extensions>${evil}</samlp:Extensions><samlp:Status>`);
    },
  },
  'the signed assertion in an object of the signature of another': {
    sign: 'assertion',
    wrap: (xml) => {
      const { assertion, signature, bare, asVictim } = piecesOf(xml);
      const object = `<ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${bare}</ds:Object>`;
      const wrapping = signature.replace(/(<\/(\w+:)?Signature>)$/, `${object}$1`);
      return xml.replace(ASSERTION, () =>
        asVictim(assertion.replace(signature, '')).replace(/(<saml:Subject>)/, `${wrapping}$1`),
      );
    },
  },
};

describe('signing on as another user', () => {
  it.each(Object.keys(WRAPPINGS))('by wrapping does not work: %s', async (name) => {
    const { sign, wrap } = WRAPPINGS[name] ?? { sign: '', wrap: (xml: string) => xml };
    const answer = await mallory(sign);
    const wrapped = wrap(answer.xml);
    expect(wrapped).toContain(VICTIM);
    expect(wrapped).toContain('SignatureValue');
    await refused(answer, wrapped, name);
  });

  it('does not work without a valid signature', async () => {
    for (const sign of ['none', 'message']) {
      const answer = await mallory(sign);
      await refused(answer, answer.xml, sign);
    }
    const answer = await mallory();
    const { evil, asVictim, assertion } = piecesOf(answer.xml);
    await refused(
      answer,
      answer.xml.replace(ASSERTION, () => evil),
      'the signature was removed',
    );
    await refused(
      answer,
      answer.xml.replace(ASSERTION, () => asVictim(assertion)),
      'the signed element was changed',
    );
    await refused(
      answer,
      answer.xml.replace(SIGNATURE, '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>'),
      'the signature is empty',
    );
  });

  it('does not work with a replaced assertion in a signed response', async () => {
    const answer = await mallory('message');
    await refused(answer, answer.xml.replaceAll(ATTACKER, VICTIM), 'unsigned assertion in a signed response');
    const both = await mallory('both');
    const { evil } = piecesOf(both.xml);
    await refused(
      both,
      both.xml.replace(ASSERTION, () => evil),
      'unsigned assertion instead of a signed one',
    );
    await refused(
      both,
      both.xml.replace(ASSERTION, () => ''),
      'no assertion',
    );
  });

  it('does not work with another key, even when the response contains its certificate', async () => {
    const other = await startSamlWorld({ hasOtherKeys: true });
    try {
      const metadata = await (await fetch(`${service.url}/auth/saml/metadata`)).text();
      await other.provider.put('/service', { metadata });
      const issuer = `${world.provider.url}/metadata`;
      await other.provider.put('/subject', { nameId: VICTIM, issuer });
      const browser = new Browser();
      const asked = new URL(locationOf(await browser.get(`${service.url}/auth/saml/login`)));
      const page = await new Browser().get(`${other.provider.url}/sign-on${asked.search}`);
      const { action = '', fields } = formOf(page);
      const xml = Buffer.from(fields.SAMLResponse ?? '', 'base64').toString('utf8');
      expect(xml).toContain('X509Certificate');
      await refused({ browser, action, xml }, xml, 'another key');
    } finally {
      await other.provider.end();
    }
  });

  it('does not work with comments, entities or instructions that XML parsers handle differently', async () => {
    const name = `${VICTIM}.evil.example.org`;
    const inserts = {
      comment: '<!---->',
      'comment with text': '<!--x-->',
      instruction: '<?x?>',
      cdata: '<![CDATA[]]>',
    };
    for (const [what, insert] of Object.entries(inserts)) {
      const answer = await answered(world, service.url, { nameId: name });
      await refused(answer, answer.xml.replace(`>${name}<`, `>${VICTIM}${insert}.evil.example.org<`), what);
    }
    const answer = await mallory();
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    await refused(answer, bomb + answer.xml, 'entities');
    await refused(answer, answer.xml.replace(`>${ATTACKER}<`, '>&nothing;<'), 'an undefined entity');
  });

  it('does not work with another audience, recipient, issuer, request, time, algorithm or status', async () => {
    const wrong: Readonly<Record<string, object>> = {
      audience: { audience: 'https://other.example.com' },
      destination: { destination: 'https://other.example.com/auth/saml/callback' },
      recipient: { recipient: 'https://other.example.com/auth/saml/callback' },
      issuer: { issuer: 'https://other.example.com/metadata' },
      request: { inResponseTo: '_another' },
      expired: { shiftMs: -3_600_000 },
      'not yet': { shiftMs: 3_600_000 },
      'too old, although it lasts long': { shiftMs: -1_200_000, lifetimeMs: 86_400_000 },
      'made with SHA-1': { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' },
      refusal: { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' },
    };
    for (const [what, subject] of Object.entries(wrong)) {
      const answer = await answered(world, service.url, { nameId: VICTIM, ...subject });
      await refused(answer, answer.xml, what);
    }
  });

  it('does not work with the answer to another browser', async () => {
    const victims = await answered(world, service.url, { nameId: VICTIM });
    const own = await mallory();
    await refused({ ...own, action: victims.action }, victims.xml, 'stolen');
    await refused(
      { browser: new Browser(), action: victims.action, xml: '' },
      victims.xml,
      'a browser without an attempt',
    );
    // A browser that is made to post the attacker's answer is not signed on as the attacker.
    await refused(victims, own.xml, 'forced login');
    expect((await handOver(victims, victims.xml)).status).toBe(303);
  });

  it('does not work twice', async () => {
    const answer = await answered(world, service.url, { nameId: VICTIM });
    const attempt = new Map(answer.browser.cookies);
    expect((await handOver(answer, answer.xml)).status).toBe(303);
    const later = new Browser();
    for (const [name, value] of attempt) later.cookies.set(name, value);
    await refused({ ...answer, browser: later }, answer.xml, 'replayed');
    const racing = await answered(world, service.url, { nameId: VICTIM });
    const before = sessions();
    const pages = await Promise.all([1, 2, 3, 4].map(() => handOver(racing, racing.xml, false)));
    // One of them runs and one waits: more at the same time are refused with 429. One that arrives after the first has ended gets 401 as well.
    const [first, ...others] = pages.map(({ status }) => status).sort();
    expect(first).toBe(303);
    for (const status of others) expect([401, 429]).toContain(status);
    expect(sessions()).toBe(before + 1);
  });

  it('does not work with a text that is not an answer, nor with a too large answer', async () => {
    const { browser, action, xml } = await mallory();
    const padded = xml.replace('<saml:Subject>', `${' '.repeat(200_000)}<saml:Subject>`);
    const deep = '<a>'.repeat(40_000) + '</a>'.repeat(40_000);
    const texts = {
      nothing: ' ',
      text: 'no xml',
      'another document': '<a/>',
      'two roots': `${xml}${xml}`,
      padded,
      deep,
      half: xml.slice(0, 900),
    };
    for (const [what, text] of Object.entries(texts)) {
      const before = sessions();
      const page = await browser.post(action, { SAMLResponse: Buffer.from(text).toString('base64') });
      expect([400, 401, 413], `${what}: ${page.text}`).toContain(page.status);
      expect(sessions()).toBe(before);
    }
    const twice = `SAMLResponse=${encodeURIComponent(Buffer.from(xml).toString('base64'))}`;
    const answer = await fetch(action, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${twice}&${twice}`,
    });
    expect(answer.status).toBe(400);
  });

  it('created no account', () => {
    expect(emailsOf(service).filter((email) => email !== VICTIM)).toEqual([]);
  });
});
