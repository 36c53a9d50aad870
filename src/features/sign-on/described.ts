import type { Glossary } from '../../http/described.ts';
import type { Examples } from '../../http/examples.ts';

/** Descriptions of request and response fields of this feature whose schema has none. */
export const glossary: Glossary = {
  'changePasswordByLink.token': 'Text of the link that was sent',
  'login.password': 'The password',
  'password.password': 'A password to judge',
  'publicSignupToken.role': 'The root role of users who sign up with it',
  'publicSignupToken.enabled': 'Whether users can sign up with it',
  'resetPassword.resetPasswordUrl': 'Address where the user sets a new password',
  'tokenUser.token': 'Text of the link',
  'tokenUser.role': 'The role they have',
  'samlCallback.SAMLResponse': 'The signed response of the identity provider',
  'samlCallback.RelayState': 'The sign-on that it responds to',
};

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  'addPublicSignupTokenUser.email': 'ola@example.com',
  createPublicSignupToken: { name: 'Everybody at the summer school', expiresAt: '2099-01-01T00:00:00Z' },
  'changeUserPassword.id': 2,
  login: { username: 'kari', password: 'the Passphrase before, of 2025!' },
};
