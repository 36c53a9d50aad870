import { describe, expect, it } from 'vitest';
import { identityOfClaims, identityOfSaml } from '../../../src/features/sign-on/providers/identity.ts';

const FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:';

function emailOf(idToken: object, userInfo: object | null = null): string | undefined {
  const answer = { issuer: 'https://idp.example.com', subject: 'one', idToken: { ...idToken } };
  return identityOfClaims({ ...answer, userInfo: userInfo && { ...userInfo } }, {})?.email;
}

const [A, B] = ['a@example.com', 'b@example.com'];

describe('the email of an OpenID Connect provider', () => {
  it('is used when email_verified is true or absent', () => {
    for (const verdict of [{ email_verified: true }, { email_verified: 'true' }, {}]) {
      expect(emailOf({ email: A, ...verdict })).toBe(A);
      expect(emailOf({}, { email: A, ...verdict })).toBe(A);
    }
  });

  it('is not used with any other email_verified, from either source', () => {
    const verdicts = [false, 'false', 'False', '0', 0, 1, '1', null, 'no', 'yes', 'TRUE', 'True', '', [], [true], {}];
    for (const email_verified of verdicts) {
      const unverified = { email: A, email_verified };
      expect(emailOf(unverified), JSON.stringify(unverified)).toBeUndefined();
      expect(emailOf({}, unverified), JSON.stringify(unverified)).toBeUndefined();
      expect(emailOf({ email: A }, unverified), JSON.stringify(unverified)).toBeUndefined();
      expect(emailOf(unverified, { email: A, email_verified: true }), JSON.stringify(unverified)).toBeUndefined();
    }
  });

  it('is verified only by the source that contains it', () => {
    const [yes, no] = [{ email_verified: true }, { email_verified: false }];
    expect(emailOf(yes, { email: A })).toBeUndefined();
    expect(emailOf(yes, { email: A, ...no })).toBeUndefined();
    expect(emailOf(no, { email: A })).toBeUndefined();
    expect(emailOf({ email: A }, no)).toBeUndefined();
    expect(emailOf({ email: A }, yes)).toBeUndefined();
    expect(emailOf({ email: A }, { email: B, ...no })).toBeUndefined();
    expect(emailOf({ email: A }, { email: B, ...yes })).toBe(B);
    expect(emailOf({ email: A, ...yes }, { email: B, ...yes })).toBe(A);
    expect(emailOf({ email: A }, { email: B })).toBe(A);
  });
});

describe('the identity of a SAML response', () => {
  const identityOf = (nameId: string, nameIdFormat: string) => {
    const attributes = [['email', [A]]] as const;
    return identityOfSaml({ nameId, nameIdFormat, sessionIndex: '', attributes }, { entityId: 'idp' })?.identity;
  };

  it('is the NameID with its format, case-sensitive except for emails', () => {
    const persistent = `${FORMAT}persistent`;
    expect(identityOf('Abc', persistent)).toEqual({
      protocol: 'saml',
      issuer: 'idp',
      subject: 'Abc',
      nameIdFormat: persistent,
    });
    const email = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    expect(identityOf('Ann@Example.com', email)?.subject).toBe('ann@example.com');
    // Only an email of printable ASCII is lowercased, whatever the format of the provider: the Kelvin sign is not a k.
    expect(identityOf('bob\u212a@example.com', email)?.subject).toBe('bob\u212a@example.com');
    expect(identityOf('Bob', email)?.subject).toBe('Bob');
  });

  it('has no subject for a transient NameID', () => {
    expect(identityOf('_5f2a', `${FORMAT}transient`)?.subject).toBeNull();
  });
});
